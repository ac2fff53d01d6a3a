{#-
  Run the statements of one batch in macros/changes/, as the shop's own programs would:
      dbt run-operation apply_changes --args '{batch: busy_day}'
-#}
{% macro apply_changes(batch) %}
    {% for statement in context[batch]().split(';') if statement.strip() %}
        {% do run_query(statement) %}
    {% endfor %}
{% endmacro %}
