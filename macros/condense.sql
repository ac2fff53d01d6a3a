{#-
  Condense: the net effect of a stream of signed rows; equal rows cancel (Z 4.1). For deltas of rows only: a group's
  delta may have count 0 and a sum. The order of changes plays no part any more, so it is no key.
-#}
{% macro condense(stream, columns) %}
    {{ return(adapter.dispatch('condense', 'dbt')(stream, columns)) }}
{% endmacro %}

{% macro default__condense(stream, columns) -%}
select {{ columns | join(', ') }}, sum(lv_weight) as lv_weight
from (
    {{ stream | indent(4) }}
) as changes
group by {{ columns | join(', ') }}
having sum(lv_weight) <> 0
{%- endmacro %}
