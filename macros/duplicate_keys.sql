{#- Keys that several rows of a view have, and how many: a few of them. -#}
{% macro duplicate_keys(query, keys) -%}
select {{ keys | join(', ') }}, count(*) as lv_count
from (
    {{ query | indent(4) }}
) as shown
group by {{ keys | join(', ') }}
having count(*) > 1
order by {{ keys | join(', ') }}
limit 5
{%- endmacro %}
