{#- The rows of a view at some moment, stored for a copy of it. -#}
{% macro create_rolled_copy(copy, layout, rows, properties) -%}
{%- set columns = layout.columns | map(attribute='quoted') | join(', ') -%}
create or replace table {{ copy }}
using delta
tblproperties ({{ properties_list(properties) }})
as
select {{ columns }} from {{ rows }} as s
{%- endmacro %}
