{#-
  The signed changes of a source in the window (after, upto], one row per change, from the change data feed; in parts
  where Delta does not read it in one go, and from the rows at both ends where there is no feed.
  Always by path: `table_changes` beside a plain read of the same table returns wrong rows. An open window, of a live
  read, has no end; its feed begins with the last version seen, because Delta refuses to begin after the newest one.
-#}
{% macro delta_capture(source, window) %}
    {{ return(adapter.dispatch('delta_capture', 'dbt')(source, window)) }}
{% endmacro %}

{% macro default__delta_capture(source, window) -%}
{%- if window.by_diff -%}
{{ _versions_compared(source, window) }}
{%- else -%}
{%- for feed in window.feeds -%}
select
    {{ source.quoted_columns | join(', ') }},
    case when `_change_type` in ('insert', 'update_postimage') then 1 else -1 end as lv_weight
from table_changes_by_path({{ text_literal(window.location) }}, {{ feed.first }}{{ "" if feed.last is none else ", " ~ feed.last }})
{{- "\nwhere `_commit_version` > " ~ window.after if window.is_open else "" }}
{{- "\nunion all\n" if not loop.last else "" }}
{%- endfor -%}
{%- endif -%}
{%- endmacro %}

{#- All rows at the end of the window come, all rows at its beginning go; condensing leaves the difference. -#}
{% macro _versions_compared(source, window) -%}
{%- set columns = source.quoted_columns | join(', ') -%}
select {{ columns }}, 1 as lv_weight from {{ source.sql }} version as of {{ window.upto }}
union all
select {{ columns }}, -1 as lv_weight from {{ source.sql }} version as of {{ window.after }}
{%- endmacro %}
