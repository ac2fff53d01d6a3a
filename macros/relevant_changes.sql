{#- One row if some change may touch the view, none if all of them miss its filters or the columns it uses. -#}
{% macro relevant_changes(deltas) -%}
{%- for each in deltas %}
select 1 as relevant from (
    {{ source_delta(each.delta) | indent(4) }}
) as `{{ each.delta.name }}`
{{ "where " ~ each.predicate if each.predicate else "" }}
{{ "union all" if not loop.last else "" }}
{%- endfor %}
limit 1
{%- endmacro %}
