{#-
  Propagate (B 1.1): append a view's own change to its view delta, and leave the state alone. The last row ends the window:
  it carries the record, which so outlives the history of the table (B 4.5, a commit record in the delta table).
-#}
{% macro append_view_delta(plan, delta, window) %}
    {{ return(adapter.dispatch('append_view_delta', 'dbt')(plan, delta, window)) }}
{% endmacro %}

{% macro default__append_view_delta(plan, delta, window) -%}
{%- set columns = plan.layout.columns | map(attribute='quoted') | join(', ') -%}
insert into {{ delta }} ({{ columns }}, {{ _window_columns() }})
{{ with_steps(plan.steps) }}
select {{ columns }}, {{ _window_values(window) }}, {{ "true" if plan.mode == 'replace' else "false" }} as lv_replaces, cast(null as string) as lv_record
from `{{ plan.change }}`
union all
{{ end_of_window(plan.layout, window) }}
{%- endmacro %}

{#- The row that ends a window. -#}
{% macro end_of_window(layout, window) -%}
select {% for column in layout.columns %}null, {% endfor %}{{ _window_values(window) }}, null, {{ text_literal(window.record) }}
{%- endmacro %}

{% macro _window_columns() -%}
lv_ssn, lv_time, lv_epoch, lv_replaces, lv_record
{%- endmacro %}

{% macro _window_values(window) -%}
cast({{ window.ssn }} as bigint) as lv_ssn, timestamp_millis({{ window.time }}) as lv_time, {{ text_literal(window.epoch) }} as lv_epoch
{%- endmacro %}

{#- A window without changes: only the row that ends it. -#}
{% macro append_empty_window(layout, delta, window) -%}
insert into {{ delta }} ({{ layout.columns | map(attribute='quoted') | join(', ') }}, {{ _window_columns() }})
{{ end_of_window(layout, window) }}
{%- endmacro %}

{#- The table of a view delta: the columns of the state, and those of windows. -#}
{% macro create_view_delta(delta, columns, properties, replaces) -%}
create {{ "or replace table" if replaces else "table if not exists" }} {{ delta }} (
{%- for column in columns %}
    {{ column.quoted }} {{ column.type }},
{%- endfor %}
    lv_ssn bigint, lv_time timestamp, lv_epoch string, lv_replaces boolean, lv_record string
)
using delta
tblproperties ({{ properties_list(properties) }})
{%- endmacro %}
