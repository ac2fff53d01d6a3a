"""One Spark for all, a schema of its own for every test."""

import itertools

import pytest

from dbt_lazyview.maintenance import decide
from tests.functional.maintenance.lake import Lake

_numbers = itertools.count()
SALES = "select region, count(*) as orders, sum(amount) as revenue from sales group by region"


@pytest.fixture
def lake(spark):
    return Lake(spark, f"protocol_{next(_numbers)}")


@pytest.fixture
def merges(monkeypatch):
    """States that are not overwritten are merged into, as over Thrift and where they have many files."""
    monkeypatch.setattr(decide, "REWRITTEN", 0)


@pytest.fixture
def sales(lake):
    """A small table, and the query of a view over it."""
    lake.run(
        "create table sales (id int, region string, amount decimal(10,2)) using delta",
        "insert into sales values (1, 'north', 10), (2, 'south', 20), (3, null, 5)",
    )
    return SALES
