{#- Functions as nodes of dbt, in Spark's SQL. What is deterministic is Spark's to find out, unless it is told. -#}
{% macro lazyview__scalar_function_create_replace_signature_sql(target_relation) %}
    CREATE OR REPLACE FUNCTION {{ target_relation.render() }} ({{ formatted_scalar_function_args_sql() }})
    RETURNS {{ model.returns.data_type }}
    {{ scalar_function_volatility_sql() }}
    RETURN
{% endmacro %}

{% macro lazyview__scalar_function_body_sql() %}
    ({{ model.compiled_code }})
{% endmacro %}

{% macro lazyview__formatted_scalar_function_args_sql() %}
    {%- set arguments = [] -%}
    {%- for each in model.arguments -%}
        {%- set value = each.get('default_value') -%}
        {%- set default = '' if value is none else ' DEFAULT ' ~ value -%}
        {%- do arguments.append(each.name ~ ' ' ~ each.data_type ~ default) -%}
    {%- endfor -%}
    {{ arguments | join(', ') }}
{% endmacro %}

{% macro lazyview__scalar_function_volatility_sql() %}
    {%- set volatility = model.config.get('volatility') -%}
    {%- if volatility == 'deterministic' -%}
        DETERMINISTIC
    {%- elif volatility == 'non-deterministic' -%}
        NOT DETERMINISTIC
    {%- elif volatility is not none -%}
        {%- do unsupported_volatility_warning(volatility) -%}
    {%- endif -%}
{% endmacro %}
