{#- Delete the windows of a view delta that nobody needs: all but those of some epochs after a window, and some points. -#}
{% macro prune_view_delta(delta, kept, points) -%}
delete from {{ delta }}
where not {{ _is_needed(kept, points) }}
{%- endmacro %}

{% macro count_prunable(delta, kept, points) -%}
select count(*) as `rows` from {{ delta }}
where not {{ _is_needed(kept, points) }}
{%- endmacro %}

{% macro _is_needed(kept, points) -%}
(
    {%- for epoch, after in kept.items() %}{{ " or " if not loop.first else "" }}(lv_epoch = {{ text_literal(epoch) }} and lv_ssn > {{ after }}){% endfor %}
    {%- for point in points %} or lv_epoch = {{ text_literal(point) }}{% endfor %})
{%- endmacro %}
