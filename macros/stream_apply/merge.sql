{#-
  Stream-apply by MERGE: the rows whose keys are in the change. Keys match null-safe. A row whose count falls to zero
  goes; a view without keys has one row, which stays. A change of few rows is broadcast instead of the state shuffled,
  and where it has few values of a key, rows with others are left out before Delta shuffles what is left.
-#}
{% macro stream_apply_merge(plan, state, is_few=false) %}
    {{ return(adapter.dispatch('stream_apply_merge', 'dbt')(plan, state, is_few)) }}
{% endmacro %}

{% macro default__stream_apply_merge(plan, state, is_few) -%}
{%- set layout = plan.layout -%}
{%- set adds = plan.mode == 'add' -%}
merge into {{ state }} as t
using (
    {{ with_steps(plan.steps) | indent(4) }}
    select {{ "/*+ broadcast(`" ~ plan.change ~ "`) */ " if is_few else "" }}* from `{{ plan.change }}`
) as d
on {% for key in layout.keys %}{{ "and " if not loop.first else "" }}t.{{ key.quoted }} <=> d.{{ key.quoted }} {% else %}true{% endfor %}
{%- for bound in plan.bounds %}
    and {{ within_bounds("t." ~ bound.quoted, bound) }}
{%- endfor %}
{%- if plan.among and plan.among.values %}
    and (t.{{ plan.among.quoted }} in ({{ plan.among.values | join('L, ') }}L) or t.{{ plan.among.quoted }} is null)
{%- endif %}
{%- if not layout.is_global %}
when matched and {{ "t.lv_count + d.lv_count" if adds else "d.lv_count" }} = 0 then delete
{%- endif %}
when matched then update set
{%- for column in layout.values %}
    {{ column.quoted }} = {{ column.merged if adds else "d." ~ column.quoted }}{{ "," if not loop.last else "" }}
{%- endfor %}
when not matched and d.lv_count <> 0 then insert ({{ layout.columns | map(attribute='quoted') | join(', ') }})
values ({% for column in layout.columns %}d.{{ column.quoted }}{{ ", " if not loop.last else "" }}{% endfor %})
{%- endmacro %}
