{#-
  The copy of a table that has no versions: a Delta table with all its rows as they were seen last. It is overwritten
  only if rows differ; its change feed then holds every row twice, and condensing leaves what differs.
-#}
{% macro create_copy(copy, source, properties) %}
    {{ return(adapter.dispatch('create_copy', 'dbt')(copy, source, properties)) }}
{% endmacro %}

{% macro default__create_copy(copy, source, properties) -%}
create or replace table {{ copy }}
using delta
tblproperties ({{ properties_list(properties) }})
as
select * from {{ source }}
{%- endmacro %}

{#- Spark remembers the files of tables that are not Delta. -#}
{% macro refresh_table(relation) -%}
refresh table {{ relation }}
{%- endmacro %}

{% macro overwrite_copy(copy, source) -%}
insert overwrite {{ copy }}
select * from {{ source }}
{%- endmacro %}

{#- One row if a table and its copy are different bags of rows. -#}
{% macro copy_differs(copy, source, columns) -%}
{%- set names = columns | join(', ') -%}
select 1 as differs
from (
    select {{ names }}, 1 as lv_weight from {{ source }}
    union all
    select {{ names }}, -1 as lv_weight from {{ copy }}
) as rows_of_both
group by {{ names }}
having sum(lv_weight) <> 0
limit 1
{%- endmacro %}
