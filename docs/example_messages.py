"""Every error and every reason with a text as it is printed, produced by the functions that print it."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from dbt_common.exceptions import DbtRuntimeError

from dbt_lazyview.adapter.asking import unknown_format, unknown_group, unknown_policy, unknown_views
from dbt_lazyview.adapter.folder_lock import in_use
from dbt_lazyview.adapter.java import no_java
from dbt_lazyview.adapter.models import check_model
from dbt_lazyview.adapter.session import did_not_start, refuse_connect
from dbt_lazyview.adapter.triggers import reads_stale
from dbt_lazyview.compiler.catalog import CatalogError, Column, Name, StoredView, Table
from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.reasons import ModelError, Problem, Reason
from dbt_lazyview.maintenance.amounts import size
from dbt_lazyview.maintenance.configuration import not_allowed
from dbt_lazyview.maintenance.cut import not_delta
from dbt_lazyview.maintenance.definition import Definition
from dbt_lazyview.maintenance.engine import EngineError
from dbt_lazyview.maintenance.errors import WHAT_HAPPENED, NotBuilt, failed, log_unusable, lost, refused, too_large
from dbt_lazyview.maintenance.groups import group_waits
from dbt_lazyview.maintenance.keys import violated
from dbt_lazyview.maintenance.mixing import check_mixing
from dbt_lazyview.maintenance.outcome import Outcome
from dbt_lazyview.maintenance.tree import Node, Target, unversioned
from dbt_lazyview.maintenance.until import Until, already_past
from tests.unit.compiler.paper_catalog import PaperCatalog

TABLES = {
    "raw_orders": ["order_id int", "status string"],
    "customers": ["customer_id int", "address struct<street:string,city:string>"],
    "marked": ["id int", "lv_weight int"],
}
VIEW, SOURCE = ("spark_catalog", "shop", "sales"), ("spark_catalog", "shop", "orders")
ORDERS = "`spark_catalog`.`shop`.`orders`"
QUERIES = {
    Reason.PARSE_ERROR: "select order_id,\n    status frm raw_orders where",
    Reason.UNKNOWN_RELATION: "select order_id\nfrom raw_order",
    Reason.RESERVED_NAME: "select * from marked",
    Reason.DUPLICATE_COLUMN: "select order_id, status as Order_Id\nfrom raw_orders",
    Reason.UNSUPPORTED: "select * except (address.street)\nfrom customers",
    Reason.NON_DETERMINISTIC: "select order_id,\n    case when rand() < 0.1 then status end as sampled from raw_orders",
    Reason.RECURSIVE: "with recursive t(n) as (select 1 union all select n + 1 from t where n < 5)\nselect n from t",
}
OF_A_SOURCE = (
    Reason.SOURCE_RECREATED, Reason.SOURCE_SCHEMA_CHANGED, Reason.CHANGE_FEED_MISSING, Reason.HISTORY_GONE,
)  # fmt: skip
NOT_A_TABLE = (
    "[TABLE_OR_VIEW_NOT_FOUND] The table or view `shop`.`{}` cannot be found. Verify the spelling and correctness of "
    "the schema and catalog."
)
NOT_A_COLUMN = (
    "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name `statu` cannot be "
    "resolved. Did you mean one of the following? [`status`, `order_id`]. SQLSTATE: 42703"
)
# What is no error: the line that dbt prints for the view.
OUTCOMES = (
    Outcome("", "build", Reason.FIRST_BUILD.word, changes=None, rows_changed=20, seconds=3.1),
    Outcome("", "full", Reason.FULL_REFRESH_REQUESTED.word, changes=None, rows_changed=20, seconds=2.4),
    Outcome("", "full", Reason.REFRESH_MODE_FULL.word, changes=13, rows_changed=20, seconds=2.2),
    Outcome("", "full", Reason.DELTA_TOO_LARGE.word, changes=61_000, rows_changed=20, seconds=2.6),
    Outcome("", "noop", Reason.CHANGES_IRRELEVANT.word, changes=4, seconds=0.6),
)


def messages() -> dict[Reason, str]:
    """A message for each reason that is an error."""
    return {**dict(_of_models()), **dict(_of_sources()), **dict(_of_refreshes()), **dict(_of_failures())}


def result_lines() -> dict[Reason, str]:
    """What dbt's result line has in brackets, for each reason that is none."""
    return {Reason[outcome.reason.upper()]: f"[{outcome.what} in {outcome.seconds:.2f}s]" for outcome in OUTCOMES}


def others() -> dict[str, str]:
    """Errors that are about no one view, by the headings they have on the page."""
    connect = {"spark.remote": "sc://spark.internal"}
    full_disk = str(failed(VIEW, _full_disk()))
    return {
        "No Java": str(no_java(lambda tool: tool == "apt-get")),
        "The folder is in use": str(in_use(Path("/srv/shop/.lazyview"), 4711)),
        "Spark does not start": _told(lambda: did_not_start(_no_gateway(), Path("/srv/shop/.lazyview/spark.log"))),
        "Spark Connect": _told(lambda: refuse_connect(connect)),
        "A reader of a view that cannot be refreshed": reads_stale("report", "sales", f"Lazy view sales: {full_disk}"),
        "No such view, group, policy or format": "\n".join(_unknown()),
    }


