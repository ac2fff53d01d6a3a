{#- Columns of a relation; dbt-spark prints it as the query that `--empty` and `--sample` make of it. -#}
{% macro lazyview__get_columns_in_relation_raw(relation) -%}
    {% call statement('get_columns_in_relation_raw', fetch_result=True) %}
        describe extended {{ relation.render() }}
    {% endcall %}
    {% do return(load_result('get_columns_in_relation_raw').table) %}
{%- endmacro %}

{#- dbt's snapshots read the names of columns; dbt-spark gives them rows of DESCRIBE, whose names are undefined. -#}
{% macro lazyview__get_columns_in_relation(relation) %}
    {% do return(adapter.get_columns_in_relation(relation)) %}
{% endmacro %}

{#- Of the table, also with `--empty`. -#}
{% macro lazyview__alter_column_type(relation, column_name, new_column_type) %}
    {% call statement('alter_column_type') %}
        alter table {{ relation.render() }} alter column {{ adapter.quote(column_name) }} type {{ new_column_type }}
    {% endcall %}
{% endmacro %}

{#- Delta makes no column of a table NOT NULL afterwards, which is what dbt-spark asks for: it is checked instead. -#}
{% macro lazyview__alter_column_set_constraints(relation, column_dict) %}
    {% for name, column in column_dict.items() %}
        {% for constraint in column['constraints'] %}
            {% if constraint.type == 'not_null' %}
                {% call statement() %}
                    {{ add_constraint(relation.render(), adapter.quote(name ~ '_not_null'), adapter.quote(name) ~ ' is not null') }}
                {% endcall %}
            {% else %}
                {% do exceptions.warn('Invalid constraint for column ' ~ name ~ '. Only `not_null` is supported.') %}
            {% endif %}
        {% endfor %}
    {% endfor %}
{% endmacro %}

{#- New columns of a snapshot. Those by which dbt joins several keys are none of them; dbt-spark knows that of one key. -#}
{% macro lazyview__create_columns(relation, columns) %}
    {% set keys = config.get('unique_key') %}
    {% set joined = [] %}
    {% for key in ([] if keys is string else keys or []) %}{% do joined.append('dbt_unique_key_' ~ loop.index) %}{% endfor %}
    {% do spark__create_columns(relation, columns | rejectattr('name', 'in', joined) | list) %}
{% endmacro %}
