{#-
  One refresh from changes; the strategy says how the change is folded in. An overwrite and a MERGE are statements that
  commit; what is appended, or rewritten, is a query whose rows are handed to Delta's writer.
-#}
{% macro refresh_state(plan, state, strategy, state_version, is_few=false) -%}
{%- if strategy == 'overwrite' -%}
{{ stream_apply_overwrite(plan, state, state_version) }}
{%- elif strategy == 'append' -%}
{{ stream_apply_append(plan) }}
{%- elif strategy == 'rewrite' -%}
{{ stream_apply_rewrite(plan, state) }}
{%- else -%}
{{ stream_apply_merge(plan, state, is_few) }}
{%- endif -%}
{%- endmacro %}
