{#- What the engine tells about tables, views and queries. Each macro is one top-level statement. -#}
{% macro describe_detail(relation) -%}
describe detail {{ relation }}
{%- endmacro %}

{% macro describe_history(relation, limit) -%}
describe history {{ relation }} limit {{ limit }}
{%- endmacro %}

{% macro describe_relation(relation) -%}
describe table extended {{ relation }}
{%- endmacro %}

{% macro describe_query(query) -%}
describe query {{ query }}
{%- endmacro %}

{% macro user_functions(namespace) -%}
show user functions{{ ' in ' ~ namespace if namespace else '' }}
{%- endmacro %}

{% macro describe_function(function) -%}
describe function extended {{ function }}
{%- endmacro %}

{% macro show_properties(relation) -%}
show tblproperties {{ relation }}
{%- endmacro %}
