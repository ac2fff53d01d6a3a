{#- Put windows of view deltas together: those that ended after `since`, up to `until`; only their net effect stays (B 5). -#}
{% macro compress(models, since=none, until=none) %}
    {% if execute %}
        {% for view in adapter.lazy_views_named(models) %}
            {% do log(view.schema ~ '.' ~ view.alias ~ ': ' ~ adapter.compress_view_delta(view, since, until), info=true) %}
        {% endfor %}
    {% endif %}
{% endmacro %}
