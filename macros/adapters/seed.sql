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
