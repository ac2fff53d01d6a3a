{#-
  The newest time at which several lazy views and tables are mutually consistent (B 6), and relations pinned there:
  `at.relations['a']` stands in a FROM. Names are those of lazy views of the project, or `schema.table`. In a model, the
  views have to be its parents by `depends_on` comments or refs, as with every other reading.
-#}
{% macro lazy_view_consistent(names, bring=false) %}
    {% if not execute %}
        {{ return({'since': none, 'until': none, 'relations': {}}) }}
    {% endif %}
    {% set found = adapter.consistent_lazy_views(names, bring) %}
    {% if flags.WHICH == 'run-operation' %}
        {% do log('consistent from ' ~ found.since ~ ' until ' ~ (found.until or 'now'), info=true) %}
        {% for name, relation in found.relations.items() %}
            {% do log(name ~ ': ' ~ relation, info=true) %}
        {% endfor %}
    {% endif %}
    {{ return(found) }}
{% endmacro %}
