{#-
  The same as changes of the view's own rows, in the words of Delta's change data feed: insert, update_preimage,
  update_postimage, delete. Rows of one window belong together where they agree in `pairs`.
-#}
{% macro changes_of_view(before, columns, unapplied, public, names, pairs, where) -%}
{%- set list = names | join(', ') -%}
{{ changes_of_rows(before, columns, unapplied) }},
lv_public as (
    {{ public | indent(4) }}
),
lv_net as (
    select {{ list }}, lv_at, sum(lv_weight) as lv_weight
    from lv_public
    group by {{ list }}, lv_at
    having sum(lv_weight) <> 0
),
lv_paired as (
    select *,
        {%- if pairs %}
        min(lv_weight) over (partition by {{ pairs | join(', ') }}, lv_at) < 0 as lv_was,
        max(lv_weight) over (partition by {{ pairs | join(', ') }}, lv_at) > 0 as lv_is
        {%- else %}
        false as lv_was, false as lv_is
        {%- endif %}
    from lv_net
),
lv_ends as (
    select v.lv_ssn as lv_at, v.lv_time
    from {{ unapplied.relation }}{{ "" if unapplied.version is none else " version as of " ~ unapplied.version }} as v
    where v.lv_record is not null and {{ unapplied_windows(unapplied) }}
)
select {% for name in names %}p.{{ name }}, {% endfor %}
    case when p.lv_weight > 0 then if(p.lv_was, 'update_postimage', 'insert') else if(p.lv_is, 'update_preimage', 'delete') end as `lv_change_type`,
    p.lv_at as `lv_window`, e.lv_time as `lv_commit_time`
from lv_paired as p
join lv_ends as e on e.lv_at = p.lv_at
lateral view explode(sequence(1, cast(abs(p.lv_weight) as int))) lv_copies as lv_copy
{%- if where %}
where {{ where }}
{%- endif %}
{%- endmacro %}
