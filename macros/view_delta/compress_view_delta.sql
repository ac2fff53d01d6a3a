{#-
  Compress (B 5): the windows of a range become one, their net effect, at the end of the range. A moment inside the range
  can no longer be told from another one.
-#}
{% macro compress_view_delta(layout, delta, unapplied, window) -%}
insert into {{ delta }} replace where lv_epoch = {{ text_literal(unapplied.epoch) }} and lv_ssn > {{ unapplied.after }} and lv_ssn <= {{ unapplied.upto }}
{{ compressed_windows(layout, unapplied, window) }}
{%- endmacro %}

{% macro compressed_windows(layout, unapplied, window) -%}
{%- set columns = layout.columns | map(attribute='quoted') | join(', ') -%}
select {{ columns }}, {{ _window_values(window) }}, lv_replaces, cast(null as string) as lv_record
from (
    {{ net_effect(layout.columns, unapplied) | indent(4) }}
) as net
{%- if layout.values | length == 1 and layout.keys %}
where lv_replaces or lv_count <> 0
{%- endif %}
union all
{{ end_of_window(layout, window) }}
{%- endmacro %}
