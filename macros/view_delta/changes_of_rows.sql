{#-
  What every window of a range did to stored rows: the row of each key that it touched before (weight -1) and after
  (weight 1). `before` are the rows of the view at the beginning of the range. The steps end with `lv_sides`.
-#}
{% macro changes_of_rows(before, columns, unapplied) -%}
{%- set names = columns | map(attribute='quoted') | join(', ') -%}
{%- set keys = columns | selectattr('is_key') | map(attribute='quoted') | list -%}
{%- set by_key = (keys | join(', ') ~ ", ") if keys else "" -%}
with lv_changes as (
    select {{ names }}, lv_ssn, lv_replaces
    from {{ unapplied_rows(unapplied) | indent(4) }}
),
lv_touched as (
    select distinct {{ by_key }}lv_ssn as lv_at from lv_changes
),
lv_moments as (
    select {{ by_key }}lv_at, lv_at as lv_upto, 1 as lv_weight from lv_touched
    union all
    select {{ by_key }}lv_at, lv_at - 1 as lv_upto, -1 as lv_weight from lv_touched
),
lv_events as (
    select {{ names }}, cast(0 as bigint) as lv_ssn, true as lv_replaces
    from {{ before | indent(4) }} as t
    {%- if keys %}
    where exists (select 1 from lv_touched as k where {{ _same_keys(keys, 't', 'k') }})
    {%- endif %}
    union all
    select {{ names }}, lv_ssn, lv_replaces from lv_changes
),
lv_seen as (
    select
        e.*, m.lv_at, m.lv_weight,
        max(case when e.lv_replaces then e.lv_ssn end) over (
            partition by {% for key in keys %}e.{{ key }}, {% endfor %}m.lv_at, m.lv_weight
        ) as lv_from
    from lv_moments as m
    join lv_events as e on e.lv_ssn <= m.lv_upto{{ " and " ~ _same_keys(keys, 'e', 'm') if keys else "" }}
),
lv_sides as (
    {{ _net_effect(columns, keys) | indent(4) }}, lv_at, lv_weight
    from lv_seen
    where lv_from is null or lv_ssn >= lv_from
    group by {{ by_key }}lv_at, lv_weight
    {%- if keys %}
    having sum(lv_count) <> 0
    {%- endif %}
)
{%- endmacro %}
