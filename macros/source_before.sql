{#- A source before the window: its new rows plus its negated delta (V, expression 12); a weighted bag. -#}
{% macro source_before(step) %}
    {{ return(adapter.dispatch('source_before', 'dbt')(step)) }}
{% endmacro %}

{% macro default__source_before(step) -%}
{%- set columns = step.source.quoted_columns | join(', ') -%}
select {{ columns }}, 1 as lv_weight from {{ step.new }}
union all
select {{ columns }}, -lv_weight as lv_weight from {{ step.delta }}
{%- endmacro %}
