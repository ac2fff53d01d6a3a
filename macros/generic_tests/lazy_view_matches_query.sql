{#- Fails with the rows that only the view has or only its query, both at the cut the view stands for: as bags, both ways. -#}
{% test lazy_view_matches_query(model) %}
    {% if execute %}
        {% set compared = adapter.compare_lazy_view(model) %}
        {{ bag_difference(compared.view, compared.query, compared.columns) }}
    {% else %}
        select 'none' as only_in where false
    {% endif %}
{% endtest %}

{% macro bag_difference(view, query, columns) -%}
select 'view' as only_in, * from (
    {{ comparable_rows(view, columns) }} except all {{ comparable_rows(query, columns) }}
)
union all
select 'query' as only_in, * from (
    {{ comparable_rows(query, columns) }} except all {{ comparable_rows(view, columns) }}
)
{%- endmacro %}

{#- Floating-point numbers to twelve digits: the last ones depend on the order in which rows were added up. -#}
{% macro comparable_rows(rows, columns) -%}
select
    {%- for column in columns %}
    {{ "format_string('%.11e', " ~ column.name ~ ") as " ~ column.name if column.is_float else column.name }}
    {{- "," if not loop.last }}
    {%- endfor %}
from ({{ rows }})
{%- endmacro %}
