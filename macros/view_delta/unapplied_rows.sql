{#- The rows of some windows of a view delta, without the rows that only end a window. -#}
{% macro unapplied_rows(unapplied) -%}
{{ unapplied.relation }}{{ "" if unapplied.version is none else " version as of " ~ unapplied.version }} as v
where v.lv_record is null and {{ unapplied_windows(unapplied) }}
{%- endmacro %}

{% macro unapplied_windows(unapplied) -%}
((v.lv_epoch = {{ text_literal(unapplied.epoch) }} and v.lv_ssn > {{ unapplied.after }} and v.lv_ssn <= {{ unapplied.upto }})
    {{- " or v.lv_epoch = " ~ text_literal(unapplied.point) if unapplied.point else "" }})
{%- endmacro %}
