{#-
  The signed changes of a source in the window (after, upto], one row per change, from the change data feed.
  Always by path: `table_changes` beside a plain read of the same table returns wrong rows. An open window, of a live
  read, has no end; its feed begins with the last version seen, because Delta refuses to begin after the newest one.
-#}
{% macro delta_capture(source, window) %}
    {{ return(adapter.dispatch('delta_capture', 'dbt')(source, window)) }}
{% endmacro %}

{% macro default__delta_capture(source, window) -%}
select
    {{ source.quoted_columns | join(', ') }},
    case when `_change_type` in ('insert', 'update_postimage') then 1 else -1 end as lv_weight
from table_changes_by_path('{{ window.location | replace("\\", "\\\\") | replace("'", "\\'") }}', {{ window.first }}{{ "" if window.is_open else ", " ~ window.upto }})
{{- "\nwhere `_commit_version` > " ~ window.after if window.is_open else "" }}
{%- endmacro %}
