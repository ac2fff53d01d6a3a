-- Good customers with open orders: a lazy view over a lazy view, which reads the orders once more by itself.
select
    t.customer_id,
    t.customer_name,
    t.revenue,
    o.order_id,
    o.ordered_on
from {{ ref('customer_totals') }} as t
join {{ ref('stg_orders') }} as o on o.customer_id = t.customer_id
where o.status = 'open' and t.revenue >= 2000
