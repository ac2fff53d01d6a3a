{#- Delete the windows of view deltas that no view, copy or export needs. -#}
{% macro prune(models=none) %}
    {% if execute %}
        {% for view in adapter.lazy_views_with_deltas(models) %}
            {% do log(view.schema ~ '.' ~ view.alias ~ ': ' ~ adapter.prune_view_delta(view), info=true) %}
        {% endfor %}
    {% endif %}
{% endmacro %}
