{#- How many rows the computed change of a view has, and about how many values of some columns. -#}
{% macro count_values(relation, columns) -%}
select count(*) as `rows`
{%- for column in columns %}, approx_count_distinct({{ column }}) as values_{{ loop.index0 }}{% endfor %}
from {{ relation }}
{%- endmacro %}

{#- The values of a column, those that are whole numbers. -#}
{% macro values_of(relation, column) -%}
select distinct try_cast({{ column }} as bigint) as value from {{ relation }}
{%- endmacro %}
