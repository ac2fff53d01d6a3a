{#- Stream-apply of rows whose keys no stored row has: a query that gives them, to be added to the state. -#}
{% macro stream_apply_append(plan) %}
    {{ return(adapter.dispatch('stream_apply_append', 'dbt')(plan)) }}
{% endmacro %}

{% macro default__stream_apply_append(plan) -%}
{{ with_steps(plan.steps) }}
select {{ plan.layout.columns | map(attribute='quoted') | join(', ') }}
from `{{ plan.change }}`
where lv_count <> 0
{%- endmacro %}
