{#-
  A Delta seed is replaced, not dropped: its history goes on, so that views over it see what changed
  between the old rows and the new ones.
-#}
{% macro lazyview__reset_csv_table(model, full_refresh, old_relation, agate_table) %}
    {% if not (old_relation.is_delta and config.get('file_format') == 'delta') %}
        {% do adapter.drop_relation(old_relation) %}
    {% endif %}
    {% do return(create_csv_table(model, agate_table)) %}
{% endmacro %}

{% macro lazyview__create_csv_table(model, agate_table) %}
    {% set sql -%}
        create {{ 'or replace' if config.get('file_format') == 'delta' }} table {{ this.render() }} (
            {{ _seed_columns(model, agate_table) | indent(12) }}
        )
        {{ file_format_clause() }}
        {{ tblproperties_clause() }}
        {{ partition_cols(label="partitioned by") }}
        {{ clustered_cols(label="clustered by") }}
        {{ location_clause() }}
        {{ comment_clause() }}
    {%- endset %}
    {% call statement('_') %}{{ sql }}{% endcall %}
    {% do return(sql) %}
{% endmacro %}

{% macro _seed_columns(model, agate_table) -%}
    {%- set types = model['config'].get('column_types', {}) -%}
    {%- set quoting = model['config'].get('quote_columns', none) -%}
    {%- for name in agate_table.column_names -%}
        {{ adapter.quote_seed_column(name | string, quoting) }} {{ types.get(name, adapter.convert_type(agate_table, loop.index0)) }}
        {{- ',\n' if not loop.last }}
    {%- endfor -%}
{%- endmacro %}

{#- Types are told once for each column: dbt-spark asks for them with every row, and looks at all rows each time. -#}
{% macro lazyview__load_csv_rows(model, agate_table) %}
    {% set row = '(' ~ _seed_casts(model, agate_table) | join(', ') ~ ')' %}
    {% set statements = [] %}
    {% for chunk in agate_table.rows | batch(get_batch_size()) %}
        {% set bindings = [] %}
        {% for values in chunk %}{% do bindings.extend(values) %}{% endfor %}
        {% set sql = 'insert into ' ~ this.render() ~ ' values ' ~ ([row] * (chunk | length)) | join(', ') %}
        {% do adapter.add_query(sql, bindings=bindings, abridge_sql_log=True) %}
        {% do statements.append(sql) if not statements %}
    {% endfor %}
    {% do return(statements[0] if statements else '') %}
{% endmacro %}

{% macro _seed_casts(model, agate_table) %}
    {% set types, casts = model['config'].get('column_types', {}), [] %}
    {% for name in agate_table.column_names %}
        {% set type = types.get(name, adapter.convert_type(agate_table, loop.index0)) %}
        {% do casts.append('cast(' ~ get_binding_char() ~ ' as ' ~ type ~ ')') %}
    {% endfor %}
    {% do return(casts) %}
{% endmacro %}
