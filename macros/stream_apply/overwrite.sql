{#-
  Stream-apply by overwriting a small state with itself and the change combined. The state is read at the version that
  was loaded, so the result is that of one refresh whatever happens meanwhile.
-#}
{% macro stream_apply_overwrite(plan, state, state_version) %}
    {{ return(adapter.dispatch('stream_apply_overwrite', 'dbt')(plan, state, state_version)) }}
{% endmacro %}

{% macro default__stream_apply_overwrite(plan, state, state_version) -%}
{%- set layout = plan.layout -%}
{%- set columns = layout.columns | map(attribute='quoted') | join(', ') -%}
insert overwrite {{ state }} ({{ columns }})
{{ with_steps(plan.steps) }}
{%- if plan.mode == 'add' %}
select
{%- for column in layout.columns %}
    {{ column.quoted if column.is_key else column.combined ~ " as " ~ column.quoted }}{{ "," if not loop.last else "" }}
{%- endfor %}
from (
    select {{ columns }} from {{ state }} version as of {{ state_version }}
    union all
    select {{ columns }} from `{{ plan.change }}`
) as rows_of_both
{%- if layout.keys %}
group by {{ layout.keys | map(attribute='quoted') | join(', ') }}
having sum(lv_count) <> 0
{%- endif %}
{%- elif layout.keys %}
select {{ columns }}
from (
    select *, max(lv_is_change) over (partition by {{ layout.keys | map(attribute='quoted') | join(', ') }}) as lv_newest
    from (
        select {{ columns }}, 0 as lv_is_change from {{ state }} version as of {{ state_version }}
        union all
        select {{ columns }}, 1 as lv_is_change from `{{ plan.change }}`
    ) as rows_of_both
) as newest
where lv_is_change = lv_newest and lv_count <> 0
{%- else %}
select {{ columns }} from `{{ plan.change }}`
{%- endif %}
{%- endmacro %}
