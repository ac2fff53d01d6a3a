{#- The view's own rows at the version that was loaded; for a live read, as they are. -#}
{% macro state_at_version(step) %}
    {{ return(adapter.dispatch('state_at_version', 'dbt')(step)) }}
{% endmacro %}

{% macro default__state_at_version(step) -%}
select {{ step.columns | map(attribute='quoted') | join(', ') }}
from {{ step.state.relation }}{{ "" if step.state.version is none else " version as of " ~ step.state.version }}
{%- endmacro %}
