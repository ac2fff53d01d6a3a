{#-
  Stream-apply by rewriting the files that may hold changed rows: a query that gives their rows as they are now, and
  beside them, by `_change_type`, what its change feed shows of each row that changed. `stored` are the rows of these
  files. A row that is not in the change is given as it is stored, never computed again; those beyond the bounds of the
  change's keys are not even held against it.
-#}
{% macro stream_apply_rewrite(plan, stored) %}
    {{ return(adapter.dispatch('stream_apply_rewrite', 'dbt')(plan, stored)) }}
{% endmacro %}

{% macro default__stream_apply_rewrite(plan, stored) -%}
{%- set layout = plan.layout -%}
{%- set columns = layout.columns | map(attribute='quoted') | join(', ') -%}
{{ with_steps(plan.steps) }}
select
{%- for key in layout.keys %}
    {{ key.quoted }},
{%- endfor %}
{%- for column in layout.values %}
    case when lv_is_touched = 0 or lv_told in ('update_preimage', 'delete') then lv_before_{{ loop.index }} else lv_after_{{ loop.index }} end as {{ column.quoted }},
{%- endfor %}
    lv_told as `_change_type`
from (
    select
{%- for key in layout.keys %}
        {{ key.quoted }},
{%- endfor %}
{%- for column in layout.values %}
        any_value({{ column.quoted }}) filter (where lv_is_change = 0) as lv_before_{{ loop.index }},
        {{ column.combined if plan.mode == 'add' else "any_value(" ~ column.quoted ~ ") filter (where lv_is_change = 1)" }} as lv_after_{{ loop.index }},
{%- endfor %}
        {{ "sum(lv_count)" if plan.mode == 'add' else "coalesce(max(lv_count) filter (where lv_is_change = 1), 0)" }} as lv_left,
        min(lv_is_change) as lv_is_new,
        max(lv_is_change) as lv_is_touched
    from (
        select {{ columns }}, 0 as lv_is_change from {{ stored }}
        {%- for bound in plan.bounds %}
        {{ "where" if loop.first else "and" }} {{ within_bounds(bound.quoted, bound) }}
        {%- endfor %}
        union all
        select {{ columns }}, 1 as lv_is_change from `{{ plan.change }}`
    ) as rows_of_both
    {%- if layout.keys %}
    group by {{ layout.keys | map(attribute='quoted') | join(', ') }}
    {%- endif %}
) as before_and_after
lateral view explode(
    case
        when lv_is_touched = 0 then array(cast(null as string))
        when lv_is_new = 1 then array(cast(null as string), 'insert')
        {%- if layout.keys %}
        when lv_left = 0 then array('delete')
        {%- endif %}
        else array(cast(null as string), 'update_preimage', 'update_postimage')
    end
) lv_what as lv_told
{%- if layout.keys %}
where lv_is_new = 0 or lv_left <> 0
{%- endif %}
{%- if plan.bounds %}
union all
select {{ columns }}, cast(null as string) as `_change_type`
from {{ stored }}
where ({% for bound in plan.bounds %}{{ "and " if not loop.first else "" }}{{ within_bounds(bound.quoted, bound) }}{{ " " if not loop.last else "" }}{% endfor %}) is not true
{%- endif %}
{%- endmacro %}
