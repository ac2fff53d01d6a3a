{#- Fails with the rows that only the view has or only its query, both at the cut the view stands for: as bags, both ways. -#}
{% test lazy_view_matches_query(model) %}
    {% if execute %}
        {% set compared = adapter.compare_lazy_view(model) %}
        {{ bag_difference(compared.view, compared.query) }}
    {% else %}
        select 'none' as only_in where false
    {% endif %}
{% endtest %}

{% macro bag_difference(view, query) -%}
select 'view' as only_in, * from (
    select * from ({{ view }}) except all select * from ({{ query }})
)
union all
select 'query' as only_in, * from (
    select * from ({{ query }}) except all select * from ({{ view }})
)
{%- endmacro %}
