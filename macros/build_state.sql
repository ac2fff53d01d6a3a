{#-
  All rows of the state from all rows of the sources, in one commit. A state that exists with the same columns is
  overwritten, so that views over it can go on reading its change feed; otherwise it is created or replaced.
-#}
{% macro build_state(plan, state, properties, exists) %}
    {{ return(adapter.dispatch('build_state', 'dbt')(plan, state, properties, exists)) }}
{% endmacro %}

{% macro default__build_state(plan, state, properties, exists) -%}
{%- set columns = plan.layout.columns | map(attribute='quoted') | join(', ') -%}
{%- if exists -%}
insert overwrite {{ state }} ({{ columns }})
{%- else -%}
create or replace table {{ state }}
using delta
tblproperties (
{%- for name, value in properties.items() %}
    {{ text_literal(name) }} = {{ text_literal(value) }}{{ "," if not loop.last else "" }}
{%- endfor %}
)
as
{%- endif %}
{{ with_steps(plan.steps) }}
select {{ columns }} from (
    {{ plan.query | indent(4) }}
) as built
{%- endmacro %}
