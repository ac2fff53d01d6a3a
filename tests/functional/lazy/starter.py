"""
A project of the shape that dbt's newcomers start from: raw seeds, staging views, marts. Its marts are lazy views by one
line in dbt_project.yml; days pass, and after each of them every mart is compared with its own query.
"""

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dbt.tests.util import run_dbt

from tests.functional.bags import Bag, comparable, in_one_only

METHODS = ("card", "coupon", "transfer")
STATUSES = ("placed", "shipped", "completed", "returned")
FIRST_DAY = "2026-01-01"

STAGING = {
    "stg_customers.sql": """
        with source as (select * from {{ ref('raw_customers') }}),
        renamed as (select id as customer_id, given_name, family_name from source)
        select * from renamed
    """,
    "stg_orders.sql": """
        with source as (select * from {{ ref('raw_orders') }}),
        renamed as (
            select id as order_id, customer as customer_id, cast(ordered_on as date) as ordered_on, status from source
        )
        select * from renamed
    """,
    "stg_payments.sql": """
        with source as (select * from {{ ref('raw_payments') }}),
        renamed as (select id as payment_id, order_id, method, cents / 100 as amount, cents from source)
        select * from renamed
    """,
}
MARTS = {
    "customers.sql": """
        with customers as (select * from {{ ref('stg_customers') }}),
        orders as (select * from {{ ref('stg_orders') }}),
        payments as (select * from {{ ref('stg_payments') }}),
        customer_orders as (
            select
                customer_id, min(ordered_on) as first_order, max(ordered_on) as latest_order, count(order_id) as orders
            from orders
            group by customer_id
        ),
        customer_payments as (
            select orders.customer_id, sum(payments.cents) as paid_cents
            from payments
            left join orders on payments.order_id = orders.order_id
            group by orders.customer_id
        ),
        final as (
            select
                customers.customer_id, customers.given_name, customers.family_name,
                customer_orders.first_order, customer_orders.latest_order,
                coalesce(customer_orders.orders, 0) as orders, customer_payments.paid_cents as lifetime_value
            from customers
            left join customer_orders on customers.customer_id = customer_orders.customer_id
            left join customer_payments on customers.customer_id = customer_payments.customer_id
        )
        select * from final
    """,
    "orders.sql": """
        {% set methods = ['card', 'coupon', 'transfer'] %}
        with order_payments as (
            select
                order_id,
                {% for method in methods -%}
                sum(case when method = '{{ method }}' then cents else 0 end) as {{ method }}_cents,
                {% endfor -%}
                sum(cents) as total_cents
            from {{ ref('stg_payments') }}
            group by order_id
        )
        select
            orders.order_id, orders.customer_id, orders.ordered_on, orders.status,
            {% for method in methods -%}
            order_payments.{{ method }}_cents,
            {% endfor -%}
            order_payments.total_cents
        from {{ ref('stg_orders') }} as orders
        left join order_payments on orders.order_id = order_payments.order_id
    """,
    "loyalty.sql": """
        select
            customers.family_name,
            count(distinct orders.order_id) as orders,
            count(distinct orders.customer_id) as buyers,
            case
                when count(distinct orders.order_id) >= 8 then 'regular'
                when max(orders.ordered_on) is null then 'prospect'
                else 'guest'
            end as tier,
            min(orders.ordered_on) as since,
            max(case when orders.status = 'returned' then orders.ordered_on end) as last_return
        from {{ ref('stg_customers') }} as customers
        left join {{ ref('stg_orders') }} as orders on orders.customer_id = customers.customer_id
        group by customers.family_name
    """,
    "latest_orders.sql": """
        with ranked as (
            select
                customers.customer_id, customers.given_name, orders.order_id, orders.status, orders.ordered_on,
                row_number() over (
                    partition by customers.customer_id order by orders.ordered_on desc, orders.order_id desc
                ) as recency
            from {{ ref('stg_customers') }} as customers
            join {{ ref('stg_orders') }} as orders on orders.customer_id = customers.customer_id
        )
        select customer_id, given_name, order_id, status, ordered_on from ranked where recency = 1
    """,
    "methods.sql": """
        select
            payments.method, orders.status, count(*) as payments, sum(payments.amount) as amount,
            min(payments.amount) as least, max(payments.amount) as most
        from {{ ref('stg_payments') }} as payments
        join {{ ref('stg_orders') }} as orders on orders.order_id = payments.order_id
        group by payments.method, orders.status
        having count(*) > 1
    """,
}
NAMES = [name.removesuffix(".sql") for name in MARTS]


