{#- One day in the shop: new orders, orders that are shipped or cancelled, a returned article, a customer who moves. -#}
{% macro busy_day() %}

insert into {{ ref('raw_orders') }} values
    (2001, 17, date '2025-07-01', 'open'),
    (2002, 185, date '2025-07-01', 'open'),
    (2003, 42, date '2025-07-01', 'shipped');

insert into {{ ref('raw_order_lines') }} values
    (2001, 1, 'desk', 1, 219.00),
    (2001, 2, 'lamp', 2, 24.50),
    (2002, 1, 'chair', 4, 89.00),
    (2003, 1, 'mug', 6, 8.75);

update {{ ref('raw_orders') }}
set status = case when order_id = 1500 then 'cancelled' else 'shipped' end
where order_id in (1500, 1985, 1990, 2001);

delete from {{ ref('raw_order_lines') }} where order_id = 1700 and line_number = 1;

update {{ ref('raw_customers') }} set country_code = 'JP' where customer_id = 12;

{% endmacro %}
