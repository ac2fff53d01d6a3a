{#- Fails if the oldest pending change is older than max_age (90 s, 15 min, 2 hours, 1 day), or more rows than
    max_pending_rows are pending. The view is looked at as it is: this test does not refresh it. -#}
{% test lazy_view_fresh(model, max_age=none, max_pending_rows=none) %}
    {% if execute and max_age is none and max_pending_rows is none %}
        {% do exceptions.raise_compiler_error('lazy_view_fresh needs max_age or max_pending_rows.') %}
    {% endif %}
    {% set problems = adapter.why_lazy_view_is_stale(model, max_age, max_pending_rows) if execute else [] %}
    {% for problem in problems %}
        select {{ text_literal(problem) }} as problem{{ ' union all' if not loop.last }}
    {% else %}
        select 'none' as problem where false
    {% endfor %}
{% endtest %}
