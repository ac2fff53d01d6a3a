"""V1 as dbt users have it today: a table, and an incremental model written by hand; each run by dbt itself."""

from functools import partial
from statistics import median
from typing import Any

from benchmarks.bench import Bench
from benchmarks.project import Project
from benchmarks.scope import Scope
from benchmarks.views import V1

SECTION = "others"
BY_DBT = True  # runs dbt itself, and not inside an invocation of it
SECONDS = 30  # per point
SHARE, TIMES = 0.01, 1
# What is stored is added to. Right as long as orders only come, with rising keys and all their lines at once.
MERGED = """
{{ config(materialized='incremental', incremental_strategy='merge', unique_key=['n_name', 'c_mktsegment']) }}
with recent as (
    select n_name, c_mktsegment, count(*) as totalcnt, sum(l_extendedprice) as totalprice,
        sum(l_quantity) as totalquantity, max(o_orderkey) as last_order
    from customer, orders, lineitem, nation
    where c_custkey = o_custkey and o_orderkey = l_orderkey and n_nationkey = c_nationkey
    {% if is_incremental() %}
        and o_orderkey > (select max(last_order) from {{ this }})
        and l_orderkey > (select max(last_order) from {{ this }})
    {% endif %}
    group by n_name, c_mktsegment
)
select r.n_name, r.c_mktsegment,
    {% if is_incremental() %}
    r.totalcnt + coalesce(t.totalcnt, 0) as totalcnt,
    r.totalprice + coalesce(t.totalprice, 0) as totalprice,
    r.totalquantity + coalesce(t.totalquantity, 0) as totalquantity,
    {% else %}
    r.totalcnt, r.totalprice, r.totalquantity,
    {% endif %}
    r.last_order
from recent as r
{% if is_incremental() %}
left join {{ this }} as t on t.n_name = r.n_name and t.c_mktsegment = r.c_mktsegment
{% endif %}
"""
MODELS = {
    "other_lazy_view": "{{ config(materialized='lazy_view') }}" + V1,
    "other_incremental": MERGED,
    "other_table": "{{ config(materialized='table') }}" + V1,
}
COLUMNS = "n_name, c_mktsegment, totalcnt, totalprice, totalquantity"


def names(scope: Scope) -> list[str]:
    return [] if scope.is_large else list(map(_name, MODELS))


def run(bench: Bench) -> None:
    if all(bench.results.has(SECTION, each) for each in names(bench.scope)):
        return
    warehouse = bench.warehouse
    project = Project(bench.folder / "others", bench.spark_folder, MODELS)
    project.run("--full-refresh")
    seconds: dict[str, list[float]] = {model: [] for model in MODELS}
    for _ in range(TIMES + 1):  # the first one warms up
        warehouse.insert(SHARE)
        _run_all(project, seconds)
    warehouse.take_back()
    _run_all(project, {model: [] for model in MODELS})
    for model in MODELS:
        point = {"seconds": round(median(seconds[model][1:]), 3), "wrong": _wrong_rows(bench, model)}
        bench.point(SECTION, _name(model), partial(dict, point), _told)
    _drop(bench)
    warehouse.reset()


def _run_all(project: Project, seconds: dict[str, list[float]]) -> None:
    """One model after the other, so that none takes another's time."""
    for model in MODELS:
        seconds[model].append(project.run("--select", model)[model].execution_time)


def _wrong_rows(bench: Bench, model: str) -> int:
    """Rows of the query that the model does not have, after orders went."""
    missing = f"select {COLUMNS} from ({V1}) except all select {COLUMNS} from {model}"
    return int(bench.lake.run(f"select count(*) from ({missing})")[0][0])


def _drop(bench: Bench) -> None:
    bench.lake.run("drop view if exists other_lazy_view")
    for table in ("other_lazy_view__state", "other_incremental", "other_table"):
        bench.lake.run(f"drop table if exists {table}")


def _name(model: str) -> str:
    return model.removeprefix("other_").replace("_view", " view")


def _told(found: dict[str, Any]) -> str:
    return f"{found['seconds']:6.2f} s; wrong rows after deletes: {found['wrong']}"
