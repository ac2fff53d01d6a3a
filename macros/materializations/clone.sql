{#-
  dbt clone. A lazy view takes over state and record of the one in the other environment, and goes on by itself from
  there; tables are cloned without a copy of their files, everything else becomes a view.
-#}
{% materialization clone, adapter='lazyview' %}
    {% set existing = load_cached_relation(this) %}
    {% if not defer_relation %}
        {% do log("No relation found in state manifest for " ~ model.unique_id, info=True) %}
        {% do return({'relations': []}) %}
    {% elif existing and not flags.FULL_REFRESH %}
        {% do log("Relation " ~ existing ~ " already exists", info=True) %}
        {% do return({'relations': []}) %}
    {% elif this.render() == defer_relation.render() %}
        {% do log("Target relation and defer relation are the same, skipping clone for relation: " ~ this) %}
        {% do return({'relations': []}) %}
    {% elif config.get('materialized') == 'lazy_view' and adapter.has_lazy_view(defer_relation) %}
        {% do return(_clone_lazy_view(existing, defer_relation)) %}
    {% endif %}

    {% set origin = load_cached_relation(defer_relation) %}
    {% set is_cloned = origin and origin.is_table and can_clone_table() %}
    {% do return(_clone_table(existing, origin) if is_cloned else materialization_view_spark()) %}
{% endmaterialization %}

{% macro _clone_lazy_view(existing, origin) %}
    {% set target_relation = this.incorporate(type='view') %}
    {% set response = adapter.clone_lazy_view(this, origin) %}
    {% do store_result('main', response=response) %}
    {% if existing is not none and not existing.is_view %}
        {% do adapter.cache_dropped(existing) %}
    {% endif %}
    {% do apply_grants(target_relation, config.get('grants'), should_revoke=should_revoke(existing, full_refresh_mode=True)) %}
    {% do return({'relations': [target_relation]}) %}
{% endmacro %}

{% macro _clone_table(existing, origin) %}
    {% set target_relation = this.incorporate(type='table') %}
    {#- Delta clones into nothing but a new table. -#}
    {% do drop_relation_if_exists(existing) %}
    {% call statement('main') %}
        {{ create_or_replace_clone(target_relation, origin) }}
    {% endcall %}
    {% do apply_grants(target_relation, config.get('grants'), should_revoke=should_revoke(existing, full_refresh_mode=True)) %}
    {% do persist_docs(target_relation, model) %}
    {% do return({'relations': [target_relation]}) %}
{% endmacro %}
