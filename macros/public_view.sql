{#- The public relation of a lazy view: the model's columns, finished values, nothing hidden. -#}
{% macro public_view(relation, view, comment, column_comments, properties) %}
    {{ return(adapter.dispatch('public_view', 'dbt_lazyview')(relation, view, comment, column_comments, properties)) }}
{% endmacro %}

{% macro default__public_view(relation, view, comment, column_comments, properties) -%}
create or replace view {{ relation }} (
    {%- for column in view.columns %}
    {{ column.quoted }}
    {%- if column.name in column_comments %} comment {{ dbt_lazyview.text_literal(column_comments[column.name]) }}{% endif %}
    {%- if not loop.last %},{% endif %}
    {%- endfor %}
)
{%- if comment %}
comment {{ dbt_lazyview.text_literal(comment) }}
{%- endif %}
tblproperties ({{ dbt_lazyview.properties_list(properties) }})
as
{{ view.query }}
{%- endmacro %}
