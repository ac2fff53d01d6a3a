{#-
  Print how a lazy view is maintained: of a model that is built with the SQL that a refresh would run now, of one that is
  not, or of a query given as text, without.
-#}
{% macro explain(model=none, sql=none) %}
    {% if execute %}
        {% if (model is none) == (sql is none) %}
            {% do exceptions.raise_compiler_error("explain wants a model or a query: --args '{model: name}' or --args '{sql: select ...}'.") %}
        {% endif %}
        {% do log(explained(model, sql), info=true) %}
    {% endif %}
{% endmacro %}

{% macro explained(model, sql) %}
    {% if sql is not none %}
        {{ return(adapter.explain_query(sql)) }}
    {% endif %}
    {% set view = adapter.lazy_views_named([model]) | first %}
    {{ return(adapter.explain_lazy_view(view) or adapter.explain_query(render(view.raw_code), view)) }}
{% endmacro %}
