{#-
  Sources that tell their own changes: entries of a log, as signed rows, are folded into a copy of the source. A log has
  an order (its sequence numbers) and says what each entry is (its operation); an operation that is not known, or a row
  that goes without being there, stops everything rather than to be left out.
-#}
{% macro log_entries(copy, after, upto) %}
    {{ return(adapter.dispatch('log_entries', 'dbt')(copy, after, upto)) }}
{% endmacro %}

{#- The entries with sequence numbers in (after, upto]: columns of the source, lv_weight, and the sequence. -#}
{% macro default__log_entries(copy, after, upto) -%}
{%- if copy.has_images -%}
{{ _log_rows(copy, after, upto, 1, copy.log.inserts + copy.log.updates, '`after`') }}
union all
{{ _log_rows(copy, after, upto, -1, copy.log.updates + copy.log.deletes, '`before`') }}
union all
{{ _log_missing(copy, after, upto, copy.log.inserts + copy.log.updates, '`after`') }}
union all
{{ _log_missing(copy, after, upto, copy.log.deletes + (() if copy.keys else copy.log.updates), '`before`') }}
union all
{%- else -%}
{{ _log_rows(copy, after, upto, 1, copy.log.inserts + (copy.log.updates if copy.keys else ()), '') }}
union all
{{ _log_rows(copy, after, upto, -1, copy.log.deletes, '') }}
union all
{%- endif %}
{{ _log_refusals(copy, after, upto) }}
{%- endmacro %}

{% macro _log_rows(copy, after, upto, weight, operations, image) -%}
select
    {% for name in copy.names %}{{ image ~ '.' if image else '' }}{{ name }} as {{ name }}, {% endfor %}{{ weight }} as lv_weight
    {{- _log_sequence(copy) }}
from {{ copy.relation }}
where {{ copy.log.operation_column }} in ({{ _log_words(operations) }})
    and {{ log_between(copy, after, upto) }}
    {{- '\n    and ' ~ image ~ ' is not null' if image else '' }}
{%- endmacro %}

{#- No rows, or an error: entries without the row that they are about. Where there is a key, an update need not tell the row before. -#}
{% macro _log_missing(copy, after, upto, operations, image) -%}
{{ _log_error(copy, "concat('LV_LOG_REFUSED: an entry of operation ', " ~ copy.log.operation_column ~ ", ' has no row " ~ image | replace('`', '') ~ "')") }}
where {{ copy.log.operation_column }} in ({{ _log_words(operations) }}) and {{ image }} is null
    and {{ log_between(copy, after, upto) }}
{%- endmacro %}

{#- No rows, or an error: entries with an operation that is not known. -#}
{% macro _log_refusals(copy, after, upto) -%}
{%- set known = copy.log.inserts + copy.log.deletes + (copy.log.updates if copy.has_images or copy.keys else ()) -%}
{{ _log_error(copy, "concat('LV_LOG_REFUSED: its operation ', coalesce(cast(" ~ copy.log.operation_column ~ " as string), 'NULL'), ' is not known')") }}
where coalesce({{ copy.log.operation_column }} not in ({{ _log_words(known) }}), true)
    and {{ log_between(copy, after, upto) }}
{%- endmacro %}

{% macro _log_error(copy, text) -%}
select
    {% for column in copy.columns %}cast(null as {{ column.type }}) as {{ copy.names[loop.index0] }}, {% endfor %}cast(raise_error({{ text }}) as int) as lv_weight
    {{- _log_sequence(copy) }}
from {{ copy.relation }}
{%- endmacro %}

{% macro _log_sequence(copy) -%}
{%- for each in copy.log.ordered_by %}, {{ each }} as lv_sequence_{{ loop.index0 }}{% endfor -%}
{%- endmacro %}

{% macro _log_words(operations) -%}
{% for each in operations %}{{ text_literal(each) }}{{ ", " if not loop.last else "" }}{% endfor %}
{%- endmacro %}

{#- Sequence numbers in (after, upto]; none: no bound. -#}
{% macro log_between(copy, after, upto) -%}
{%- if after is none and upto is none -%}true
{%- elif after is none -%}not ({{ log_beyond(copy, upto) }})
{%- else -%}({{ log_beyond(copy, after) }}){% if upto is not none %} and not ({{ log_beyond(copy, upto) }}){% endif %}
{%- endif -%}
{%- endmacro %}

{#- Whether an entry comes after a position, number by number. -#}
{% macro log_beyond(copy, position) -%}
{%- for column in copy.log.ordered_by -%}
{%- set last = loop.index0 -%}
({% for each in copy.log.ordered_by[:last] %}{{ each }} = {{ log_number(position[loop.index0]) }} and {% endfor %}{{ column }} > {{ log_number(position[last]) }}){{ " or " if not loop.last else "" }}
{%- endfor -%}
{%- endmacro %}

{% macro log_number(number) -%}
cast({{ text_literal(number[0]) }} as {{ number[1] }})
{%- endmacro %}

{#- How far the log goes, how many entries it has, and how many up to a position that is known. -#}
{% macro log_head(copy, known) -%}
select
    {% for each in copy.log.ordered_by -%}
    cast(max_by({{ each }}, struct({{ copy.log.ordered_by | join(', ') }})) as string) as position_{{ loop.index0 }},
    {% endfor -%}
    count(*) as entries,
    count_if({% for each in copy.log.ordered_by %}{{ each }} is null{{ " or " if not loop.last else "" }}{% endfor %}) as unordered,
    count_if({{ "false" if known is none else log_between(copy, none, known) }}) as up_to_known
from {{ copy.relation }}
{%- endmacro %}

{#- The last image of each key in the log; of a statement's entries, rows that came stand for it, not those that went. -#}
{% macro last_images(copy, after, upto) -%}
select {{ copy.names | join(', ') }}, lv_weight
from (
    select
        *,
        row_number() over (
            partition by {{ copy.keys | join(', ') }}
            order by {% for each in copy.log.ordered_by %}lv_sequence_{{ loop.index0 }} desc, {% endfor %}lv_weight desc
        ) as lv_place
    from (
{{ log_entries(copy, after, upto) | indent(8, true) }}
    ) as entries
) as images
where lv_place = 1
{%- endmacro %}

{#- Rows as often as they came more than they went. -#}
{% macro rows_by_weight(copy, weighted) -%}
select {{ copy.names | join(', ') }}
from (
    select
        {{ copy.names | join(', ') }},
        explode(sequence(1L, if(lv_weight < 0, raise_error('LV_LOG_REFUSED: it takes rows out that are not there'), lv_weight))) as lv_copy
    from (
        select {{ copy.names | join(', ') }}, cast(sum(lv_weight) as bigint) as lv_weight
        from (
{{ weighted | indent(12, true) }}
        ) as weighted
        group by {{ copy.names | join(', ') }}
        having sum(lv_weight) <> 0
    ) as counted
) as repeated
{%- endmacro %}

{#- The copy with all rows at a position of the log. -#}
{% macro create_copy_by_log(copy, upto, properties) -%}
create or replace table {{ copy.table }}
using delta
tblproperties ({{ properties_list(properties) }})
as
{% if copy.keys and copy.log.has_base -%}
with images as (
{{ last_images(copy, none, upto) | indent(4, true) }}
)
select {{ copy.names | join(', ') }} from images where lv_weight > 0
union all
select {{ copy.names | join(', ') }} from {{ copy.source.sql }} as b
where not exists (select 1 from images as i where {% for key in copy.keys %}i.{{ key }} <=> b.{{ key }}{{ " and " if not loop.last else "" }}{% endfor %})
{%- elif copy.log.has_base -%}
select {{ copy.names | join(', ') }} from {{ copy.source.sql }}
{%- elif copy.keys -%}
select {{ copy.names | join(', ') }} from (
{{ last_images(copy, none, upto) | indent(4, true) }}
) as images
where lv_weight > 0
{%- else -%}
{{ rows_by_weight(copy, "select " ~ copy.names | join(', ') ~ ", lv_weight from (\n" ~ log_entries(copy, none, upto) ~ "\n) as entries") }}
{%- endif %}
{%- endmacro %}

{#- What the log tells in (after, upto], by key. -#}
{% macro merge_log(copy, after, upto) -%}
merge into {{ copy.table }} as t
using (
{{ last_images(copy, after, upto) | indent(4, true) }}
) as s
on {% for key in copy.keys %}t.{{ key }} <=> s.{{ key }}{{ " and " if not loop.last else "" }}{% endfor %}
when matched and s.lv_weight < 0 then delete
when matched and not ({% for name in copy.names %}t.{{ name }} <=> s.{{ name }}{{ " and " if not loop.last else "" }}{% endfor %}) then update set {% for name in copy.names %}{{ name }} = s.{{ name }}{{ ", " if not loop.last else "" }}{% endfor %}
when not matched and s.lv_weight > 0 then insert ({{ copy.names | join(', ') }}) values ({% for name in copy.names %}s.{{ name }}{{ ", " if not loop.last else "" }}{% endfor %})
{%- endmacro %}

{#- The same without a key: rows of the copy plus signed rows of the log, as bags. -#}
{% macro overwrite_by_log(copy, after, upto) -%}
{%- set names = copy.names | join(', ') -%}
insert overwrite {{ copy.table }}
{{ rows_by_weight(copy, "select " ~ names ~ ", 1 as lv_weight from " ~ copy.table ~ "\nunion all\nselect " ~ names ~ ", lv_weight from (\n" ~ log_entries(copy, after, upto) ~ "\n) as entries") }}
{%- endmacro %}
