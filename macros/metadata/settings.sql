{#- Settings of our own connection; the record of a refresh travels in three of them. -#}
{% macro set_setting(key, value) -%}
set {{ key }}={{ value }}
{%- endmacro %}

{% macro reset_setting(key) -%}
reset {{ key }}
{%- endmacro %}

{% macro show_setting(key) -%}
set {{ key }}
{%- endmacro %}

{% macro current_catalog() -%}
show current namespace
{%- endmacro %}
