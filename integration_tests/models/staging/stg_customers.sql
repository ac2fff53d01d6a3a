select
    c.customer_id,
    c.customer_name,
    c.segment,
    n.country_name as country,
    n.continent
from {{ ref('raw_customers') }} as c
join {{ ref('raw_countries') }} as n using (country_code)
