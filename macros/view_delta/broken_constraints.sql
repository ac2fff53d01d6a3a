{#-
  Before a window is appended: how many rows of the view would break each condition of its contract once the window is
  folded in, and one of them. Only keys in the change are looked at; the others were, when they got their values.
-#}
{% macro broken_constraints(plan, read, conditions) -%}
{%- set columns = plan.layout.columns | map(attribute='quoted') | join(', ') -%}
{{ with_steps(plan.steps) }}
select
{%- for condition in conditions %}
    count_if({{ _is_broken(condition) }}) as `broken_{{ loop.index0 }}`,
    any_value(to_json(struct({{ columns }}))) filter (where {{ _is_broken(condition) }}) as `such_as_{{ loop.index0 }}`{{ "," if not loop.last else "" }}
{%- endfor %}
from (
    {{ _rows_after(plan, read) | indent(4) }}
) as rows_after
{%- endmacro %}

{#- As Delta looks at it: a condition that is not true is broken, also where it is NULL. -#}
{% macro _is_broken(condition) -%}
not coalesce(({{ condition }}), false)
{%- endmacro %}

{#- The rows of the keys in a change, once it is folded in. -#}
{% macro _rows_after(plan, read) -%}
{%- set layout = plan.layout -%}
{%- set columns = layout.columns | map(attribute='quoted') | join(', ') -%}
{%- set keys = layout.keys | map(attribute='quoted') | list -%}
{%- if plan.mode == 'replace' -%}
select {{ columns }} from `{{ plan.change }}`{{ " where lv_count <> 0" if keys else "" }}
{%- else -%}
{{ _net_effect(layout.columns, keys) }}
from (
    select {{ columns }} from {{ _rows_of_state(layout, read) | indent(4) }} as t
    {%- if keys %}
    where exists (select 1 from `{{ plan.change }}` as k where {{ _same_keys(keys, 't', 'k') }})
    {%- endif %}
    union all
    select {{ columns }} from `{{ plan.change }}`
) as rows_of_both
{%- if keys %}
group by {{ keys | join(', ') }}
having sum(lv_count) <> 0
{%- endif %}
{%- endif -%}
{%- endmacro %}

{% macro _rows_of_state(layout, read) -%}
{%- set state = pinned_state(read.relation, read.version) -%}
{{ folded_relation(state, layout.columns, read.unapplied) if read.unapplied else state }}
{%- endmacro %}
