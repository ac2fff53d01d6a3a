{#- The view's own rows at the version that was loaded. -#}
{% macro state_at_version(step) %}
    {{ return(adapter.dispatch('state_at_version', 'dbt')(step)) }}
{% endmacro %}

{% macro default__state_at_version(step) -%}
select {{ step.columns | map(attribute='quoted') | join(', ') }}
from {{ step.state.relation }} version as of {{ step.state.version }}
{%- endmacro %}
