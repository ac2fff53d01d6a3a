{#- One refresh from changes, in one committing statement; the strategy says how the change is folded in. -#}
{% macro refresh_state(plan, state, strategy, state_version, is_few=false) -%}
{%- if strategy == 'overwrite' -%}
{{ stream_apply_overwrite(plan, state, state_version) }}
{%- else -%}
{{ stream_apply_merge(plan, state, is_few) }}
{%- endif -%}
{%- endmacro %}
