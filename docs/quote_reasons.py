"""
Quotes messages in docs/reasons.md as they are printed: `python -m docs.quote_reasons` rewrites the example of every
reason whose message can be produced without an engine.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from dbt_lazyview.adapter.models import check_model
from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.reasons import ModelError, Reason
from dbt_lazyview.maintenance.configuration import not_allowed
from dbt_lazyview.maintenance.cut import not_delta
from dbt_lazyview.maintenance.engine import EngineError
from dbt_lazyview.maintenance.errors import WHAT_HAPPENED, NotBuilt, failed, log_unusable, lost, refused, too_large
from tests.unit.compiler.paper_catalog import PaperCatalog

PAGE = Path(__file__).resolve().parent / "reasons.md"
SECTION = re.compile(r"^### (LV\d+)\n.*?(?=^#{2,3} |\Z)", re.DOTALL | re.MULTILINE)
EXAMPLE = re.compile(r"```text\n.*?```\n", re.DOTALL)

TABLES = {
    "raw_orders": ["order_id int", "status string"],
    "customers": ["customer_id int", "address struct<street:string,city:string>"],
    "marked": ["id int", "lv_weight int"],
}
VIEW, SOURCE = ("spark_catalog", "shop", "sales"), ("spark_catalog", "shop", "orders")
QUERIES = {
    Reason.PARSE_ERROR: "select order_id,\n    status frm raw_orders where",
    Reason.RESERVED_NAME: "select * from marked",
    Reason.DUPLICATE_COLUMN: "select order_id, status as Order_Id\nfrom raw_orders",
    Reason.UNSUPPORTED: "select * except (address.street)\nfrom customers",
    Reason.NON_DETERMINISTIC: "select order_id,\n    case when rand() < 0.1 then status end as sampled from raw_orders",
    Reason.RECURSIVE: "with recursive t(n) as (select 1 union all select n + 1 from t where n < 5)\nselect n from t",
}
OF_A_SOURCE = (
    Reason.SOURCE_RECREATED, Reason.SOURCE_SCHEMA_CHANGED, Reason.CHANGE_FEED_MISSING, Reason.HISTORY_GONE,
)  # fmt: skip


def messages() -> dict[Reason, str]:
    """A message for each reason, as it is printed."""
    return {**dict(_of_models()), **dict(_of_refreshes())}


def _of_models() -> Iterator[tuple[Reason, str]]:
    for reason, sql in QUERIES.items():
        yield reason, _told(lambda sql=sql: _compile(sql))
    yield Reason.NOT_DELTA, not_delta(("spark_catalog", "shop", "prices"), "parquet").render()
    model = {"name": "sales", "language": "sql", "config": {"refresh_mode": "sometimes"}}
    yield Reason.INVALID_CONFIG, _told(lambda: check_model(model))
    yield Reason.PYTHON_MODEL, _told(lambda: check_model({**model, "language": "python", "config": {}}))


def _of_refreshes() -> Iterator[tuple[Reason, str]]:
    orders = ".".join(f"`{part}`" for part in SOURCE)
    for reason in (each for each in WHAT_HAPPENED if each is not Reason.REFRESH_MODE_FULL):  # which is no refusal
        yield reason, str(refused(VIEW, reason, orders if reason in OF_A_SOURCE else "", ()))
    yield Reason.STATE_MISSING, str(NotBuilt(VIEW))
    full_disk = EngineError("Job aborted.\nCaused by: java.io.IOException: No space left on device")
    full_disk.step = "write the state"
    yield Reason.REFRESH_FAILED, str(failed(VIEW, full_disk))
    yield Reason.LOST_RACE, str(lost(VIEW, 5))
    large = too_large(VIEW, Reason.HISTORY_GONE, orders, "81,604,378,624 bytes", "50 GB")
    yield Reason.FULL_REFRESH_TOO_LARGE, str(large)
    negative = EngineError("[DELTA_VIOLATE_CONSTRAINT_WITH_VALUES] CHECK constraint paid (revenue >= 0) violated")
    yield Reason.CONSTRAINT_VIOLATED, str(failed(VIEW, negative))
    told = "Configuration changes were identified and `on_configuration_change` was set to `fail` for `shop`.`sales`"
    yield Reason.CONFIGURATION_CHANGED, str(not_allowed(VIEW, ("exact", "partition_by"), told))
    copy = ("spark_catalog", "shop", "orders__copy_5f0a21")
    yield Reason.LOG_UNUSABLE, str(log_unusable("`shop`.`orders_log`", orders, copy, "its operation X is not known"))


def _compile(sql: str) -> None:
    raise ModelError(compile_view(sql, PaperCatalog(TABLES)).problems)


def _told(refused: Callable[[], None]) -> str:
    try:
        refused()
    except ModelError as error:
        return str(error)
    raise AssertionError("nothing was refused")


def current(page: str) -> str:
    """The page with every example as it is printed now; a section without one gets it before its remedy."""
    told = {reason.code: message for reason, message in messages().items()}
    return SECTION.sub(lambda found: _with_example(found.group(), told.get(found.group(1))), page)


def _with_example(section: str, message: str | None) -> str:
    if message is None:
        return section
    block = f"```text\n{message}\n```\n"
    if EXAMPLE.search(section):
        return EXAMPLE.sub(lambda _: block, section, count=1)
    before, remedy, after = section.partition("\n*Remedy:*")
    return f"{before.rstrip()}\n{block}{remedy.lstrip()}{after}" if remedy else section


if __name__ == "__main__":
    PAGE.write_text(current(PAGE.read_text()))
