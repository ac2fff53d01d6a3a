{#-
  Apply (B 4): fold the net effect of some windows of a view delta into the state, in one commit. Both tables are read at
  the versions that were loaded, so the result is the same whatever happens meanwhile.
-#}
{% macro apply_view_delta(state, version, layout, unapplied, strategy) -%}
{%- if strategy == 'overwrite' -%}
{{ _applied_by_overwrite(state, version, layout, unapplied) }}
{%- else -%}
{{ _applied_by_merge(state, layout, unapplied) }}
{%- endif -%}
{%- endmacro %}

{% macro _applied_by_overwrite(state, version, layout, unapplied) -%}
insert overwrite {{ state }} ({{ layout.columns | map(attribute='quoted') | join(', ') }})
{{ folded_state(pinned_state(state, version), layout.columns, unapplied) }}
{%- endmacro %}

{% macro _applied_by_merge(state, layout, unapplied) -%}
merge into {{ state }} as t
using (
    {{ net_effect(layout.columns, unapplied) | indent(4) }}
) as d
on {{ _same_keys(layout.keys | map(attribute='quoted') | list, 't', 'd') }}
when matched and case when d.lv_replaces then d.lv_count else t.lv_count + d.lv_count end = 0 then delete
when matched and d.lv_replaces then update set
{%- for column in layout.values %}
    {{ column.quoted }} = d.{{ column.quoted }}{{ "," if not loop.last else "" }}
{%- endfor %}
when matched then update set
{%- for column in layout.values %}
    {{ column.quoted }} = {{ column.merged or "d." ~ column.quoted }}{{ "," if not loop.last else "" }}
{%- endfor %}
when not matched and d.lv_count <> 0 then insert ({{ layout.columns | map(attribute='quoted') | join(', ') }})
values ({% for column in layout.columns %}d.{{ column.quoted }}{{ ", " if not loop.last else "" }}{% endfor %})
{%- endmacro %}
