select order_id, line_number, product, quantity, unit_price, quantity * unit_price as amount
from {{ ref('raw_order_lines') }}
