{#-
  A source as of one version: the end of the captured window, never the moving table (it would be mixed up with
  the change feed of the same table in one statement); or the moment that the query itself names.
-#}
{% macro source_at_version(step) %}
    {{ return(adapter.dispatch('source_at_version', 'dbt')(step)) }}
{% endmacro %}

{% macro default__source_at_version(step) -%}
select {{ step.source.quoted_columns | join(', ') }}
from {{ step.source.sql }} {{ step.at }}
{%- for bound in step.bounds %}
{{ "where" if loop.first else "    and" }} {{ within_bounds(bound.quoted, bound) }}
{%- endfor %}
{%- endmacro %}

{#- Whether a column lies within bounds or is NULL: with literals, files without such values are not read. -#}
{% macro within_bounds(column, bound) -%}
({{ column }} between {{ bound.low }} and {{ bound.high }} or {{ column }} is null)
{%- endmacro %}
