{#- The public relation of a lazy view: the model's columns, finished values, nothing hidden. -#}
{% macro public_view(relation, columns, query, comment, properties) %}
    {{ return(adapter.dispatch('public_view', 'dbt')(relation, columns, query, comment, properties)) }}
{% endmacro %}

{% macro default__public_view(relation, columns, query, comment, properties) -%}
create or replace view {{ relation }} (
{%- for column in columns %}
    {{ column.quoted }}{{ " comment " ~ text_literal(column.comment) if column.comment else "" }}{{ "," if not loop.last else "" }}
{%- endfor %}
)
{{ "comment " ~ text_literal(comment) if comment else "" }}
tblproperties ({{ properties_list(properties) }})
as
{{ query }}
{%- endmacro %}
