{#- The least and the greatest key in the changes, for each range of keys that may be bounded. -#}
{% macro key_bounds(ranges) -%}
{%- for range in ranges %}
select {{ loop.index0 }} as number, cast(min(k) as string) as low, cast(max(k) as string) as high
from (
    {%- for each in range.deltas %}
    select {{ each.quoted }} as k
    from (
        {{ delta_capture(each.delta.source, each.delta.window) | indent(8) }}
    ) as changes
    {{ "union all" if not loop.last else "" }}
    {%- endfor %}
) as keys
{{ "union all" if not loop.last else "" }}
{%- endfor %}
{%- endmacro %}
