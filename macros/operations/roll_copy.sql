{#- Bring a copy of a lazy view, fed by its view delta, to a moment: yesterday's close, last month's books (B 1.2). -#}
{% macro roll_copy(model, copy, as_of=none) %}
    {% if execute %}
        {% set view = adapter.lazy_views_named([model]) | first %}
        {% do log(adapter.roll_copy_of_lazy_view(view, copy, as_of), info=true) %}
    {% endif %}
{% endmacro %}
