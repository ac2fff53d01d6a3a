{#-
  The journal of refreshes, for people who look at lazy views with SQL: a table with a row for every refresh that wrote
  something, and a view with the last one of each lazy view. Nothing is maintained by it.
-#}
{% macro create_journal(journal) -%}
create table if not exists {{ journal }} (
    view string, policy string, refresh_mode string, decision string, reason string, set_off_by string,
    strategy string, changes bigint, rows_changed bigint, refreshed_at timestamp, seconds double,
    cut_time timestamp, state_bytes bigint
)
using delta
comment 'Refreshes of lazy views, one row each'
{%- endmacro %}

{% macro create_status_view(status, journal) -%}
create or replace view {{ status }}
comment 'The last refresh of every lazy view'
as
select last_refresh.*, unix_timestamp(current_timestamp()) - unix_timestamp(last_refresh.refreshed_at) as age_seconds
from (
    select max_by(struct(refreshes.*), refreshes.refreshed_at) as last_refresh
    from {{ journal }} as refreshes
    group by refreshes.view
)
{%- endmacro %}

{% macro write_journal(journal, entries) -%}
insert into {{ journal }}
values
{%- for entry in entries %}
    ({% for value in entry.values %}{{ sql_literal(value) }}{{ ", " if not loop.last else "" }}{% endfor %}){{ "," if not loop.last else "" }}
{%- endfor %}
{%- endmacro %}

{% macro sql_literal(value) -%}
{%- if value is none -%}null{%- elif value is string -%}{{ text_literal(value) }}{%- else -%}{{ value }}{%- endif -%}
{%- endmacro %}
