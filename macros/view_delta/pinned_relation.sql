{#- What somebody may read FROM and JOIN: a table at a version, a query. -#}
{% macro pinned_relation(relation, version) -%}
(select * from {{ relation }} version as of {{ version }})
{%- endmacro %}

{% macro relation_of_query(query) -%}
(
    {{ query | indent(4) }}
)
{%- endmacro %}