class Shop:
    """The raw tables, and what happens to them; a seed gives the same days on every machine."""

    def __init__(self, seed: int = 2026) -> None:
        self.random = random.Random(seed)
        self.last = {"customers": 20, "orders": 40, "payments": 50}

    def seeds(self) -> dict[str, str]:
        customers = [self.customer(id_) for id_ in range(1, 21)]
        orders = [self.order(id_, day=id_ % 5) for id_ in range(1, 41)]
        payments = [self.payment(id_, order=1 + id_ % 40) for id_ in range(1, 51)]
        return {
            "raw_customers.csv": _csv("id,given_name,family_name", customers),
            "raw_orders.csv": _csv("id,customer,ordered_on,status", orders),
            "raw_payments.csv": _csv("id,order_id,method,cents", payments),
        }

    def customer(self, id_: int) -> tuple[object, ...]:
        return id_, f"G{self.random.randint(1, 9)}", f"F{self.random.randint(1, 6)}"

    def order(self, id_: int, day: int) -> tuple[object, ...]:
        return id_, self.random.randint(1, self.last["customers"]), f"2026-01-{1 + day % 31:02}", self.status()

    def payment(self, id_: int, order: int) -> tuple[object, ...]:
        return id_, order, self.random.choice(METHODS), 100 * self.random.randint(1, 60)

    def status(self) -> str:
        return self.random.choice(STATUSES)

    def day(self, number: int) -> Iterator[str]:
        """The statements of one day: rows come, change and go, late ones and odd ones among them."""
        customers = [self.customer(id_) for id_ in self._next("customers", self.random.randint(0, 2))]
        orders = [self.order(id_, day=number + 5) for id_ in self._next("orders", self.random.randint(2, 8))]
        payments = [
            self.payment(id_, order=self.random.randint(1, self.last["orders"]))
            for id_ in self._next("payments", self.random.randint(2, 9))
        ]
        for table, rows in (("raw_customers", customers), ("raw_orders", orders), ("raw_payments", payments)):
            if rows:
                yield f"insert into {{schema}}.{table} values {', '.join(map(str, rows))}"
        yield f"update {{schema}}.raw_orders set status = '{self.status()}' where id % 7 = {number % 7}"
        if number % 3 == 0:
            yield f"update {{schema}}.raw_customers set family_name = 'F{number % 8}' where id % 9 = {number % 9}"
            yield f"delete from {{schema}}.raw_payments where id % 11 = {number % 11}"
        if number % 4 == 0:
            yield f"delete from {{schema}}.raw_orders where id % 13 = {number % 13}"
            yield f"update {{schema}}.raw_orders set customer = customer % 5 + 1 where id % 17 = {number % 17}"
        if number % 5 == 0:
            yield f"delete from {{schema}}.raw_customers where id = {number}"

    def _next(self, table: str, count: int) -> range:
        first, self.last[table] = self.last[table] + 1, self.last[table] + count
        return range(first, first + count)


def live_through(project: Any, shop: Shop, days: int) -> list[dict[str, str]]:
    """Let days pass; what was decided for each mart on each of them. Every mart equals its query every evening."""
    told = []
    for number in range(1, days + 1):
        for statement in shop.day(number):
            project.run_sql(statement)
        run_dbt(["run", "--select", "marts"])
        told.append(_decided())
        wrong = {name: found for name in NAMES if (found := _differences(project, name))}
        assert not wrong, f"day {number}: rows that differ {wrong}, {told[-1]}"
    return told


def _differences(project: Any, name: str) -> list[tuple[str, ...]]:
    query = Path(f"target/compiled/test/models/marts/{name}.sql").read_text()
    return in_one_only(_bag(project, f"select * from {project.test_schema}.{name}"), _bag(project, query))


def _bag(project: Any, sql: str) -> Bag:
    return Counter(tuple(comparable(value) for value in row) for row in project.run_sql(sql, fetch="all"))


def _decided() -> dict[str, str]:
    results = json.loads(Path("target/run_results.json").read_text())["results"]
    return {each["unique_id"].split(".")[-1]: each["adapter_response"]["kind"] for each in results}


def _csv(header: str, rows: list[tuple[object, ...]]) -> str:
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"
