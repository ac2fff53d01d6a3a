{#- The steps of a plan as common table expressions, in order. -#}
{% macro with_steps(steps) -%}
{%- for step in steps -%}
{{ "with " if loop.first else "" }}`{{ step.name }}` as (
    {{ render_step(step) | indent(4) }}
){{ "," if not loop.last else "" }}
{% endfor -%}
{%- endmacro %}

{#- Each kind of step is rendered by the macro of its kind. -#}
{% macro render_step(step) -%}
{%- if step.macro == 'source_at_version' -%}
{{ source_at_version(step) }}
{%- elif step.macro == 'source_delta' -%}
{{ source_delta(step) }}
{%- elif step.macro == 'source_before' -%}
{{ source_before(step) }}
{%- elif step.macro == 'state_at_version' -%}
{{ state_at_version(step) }}
{%- elif step.macro == 'staged_relation' -%}
{{ staged_relation(step) }}
{%- elif step.macro == 'maintenance_terms' -%}
{{ maintenance_terms(step) }}
{%- else -%}
{{ step.query }}
{%- endif -%}
{%- endmacro %}

{#- A plan's steps and a query over them as one plain SELECT. -#}
{% macro steps_as_query(steps, query) -%}
{{ with_steps(steps) }}
{{ query }}
{%- endmacro %}
