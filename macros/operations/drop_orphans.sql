{#-
  States whose models left the project, and copies of sources that no lazy view reads any more: which, of what size, and
  the statements that remove them. Only with apply: true are they run, and only for models of this project: others may share a schema with it. A state built by an older
  release does not tell its model; it is dropped where it is named.
-#}
{% macro drop_orphans(apply=false, states=[]) %}
    {% if execute %}
        {% set failed = [] %}
        {% set found = adapter.orphaned_states() %}
        {% for each in found %}
            {% set name = each.table[1:] | join('.') %}
            {% set is_chosen = each.is_ours or name in states %}
            {% do log(name ~ ': ' ~ each.whose ~ ', ' ~ each.bytes ~ ' bytes' ~ ('' if is_chosen else ', stays: not of this project unless you name it in states'), info=true) %}
            {% do log('  ' ~ each.statements | join('\n  '), info=true) if is_chosen %}
            {% set problem = adapter.drop_orphan(each) if apply and is_chosen else '' %}
            {% do log('  ' ~ (problem or 'dropped'), info=true) if apply and is_chosen %}
            {% do failed.append(name) if problem %}
        {% endfor %}
        {% if not found %}
            {% do log('No state without its model, and no copy that nobody reads.', info=true) %}
        {% elif not apply %}
            {% set named = ', states: [' ~ states | join(', ') ~ ']' if states else '' %}
            {% do log('Nothing was dropped. To run these statements: dbt run-operation drop_orphans --args "{apply: true' ~ named ~ '}"', info=true) %}
        {% endif %}
        {% if failed %}
            {% do exceptions.raise_compiler_error('Not dropped: ' ~ failed | join(', ')) %}
        {% endif %}
    {% endif %}
{% endmacro %}
