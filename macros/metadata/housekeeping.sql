{#- What is done to the files of a state now and then; its rows stay. -#}
{% macro optimize_table(relation) -%}
optimize {{ relation }}
{%- endmacro %}

{% macro vacuum_table(relation) -%}
vacuum {{ relation }}
{%- endmacro %}

{% macro count_rows(relation) -%}
select count(*) as `rows` from {{ relation }}
{%- endmacro %}

{#- Tables that may be states, and what is dropped of a lazy view that left its project. -#}
{% macro show_tables(namespace, pattern) -%}
show tables in {{ namespace }} like {{ text_literal(pattern) }}
{%- endmacro %}

{% macro drop_view(relation) -%}
drop view if exists {{ relation }}
{%- endmacro %}
