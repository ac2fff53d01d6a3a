{#-
  The rows of a view of which part is still in its view delta: for every key the newest row that replaces what was
  there, and all differences after it. Keys without changes are passed on as they are stored.
-#}
{% macro folded_state(state, columns, unapplied) %}
    {{ return(adapter.dispatch('folded_state', 'dbt')(state, columns, unapplied)) }}
{% endmacro %}

{% macro default__folded_state(state, columns, unapplied) -%}
{%- set names = columns | map(attribute='quoted') | join(', ') -%}
{%- set keys = columns | selectattr('is_key') | map(attribute='quoted') | list -%}
with lv_pending as (
    select {{ names }}, lv_ssn, lv_replaces
    from {{ unapplied_rows(unapplied) | indent(4) }}
)
{%- if keys %},
lv_touched as (
    select distinct {{ keys | join(', ') }} from lv_pending
)
select {{ names }}
from {{ state }} as t
where not exists (select 1 from lv_touched as k where {{ _same_keys(keys, 't', 'k') }})
union all
{%- endif %}
{{ _net_effect(columns, keys) }}
from (
    select *, max(case when lv_replaces then lv_ssn end) over ({{ "partition by " ~ keys | join(', ') if keys else "" }}) as lv_from
    from (
        select {{ names }}, cast(0 as bigint) as lv_ssn, true as lv_replaces
        from {{ state }} as t
        {%- if keys %}
        where exists (select 1 from lv_touched as k where {{ _same_keys(keys, 't', 'k') }})
        {%- endif %}
        union all
        select {{ names }}, lv_ssn, lv_replaces from lv_pending
    ) as rows_of_both
) as since_replaced
where lv_from is null or lv_ssn >= lv_from
{%- if keys %}
group by {{ keys | join(', ') }}
having sum(lv_count) <> 0
{%- endif %}
{%- endmacro %}

{#- Rows of equal key as one; a value that cannot be combined has only one row to come from. -#}
{% macro _net_effect(columns, keys) -%}
select
{%- for column in columns %}
    {{ column.quoted if column.is_key else (column.combined or "any_value(" ~ column.quoted ~ ")") ~ " as " ~ column.quoted }}{{ "," if not loop.last else "" }}
{%- endfor %}
{%- endmacro %}

{% macro _same_keys(keys, one, other) -%}
{%- for key in keys -%}
{{ "and " if not loop.first else "" }}{{ one }}.{{ key }} <=> {{ other }}.{{ key }}{{ " " if not loop.last else "" }}
{%- endfor -%}
{%- endmacro %}

{#- The same as something to read from. -#}
{% macro folded_relation(state, columns, unapplied) -%}
(
    {{ folded_state(state, columns, unapplied) | indent(4) }}
)
{%- endmacro %}
