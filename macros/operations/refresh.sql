{#-
  Refresh what is stale, parents before children and otherwise the oldest pending change first: all lazy views of the
  project, those named, of a policy, or of a view group; to now, or to an earlier point (`until`, or `as_of` for a moment). Those that fail stop no other; the exit code says that there were some.
-#}
{% macro refresh(models=none, group=none, policy=none, until=none, full=false, as_of=none) %}
    {% if execute %}
        {% set responses = [] %}
        {% set views = adapter.lazy_views_to_refresh(models, group, policy) %}
        {% for view in views %}
            {% set response = adapter.refresh_stored_lazy_view(view, full, as_of if until is none else until) %}
            {% do responses.append(response) %}
            {% do log(loop.index ~ ' of ' ~ loop.length ~ ' ' ~ view.schema ~ '.' ~ view.alias ~ ': ' ~ response, info=true) %}
        {% endfor %}
        {% set total = adapter.sum_up_refreshes(views, responses, models is not none) %}
        {% do log(total.line, info=true) %}
        {% if total.failed %}
            {% do exceptions.raise_compiler_error('Not refreshed: ' ~ total.failed | join(', ')) %}
        {% endif %}
    {% endif %}
{% endmacro %}
