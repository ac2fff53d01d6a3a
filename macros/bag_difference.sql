{#- The rows that only the view has or only its query: as bags, both ways. `sample`: of some groups only. -#}
{% macro bag_difference(compared, sample=none) -%}
select 'view' as lv_only_in, * from (
    {{ comparable_rows(compared.view, compared, sample) }}
    except all
    {{ comparable_rows(compared.query, compared, sample) }}
)
union all
select 'query' as lv_only_in, * from (
    {{ comparable_rows(compared.query, compared, sample) }}
    except all
    {{ comparable_rows(compared.view, compared, sample) }}
)
{%- endmacro %}

{#- Floating-point numbers to twelve digits: the last ones depend on the order in which rows were added up. -#}
{% macro comparable_rows(rows, compared, sample=none) -%}
select
    {%- for column in compared.columns %}
    {{ "format_string('%.11e', " ~ column.name ~ ") as " ~ column.name if column.is_float else column.name }}
    {{- "," if not loop.last }}
    {%- endfor %}
from ({{ rows }})
{%- if sample and compared.keys %}
where pmod(xxhash64({{ compared.keys | join(', ') }}, {{ sample.seed }}), 10000) < {{ sample.of_10000 }}
{%- endif %}
{%- endmacro %}

{#- A few rows of each side of a difference, and how many there are in all. -#}
{% macro first_differences(compared, limit, sample=none) -%}
select * from (
    select
        *,
        count(*) over (partition by lv_only_in) as lv_total,
        row_number() over (partition by lv_only_in order by lv_only_in) as lv_number
    from (
        {{ bag_difference(compared, sample) }}
    )
)
where lv_number <= {{ limit }}
{%- endmacro %}
