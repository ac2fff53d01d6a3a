{#- The records of windows, oldest first: of one epoch, or of all. -#}
{% macro records_of_windows(delta, version, epoch=none) -%}
select v.lv_ssn, v.lv_epoch, v.lv_record
from {{ delta }} version as of {{ version }} as v
where v.lv_record is not null{{ " and v.lv_epoch = " ~ text_literal(epoch) if epoch is not none else "" }}
order by v.lv_ssn
{%- endmacro %}
