-- One row per order line, with everything known about it: a join of four tables.
select
    o.order_id,
    l.line_number,
    o.ordered_on,
    o.status,
    c.customer_name,
    c.country,
    l.product,
    l.quantity,
    l.amount
from {{ ref('stg_orders') }} as o
join {{ ref('stg_order_lines') }} as l on l.order_id = o.order_id
join {{ ref('stg_customers') }} as c on c.customer_id = o.customer_id
