{#- Append what happened to a lazy view since the last time to a table for others: insert, update_preimage, update_postimage, delete. -#}
{% macro export_changes(model, table) %}
    {% if execute %}
        {% set view = adapter.lazy_views_named([model]) | first %}
        {% do log(adapter.export_changes_of_lazy_view(view, table), info=true) %}
    {% endif %}
{% endmacro %}
