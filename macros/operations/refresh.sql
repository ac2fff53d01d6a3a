{#- Refresh what is stale, parents first: all lazy views of the project, or those named. Those that fail stop no other. -#}
{% macro refresh(models=none) %}
    {% if execute %}
        {% set failed = [] %}
        {% set changed = [] %}
        {% set views = adapter.lazy_views_named(models) %}
        {% for view in views %}
            {% set response = adapter.refresh_stored_lazy_view(view) %}
            {% do log(view.name ~ ': ' ~ response, info=true) %}
            {% do failed.append(view.name) if response.kind == 'error' or (models and response.kind == 'not_built') %}
            {% do changed.append(view.name) if response.kind in ('build', 'incremental', 'full') %}
        {% endfor %}
        {% do log(views | length ~ (' lazy view: ' if views | length == 1 else ' lazy views: ') ~ changed | length ~ ' refreshed, ' ~ failed | length ~ ' failed', info=true) %}
        {% if failed %}
            {% do exceptions.raise_compiler_error('Not refreshed: ' ~ failed | join(', ')) %}
        {% endif %}
    {% endif %}
{% endmacro %}
