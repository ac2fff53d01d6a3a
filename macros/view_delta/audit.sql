{#- The rows of sources, joined as the view joins them, that came into a group or went out of it. -#}
{% macro rows_behind(inputs, conditions) -%}
{%- set columns = inputs.quoted_columns | join(', ') -%}
{{ with_steps(inputs.steps) }}
select lv_ssn, {{ columns }}, sum(lv_weight) as lv_weight
from `{{ inputs.relation }}`
where {{ same_values(conditions) }}
group by lv_ssn, {{ columns }}
having sum(lv_weight) <> 0
order by lv_ssn, lv_weight
{%- endmacro %}
