{#- The delta of a source: captured, and condensed unless its window only added rows. -#}
{% macro source_delta(step) -%}
{%- set stream = delta_capture(step.source, step.window) -%}
{%- if step.condense -%}
{{ condense(stream, step.source.quoted_columns) }}
{%- else -%}
{{ stream }}
{%- endif -%}
{%- endmacro %}
