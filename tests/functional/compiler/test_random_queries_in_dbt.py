"""A sample of the random queries on real Spark and Delta, as models of a dbt project."""

import re
from collections import Counter
from random import Random

import pytest
from dbt.tests.util import run_dbt, write_file

from dbt_lazyview.compiler.compile import compile_view
from tests.functional.bags import bag
from tests.functional.maintenance.lake import Lake
from tests.property.random_queries import QueryGenerator
from tests.property.random_schema import random_row, random_tables, random_value

VIEWS = 4
FIRST_SEED = 4_000
TABLES = random_tables(Random(FIRST_SEED))


class TestRandomQueries:
    @pytest.fixture(scope="class")
    def models(self):
        return {}

    @pytest.fixture(scope="class")
    def lake(self, spark, project):
        """The tables, with a few rows."""
        lake = Lake(spark, project.test_schema)
        for table, columns in TABLES.items():
            lake.run(f"create table {table} ({', '.join(f'{name} {kind}' for name, kind in columns)}) using delta")
        return lake

    @pytest.mark.long
    def test_views_stay_equal_to_their_queries(self, project, lake):
        random = Random(FIRST_SEED)
        insert(lake, random, 8)
        queries = accepted(lake)
        for name, sql in queries.items():
            config = "{{ config(materialized='lazy_view', refresh_mode='incremental') }}"
            qualified = re.sub(f"(from|join) ({'|'.join(TABLES)})\\b", rf"\1 {project.test_schema}.\2", sql)
            write_file(f"{config}\n{qualified}", project.project_root, "models", f"{name}.sql")
        assert self.refreshed(lake, queries) == Counter(build=VIEWS)
        insert(lake, random, 3)
        take_and_move(lake, random)
        assert self.refreshed(lake, queries)["incremental"] >= VIEWS - 1

    def refreshed(self, lake, queries):
        """How the views were refreshed; each equals its query then."""
        results = run_dbt(["run"])
        wrong = {name: sql for name, sql in queries.items() if shown(lake, f"select * from {name}") != shown(lake, sql)}
        assert wrong == {}
        return Counter(each.adapter_response["kind"] for each in results)


def accepted(lake):
    """Random queries that Spark accepts as well: it is stricter about types and correlation than DuckDB is."""
    found, seed = {}, FIRST_SEED
    while len(found) < VIEWS:
        seed += 1
        sql = QueryGenerator(Random(seed), TABLES).query(2).sql
        try:
            shown(lake, sql)
        except Exception:
            continue
        assert compile_view(sql, lake.engine().catalog()).problems == (), sql
        found[f"query_{seed}"] = sql
    return found


def insert(lake, random, count):
    for table, columns in TABLES.items():
        rows = [random_row(random, columns) for _ in range(count)]
        values = ", ".join("(" + ", ".join(map(literal, row)) + ")" for row in rows)
        lake.run(f"insert into {table} values {values}")


def take_and_move(lake, random):
    """In every table rows go, and others get a value that some row had."""
    for table, columns in TABLES.items():
        name, kind = random.choice(columns)
        values = [random_value(random, kind) for _ in range(3)]
        lake.run(
            f"delete from {table} where {name} <=> {literal(values[0])}",
            f"update {table} set {name} = {literal(values[1])} where {name} <=> {literal(values[2])}",
        )


def shown(lake, sql):
    return bag(lake.session, sql)


def literal(value):
    if value is None:
        return "null"
    return f"'{value}'" if isinstance(value, str) else str(value)
