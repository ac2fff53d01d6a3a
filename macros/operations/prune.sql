{#- Delete what nobody needs: windows of view deltas, and files of older versions of states. -#}
{% macro prune(models=none) %}
    {% if execute %}
        {% for view in adapter.lazy_views_with_deltas(models) %}
            {% do log(view.schema ~ '.' ~ view.alias ~ ': ' ~ adapter.prune_view_delta(view), info=true) %}
        {% endfor %}
        {% for view in adapter.lazy_views_named(models) %}
            {% do log(view.schema ~ '.' ~ view.alias ~ ': ' ~ adapter.prune_state_history(view), info=true) %}
        {% endfor %}
    {% endif %}
{% endmacro %}
