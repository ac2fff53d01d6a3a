{#- The rows, files and columns of another state at a version, without a copy; it goes on as a table of its own. -#}
{% macro clone_state(state, origin, version, properties) -%}
create table {{ state }} shallow clone {{ origin }} version as of {{ version }}
tblproperties ({{ properties_list(properties) }})
{%- endmacro %}

{#-
  All rows of the state from all rows of the sources, in one commit. A state that exists with the same columns is
  overwritten, so that views over it can go on reading its change feed; otherwise it is created or replaced.
-#}
{% macro build_state(plan, state, storage, exists) %}
    {{ return(adapter.dispatch('build_state', 'dbt')(plan, state, storage, exists)) }}
{% endmacro %}

{% macro default__build_state(plan, state, storage, exists) -%}
{%- set columns = plan.layout.columns | map(attribute='quoted') | join(', ') -%}
{%- if exists -%}
insert overwrite {{ state }} ({{ columns }})
{%- else -%}
create or replace table {{ state }}
using delta
{{ "partitioned by (" ~ storage.partitions | join(", ") ~ ")\n" if storage.partitions else "" -}}
{{ "cluster by (" ~ storage.clusters | join(", ") ~ ")\n" if storage.clusters else "" -}}
{{ "location " ~ text_literal(storage.location) ~ "\n" if storage.location else "" -}}
tblproperties (
{%- for name, value in storage.properties.items() %}
    {{ text_literal(name) }} = {{ text_literal(value) }}{{ "," if not loop.last else "" }}
{%- endfor %}
)
as
{%- endif %}
{{ with_steps(plan.steps) }}
select {{ columns }} from (
    {{ plan.query | indent(4) }}
) as built
{%- endmacro %}
