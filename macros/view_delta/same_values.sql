{#- Columns that have certain values, null-safe. -#}
{% macro same_values(values) -%}
{%- for column, value in values.items() -%}
{{ "and " if not loop.first else "" }}{{ column }} <=> {{ sql_literal(value) }}{{ " " if not loop.last else "" }}
{%- else -%}
true
{%- endfor -%}
{%- endmacro %}
