{#- What the history of each lazy view suggests to change: policy, refresh mode, layout; and why. -#}
{% macro advise(models=none) %}
    {% if execute %}
        {% for view in adapter.lazy_views_named(models) %}
            {% for advice in adapter.advice_for_lazy_view(view) %}
                {% do log(view.schema ~ '.' ~ view.alias ~ ': ' ~ advice.what ~ '\n  because ' ~ advice.why, info=true) %}
            {% else %}
                {% do log(view.schema ~ '.' ~ view.alias ~ ': nothing to change', info=true) %}
            {% endfor %}
        {% endfor %}
    {% endif %}
{% endmacro %}
