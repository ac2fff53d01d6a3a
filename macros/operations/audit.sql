{#- Why a number changed between two times: what each window did to the rows of a group, and the rows of the sources behind it. -#}
{% macro audit(model, group, since=none, until=none) %}
    {% if execute %}
        {% set view = adapter.lazy_views_named([model]) | first %}
        {% do print(adapter.audit_lazy_view(view, group, since, until)) %}
    {% endif %}
{% endmacro %}
