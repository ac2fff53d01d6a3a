{#- Relations of a schema; dbt-spark leaves the schema's name unquoted. -#}
{% macro lazyview__list_relations_without_caching(schema_relation) %}
    {% call statement('list_relations_without_caching', fetch_result=True) -%}
        show table extended in {{ adapter.quote(schema_relation.schema) }} like '*'
    {%- endcall %}
    {% do return(load_result('list_relations_without_caching').table) %}
{% endmacro %}
