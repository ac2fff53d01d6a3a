-- One row per customer who bought something.
select
    c.customer_id,
    c.customer_name,
    count(*) as order_lines,
    sum(l.amount) as revenue,
    avg(l.amount) as average_line
from {{ ref('stg_orders') }} as o
join {{ ref('stg_order_lines') }} as l on l.order_id = o.order_id
join {{ ref('stg_customers') }} as c on c.customer_id = o.customer_id
group by c.customer_id, c.customer_name
