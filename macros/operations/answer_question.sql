{#- Lets the adapter answer what a program in this process asks it, such as the command `lazyview`; else does nothing. -#}
{% macro answer_question() %}
    {% if execute %}
        {% do adapter.answer_question() %}
    {% endif %}
{% endmacro %}
