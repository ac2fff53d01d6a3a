{#- Delete the windows of a view delta that nobody needs: all but those of one epoch after a window, and some points. -#}
{% macro prune_view_delta(delta, epoch, after, points) -%}
delete from {{ delta }}
where not ((lv_epoch = {{ text_literal(epoch) }} and lv_ssn > {{ after }})
    {%- for point in points %} or lv_epoch = {{ text_literal(point) }}{% endfor %})
{%- endmacro %}

{% macro count_prunable(delta, epoch, after, points) -%}
select count(*) as `rows` from {{ delta }}
where not ((lv_epoch = {{ text_literal(epoch) }} and lv_ssn > {{ after }})
    {%- for point in points %} or lv_epoch = {{ text_literal(point) }}{% endfor %})
{%- endmacro %}
