-- An ordinary table that reads lazy views like any other model.
select
    s.country,
    sum(s.revenue) as revenue,
    sum(s.orders) as orders,
    max(s.last_order) as last_order,
    rank() over (order by sum(s.revenue) desc) as place
from {{ ref('country_sales') }} as s
group by s.country
