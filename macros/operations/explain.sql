{#-
  Print how a lazy view is maintained: of a model that is built with the SQL that a refresh would run now, of one that is
  not, or of a query given as text, without.
-#}
{% macro explain(model=none, sql=none) %}
    {% if execute %}
        {% if (model is none) == (sql is none) %}
            {% do exceptions.raise_compiler_error("explain wants a model or a query: --args '{model: name}' or --args '{sql: select ...}'.") %}
        {% elif sql is not none %}
            {% do log(adapter.explain_query(sql), info=true) %}
        {% else %}
            {% for view in adapter.lazy_views_named([model]) %}
                {% do log(adapter.explain_lazy_view(view) or adapter.explain_query(render(view.raw_code)), info=true) %}
            {% endfor %}
        {% endif %}
    {% endif %}
{% endmacro %}
