{#-
  The net effect of some windows of a view delta (B 5): one row per key; it replaces what is stored if one of the
  windows did, and is a difference to add otherwise. Differences of zero stay: a group's count may be 0 where its sums are not.
-#}
{% macro net_effect(columns, unapplied) %}
    {{ return(adapter.dispatch('net_effect', 'dbt')(columns, unapplied)) }}
{% endmacro %}

{% macro default__net_effect(columns, unapplied) -%}
{%- set names = columns | map(attribute='quoted') | join(', ') -%}
{%- set keys = columns | selectattr('is_key') | map(attribute='quoted') | list -%}
{{ _net_effect(columns, keys) }},
    bool_or(lv_replaces) as lv_replaces
from (
    select *, max(case when lv_replaces then lv_ssn end) over ({{ "partition by " ~ keys | join(', ') if keys else "" }}) as lv_from
    from (
        select {{ names }}, lv_ssn, lv_replaces
        from {{ unapplied_rows(unapplied) | indent(8) }}
    ) as changes
) as since_replaced
where lv_from is null or lv_ssn >= lv_from
{%- if keys %}
group by {{ keys | join(', ') }}
{%- else %}
having count(*) > 0
{%- endif %}
{%- endmacro %}
