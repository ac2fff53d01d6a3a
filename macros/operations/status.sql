{#- What is pending for each lazy view, and what was done to it last: a table for people, JSON for programs. -#}
{% macro status(models=none, format='table') %}
    {% if execute %}
        {% do print(adapter.lazy_view_status(adapter.lazy_views_named(models), format)) %}
    {% endif %}
{% endmacro %}
