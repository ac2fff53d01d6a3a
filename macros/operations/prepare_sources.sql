{#-
  Which tables under lazy views lack a change data feed, or keep their changes for fewer days than wanted: what, whose
  table it is, and the statement that mends it. Only with apply: true is anything changed.
-#}
{% macro prepare_sources(apply=false, days=7) %}
    {% if execute %}
        {% set failed = [] %}
        {% set found = adapter.sources_to_prepare(days) %}
        {% for each in found %}
            {% do log(each.relation ~ ': ' ~ each.lacks ~ ' (owner: ' ~ each.owner ~ ')\n  ' ~ each.statement, info=true) %}
            {% set problem = adapter.prepare_source(each) if apply else '' %}
            {% do log('  ' ~ (problem or 'done'), info=true) if apply %}
            {% do failed.append(each.relation) if problem %}
        {% endfor %}
        {% if not found %}
            {% do log('Every source of a lazy view is prepared.', info=true) %}
        {% elif not apply %}
            {% set wanted = '' if days == 7 else ', days: ' ~ days %}
            {% do log('Nothing was changed. To run these statements: dbt run-operation prepare_sources --args "{apply: true' ~ wanted ~ '}"', info=true) %}
        {% endif %}
        {% if failed %}
            {% do exceptions.raise_compiler_error('Not prepared: ' ~ failed | join(', ')) %}
        {% endif %}
    {% endif %}
{% endmacro %}
