{#- A commit without rows, for the record it carries: an empty MERGE commits when it names a transaction (and writes no file). -#}
{% macro advance_record(state) -%}
merge into {{ state }} as t
using (select 1 as nothing where false) as d
on false
when matched then delete
{%- endmacro %}

{% macro pinned_state(state, version) -%}
{{ state }} version as of {{ version }}
{%- endmacro %}

{% macro drop_table(relation) -%}
drop table if exists {{ relation }}
{%- endmacro %}
