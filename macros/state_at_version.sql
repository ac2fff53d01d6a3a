{#- The view's own rows at the version that was loaded; for a live read, as they are. What is not applied yet is folded in. -#}
{% macro state_at_version(step) %}
    {{ return(adapter.dispatch('state_at_version', 'dbt')(step)) }}
{% endmacro %}

{% macro default__state_at_version(step) -%}
{%- set state = step.state.relation if step.state.version is none else pinned_state(step.state.relation, step.state.version) -%}
{%- if step.state.unapplied -%}
{{ folded_state(state, step.columns, step.state.unapplied) }}
{%- else -%}
select {{ step.columns | map(attribute='quoted') | join(', ') }}
from {{ state }}
{%- endif -%}
{%- endmacro %}
