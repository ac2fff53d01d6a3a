{#- Fails with the rows that only the view has or only its query, both at the cut the view stands for: as bags, both ways. -#}
{% test lazy_view_matches_query(model) %}
    {% if execute %}
        {{ bag_difference(adapter.compare_lazy_view(model)) }}
    {% else %}
        select 'none' as lv_only_in where false
    {% endif %}
{% endtest %}
