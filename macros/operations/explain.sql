{#- Print the tree of a lazy view, the rules chosen, and the SQL a refresh would run now. -#}
{% macro explain(model) %}
    {% if execute %}
        {% for view in adapter.lazy_views_named([model]) %}
            {% do log(adapter.explain_lazy_view(view), info=true) %}
        {% endfor %}
    {% endif %}
{% endmacro %}
