{#- How many hours VACUUM has to retain on each source so that no lazy view is cut off; for use before a VACUUM job. -#}
{% macro vacuum_guard(format='table') %}
    {% if execute %}
        {% do print(adapter.vacuum_guards(format)) %}
    {% endif %}
{% endmacro %}
