{#-
  A relation that several places of a plan read is computed once and kept as a cached temporary view of the refresh's
  own connection. Its size is then known, too, so that small ones are broadcast.
-#}
{% macro stage_relation(stage) %}
    {{ return(adapter.dispatch('stage_relation', 'dbt')(stage)) }}
{% endmacro %}

{% macro default__stage_relation(stage) -%}
cache table `{{ stage.relation }}` as
{{ staged_rows(stage) }}
{%- endmacro %}

{#- The rows to keep. -#}
{% macro staged_rows(stage) -%}
{{ with_steps(stage.steps) }}
select * from `{{ stage.steps[-1].name }}`
{%- endmacro %}

{% macro unstage_relation(stage) %}
    {{ return(adapter.dispatch('unstage_relation', 'dbt')(stage)) }}
{% endmacro %}

{% macro default__unstage_relation(stage) -%}
drop view if exists `{{ stage.relation }}`
{%- endmacro %}

{#- What was staged, as a step of a statement. -#}
{% macro staged_relation(step) -%}
select * from `{{ step.relation }}`
{%- endmacro %}