def _unknown() -> Iterator[str]:
    yield str(unknown_views(["sale"], ["sales", "totals"]).msg)
    yield str(unknown_group("finance", []).msg)
    yield str(unknown_policy("eager").msg)
    yield str(unknown_format("xml").msg)


def _of_models() -> Iterator[tuple[Reason, str]]:
    for reason, sql in QUERIES.items():
        yield reason, _told(lambda sql=sql: _compile(sql))
    yield Reason.INVALID_QUERY, _told(lambda: compile_view("select statu from raw_orders", _Unresolved(TABLES)))
    model = {"name": "sales", "language": "sql", "config": {"refresh_mode": "sometimes"}}
    yield Reason.INVALID_CONFIG, _told(lambda: check_model(model))
    yield Reason.PYTHON_MODEL, _told(lambda: check_model({**model, "language": "python", "config": {}}))
    returns = _node("returns", Definition("", policy="deferred"))
    yield (
        Reason.POLICY_CONFLICT,
        _told(lambda: check_mixing(_node("balance", Definition("", policy="immediate"), returns))),
    )


def _of_sources() -> Iterator[tuple[Reason, str]]:
    prices = ("spark_catalog", "shop", "prices")
    yield Reason.NOT_DELTA, not_delta(prices, "parquet").render()
    unseen = unversioned("`spark_catalog`.`shop`.`prices`")
    yield Reason.SOURCE_UNVERSIONED, str(refused(VIEW, Reason.SOURCE_UNVERSIONED, "", (unseen,)))
    copy = ("spark_catalog", "shop", "orders__copy_5f0a21")
    yield Reason.LOG_UNUSABLE, str(log_unusable("`shop`.`orders_log`", ORDERS, copy, "its operation X is not known"))


def _of_refreshes() -> Iterator[tuple[Reason, str]]:
    for reason in (each for each in WHAT_HAPPENED if each is not Reason.REFRESH_MODE_FULL):  # which is no refusal
        yield reason, str(refused(VIEW, reason, ORDERS if reason in OF_A_SOURCE else "", ()))
    yield Reason.STATE_MISSING, str(NotBuilt(VIEW))
    large = too_large(VIEW, Reason.HISTORY_GONE, ORDERS, size(81_604_378_624), "50 GB")
    yield Reason.FULL_REFRESH_TOO_LARGE, str(large)
    told = "Configuration changes were identified and `on_configuration_change` was set to `fail` for `shop`.`sales`"
    yield Reason.CONFIGURATION_CHANGED, str(not_allowed(VIEW, ("exact", "partition_by"), told))
    yield Reason.POINT_UNREACHABLE, str(already_past(VIEW, Until("2026-01-31")))


def _of_failures() -> Iterator[tuple[Reason, str]]:
    yield Reason.REFRESH_FAILED, str(failed(VIEW, _full_disk()))
    yield Reason.LOST_RACE, str(lost(VIEW, 5))
    gone = _problems("select order_id\nfrom raw_order")
    yield Reason.GROUP_STAYS, str(ModelError((group_waits("finance", VIEW), *gone)))
    keyed = _node("customers", Definition("", unique_key=("customer_id",)))
    yield Reason.KEY_VIOLATED, str(violated(keyed, ["customer_id = 17: 2 rows"]))
    negative = EngineError("[DELTA_VIOLATE_CONSTRAINT_WITH_VALUES] CHECK constraint paid (revenue >= 0) violated")
    yield Reason.CONSTRAINT_VIOLATED, str(failed(VIEW, negative))


def _full_disk() -> EngineError:
    error = EngineError("Job aborted.\nCaused by: java.io.IOException: No space left on device")
    error.step = "write the state"
    return error


def _no_gateway() -> Exception:
    return RuntimeError("[JAVA_GATEWAY_EXITED] Java gateway process exited before sending its port number.")


class _Spark(PaperCatalog):
    """In Spark's words: that there is no such table."""

    def relation(self, name: Name, namespace: Name | None) -> Table | StoredView:
        if name[-1] not in self.tables:
            raise CatalogError(NOT_A_TABLE.format(name[-1]))
        return super().relation(name, namespace)


class _Unresolved(_Spark):
    """In Spark's words: that a column is not known."""

    def describe(self, sql: str) -> tuple[Column, ...]:
        raise CatalogError(NOT_A_COLUMN)


def _node(name: str, definition: Definition, *parents: Node) -> Node:
    """A view as far as messages look at it."""
    details = dict.fromkeys([SOURCE, *(parent.target.state for parent in parents)])
    by_state = {parent.target.state: parent for parent in parents}
    return Node(Target(("spark_catalog", "shop", name), definition), None, details, {}, by_state)  # type: ignore[arg-type]


def _problems(sql: str) -> Sequence[Problem]:
    try:
        return compile_view(sql, _Spark(TABLES)).problems
    except ModelError as error:
        return error.problems


def _compile(sql: str) -> None:
    raise ModelError(tuple(_problems(sql)))


def _told(refused: Callable[[], object]) -> str:
    try:
        problem = refused()
    except (ModelError, DbtRuntimeError) as error:
        problem = error
    assert isinstance(problem, Exception), "nothing was refused"
    return str(getattr(problem, "msg", None) or problem)
