{#-
  Show that every lazy view equals its query, row by row and in both directions:
      dbt run-operation compare
-#}
{% macro compare() %}
    {% if execute %}
        {% set different = [] %}
        {% for model in graph.nodes.values() if model.config.materialized == 'lazy_view' %}
            {% set found = run_query(_differences(ref(model.name), render(model.raw_code))).rows[0] %}
            {% do log(model.name ~ ': ' ~ found['rows'] ~ ' rows, ' ~ found['missing'] ~ ' missing, ' ~ found['extra'] ~ ' extra', info=true) %}
            {% do different.append(model.name) if found['missing'] + found['extra'] > 0 %}
        {% endfor %}
        {% if different %}
            {% do exceptions.raise_compiler_error('Not equal to their query: ' ~ different | join(', ')) %}
        {% endif %}
    {% endif %}
{% endmacro %}

{% macro _differences(view, query) %}
with in_view as (select * from {{ view }}),
in_query as (
{{ query }}
)
select
    (select count(*) from in_view) as rows,
    (select count(*) from (select * from in_query except all select * from in_view)) as missing,
    (select count(*) from (select * from in_view except all select * from in_query)) as extra
{% endmacro %}
