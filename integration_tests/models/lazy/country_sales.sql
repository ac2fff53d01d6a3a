-- Sales by country and segment: a join, a group by, expressions over aggregates, HAVING.
select
    c.country,
    c.segment,
    count(distinct o.order_id) as orders,
    count(*) as order_lines,
    sum(l.amount) as revenue,
    avg(l.amount) as average_line,
    sum(l.amount) / sum(l.quantity) as revenue_per_piece,
    min(o.ordered_on) as first_order,
    max(o.ordered_on) as last_order
from {{ ref('stg_orders') }} as o
join {{ ref('stg_order_lines') }} as l on l.order_id = o.order_id
join {{ ref('stg_customers') }} as c on c.customer_id = o.customer_id
group by c.country, c.segment
having count(*) >= 10
