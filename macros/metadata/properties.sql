{#- Table properties: where a state remembers its definition. -#}
{% macro set_properties(relation, properties) -%}
alter table {{ relation }} set tblproperties ({{ properties_list(properties) }})
{%- endmacro %}

{% macro set_view_properties(relation, properties) -%}
alter view {{ relation }} set tblproperties ({{ properties_list(properties) }})
{%- endmacro %}

{% macro properties_list(properties) -%}
{%- for key, value in properties.items() -%}
{{ text_literal(key) }} = {{ text_literal(value) }}{{ ", " if not loop.last else "" }}
{%- endfor -%}
{%- endmacro %}

{#- A text as Spark reads it back: nothing ends it, and `${` is no variable. -#}
{% macro text_literal(text) -%}
'{{ text | replace("\\", "\\\\") | replace("'", "\\'") | replace("\n", "\\n") | replace("${", "\\u0024{") }}'
{%- endmacro %}
