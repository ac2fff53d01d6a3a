{#- Table properties: where a state remembers its definition. -#}
{% macro set_properties(relation, properties) -%}
alter table {{ relation }} set tblproperties ({{ properties_list(properties) }})
{%- endmacro %}

{% macro unset_properties(relation, keys) -%}
alter table {{ relation }} unset tblproperties if exists ({% for key in keys %}{{ text_literal(key) }}{{ ", " if not loop.last }}{% endfor %})
{%- endmacro %}

{% macro set_view_properties(relation, properties) -%}
alter view {{ relation }} set tblproperties ({{ properties_list(properties) }})
{%- endmacro %}

{% macro properties_list(properties) -%}
{%- for key, value in properties.items() -%}
{{ text_literal(key) }} = {{ text_literal(value) }}{{ ", " if not loop.last else "" }}
{%- endfor -%}
{%- endmacro %}

{#- What else is altered of a state that stays the table it is. -#}
{% macro cluster_table(relation, columns) -%}
alter table {{ relation }} cluster by {{ "(" ~ columns | join(", ") ~ ")" if columns else "none" }}
{%- endmacro %}

{% macro add_constraint(relation, constraint, condition) -%}
alter table {{ relation }} add constraint {{ constraint }} check ({{ condition }})
{%- endmacro %}

{% macro drop_constraint(relation, constraint) -%}
alter table {{ relation }} drop constraint if exists {{ constraint }}
{%- endmacro %}

{#- A text as Spark reads it back: nothing ends it, and `${` is no variable. -#}
{% macro text_literal(text) -%}
'{{ text | replace("\\", "\\\\") | replace("'", "\\'") | replace("\n", "\\n") | replace("${", "\\u0024{") }}'
{%- endmacro %}
