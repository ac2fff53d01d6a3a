{#-
  A maintenance expression as the sum of its terms: each reads exactly one occurrence of a source as delta and carries
  its step sequence number (Z 3.3).
-#}
{% macro maintenance_terms(step) -%}
{%- for term in step.terms -%}
{{ maintenance_term(term) }}
{% if not loop.last -%}
union all
{% endif -%}
{%- endfor -%}
{%- endmacro %}

{% macro maintenance_term(term) %}
    {{ return(adapter.dispatch('maintenance_term', 'dbt')(term)) }}
{% endmacro %}

{% macro default__maintenance_term(term) -%}
select term.*, {{ term.ssn }} as lv_ssn
from (
  {{ term.query | indent(2) }}
) as term
{%- endmacro %}
