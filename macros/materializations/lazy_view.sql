{#-
  A lazy view: stored once, then maintained from the changes of its sources. Python decides and runs everything on a
  connection of its own (the record of a refresh travels in settings that must not leak); see maintenance/refresh.py.
-#}
{% materialization lazy_view, adapter='spark', supported_languages=['sql', 'python'] %}
    {% set existing = load_cached_relation(this) %}
    {% set target_relation = this.incorporate(type='view') %}
    {% do adapter.check_lazy_view(model) %}

    {{ run_hooks(pre_hooks) }}

    {% if config.get('contract').enforced %}
        {% do get_assert_columns_equivalent(sql) %}
    {% endif %}
    {% set response = adapter.refresh_lazy_view(this, sql, model, should_full_refresh()) %}
    {% do store_result('main', response=response) %}
    {% if existing is not none and not existing.is_view %}
        {% do adapter.cache_dropped(existing) %}
    {% endif %}

    {% do apply_grants(target_relation, config.get('grants'), should_revoke=should_revoke(existing, full_refresh_mode=True)) %}

    {{ run_hooks(post_hooks) }}

    {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}
