{#- An exported change table: what happened to a view's rows, for others. -#}
{% macro append_changes(export, names, changes) -%}
insert into {{ export }} ({{ names | join(', ') }}, `lv_change_type`, `lv_window`, `lv_commit_time`)
{{ changes }}
{%- endmacro %}

{#- An exported change table begins with all rows of the view as inserts. -#}
{% macro create_export(export, names, public, window, properties) -%}
create or replace table {{ export }}
using delta
tblproperties ({{ properties_list(properties) }})
as
select {{ names | join(', ') }}, 'insert' as `lv_change_type`, cast({{ window.ssn }} as bigint) as `lv_window`, timestamp_millis({{ window.time }}) as `lv_commit_time`
from (
    {{ public | indent(4) }}
) as all_rows
{%- endmacro %}

{#- Where a view was computed anew, windows do not lead from what was exported to what it is now: the difference does. -#}
{% macro append_difference(export, version, names, public, window, pairs) -%}
{%- set list = names | join(', ') -%}
insert into {{ export }} ({{ list }}, `lv_change_type`, `lv_window`, `lv_commit_time`)
with lv_net as (
    select {{ list }}, sum(lv_weight) as lv_weight
    from (
        select {{ list }}, 1 as lv_weight from (
            {{ public | indent(12) }}
        ) as all_rows
        union all
        select {{ list }}, if(`lv_change_type` in ('insert', 'update_postimage'), -1, 1) as lv_weight from {{ pinned_state(export, version) }}
    ) as both_sides
    group by {{ list }}
    having sum(lv_weight) <> 0
),
lv_paired as (
    select *,
        {%- if pairs %}
        min(lv_weight) over (partition by {{ pairs | join(', ') }}) < 0 as lv_was,
        max(lv_weight) over (partition by {{ pairs | join(', ') }}) > 0 as lv_is
        {%- else %}
        false as lv_was, false as lv_is
        {%- endif %}
    from lv_net
)
select {{ list }},
    case when lv_weight > 0 then if(lv_was, 'update_postimage', 'insert') else if(lv_is, 'update_preimage', 'delete') end as `lv_change_type`,
    cast({{ window.ssn }} as bigint) as `lv_window`, timestamp_millis({{ window.time }}) as `lv_commit_time`
from lv_paired
lateral view explode(sequence(1, cast(abs(lv_weight) as int))) lv_copies as lv_copy
{%- endmacro %}
