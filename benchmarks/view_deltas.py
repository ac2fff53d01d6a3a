"""
View deltas against merges: the same windows propagated and merged, read, rolled to a moment, applied one by one and at
once.

    python -m benchmarks.view_deltas --groups 2000000 --windows 100
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from dbt_lazyview.adapter.session import new_session
from dbt_lazyview.maintenance.planning import Request
from dbt_lazyview.maintenance.policies import OPERATION, RUN
from dbt_lazyview.maintenance.refresh import refresh
from dbt_lazyview.maintenance.until import Until
from tests.functional.maintenance.lake import Lake

QUERY = "select account, count(*) as entries, sum(amount) as total from entries group by account"
LATER = {"apply": "later", "apply_share": 1e9}
ROWS = 100  # of each window, of accounts all over the table


def main() -> None:
    arguments = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        lake = Lake(new_session(Path(folder), {"spark.sql.ansi.enabled": "false"}), "deltas")
        _fill(lake, arguments.groups)
        for name, configs in (("merged", {}), ("propagated", LATER)):
            lake.refresh(name, QUERY, **configs)
        for what, seconds in _measured(lake, arguments.groups, arguments.windows).items():
            print(f"{what:<42} {seconds:8.2f} s", flush=True)


def _fill(lake: Lake, groups: int) -> None:
    lake.run(
        "create table entries (account bigint, amount decimal(12,2)) using delta",
        f"insert into entries select id, id % 1000 from range({groups})",
    )


def _measured(lake: Lake, groups: int, windows: int) -> dict[str, float]:
    """Every window is propagated to one view and merged into the other; the first one of each only warms up."""
    spent: dict[str, list[float]] = {"merged": [], "propagated": []}
    moments = []
    for number in range(windows + 1):
        lake.run(f"insert into entries select (id * 7919 + {number}) % {groups}, 1 from range({ROWS})")
        moments.append(round(time.time() * 1000))
        for name, configs in (("merged", {}), ("propagated", LATER)):
            spent[name].append(_seconds(lambda name=name, configs=configs: _refresh(lake, name, **configs)))  # type: ignore[misc]
    merged, propagated = spent["merged"][1:], spent["propagated"][1:]
    reads = {f"read, {name}": _read(lake, name) for name in spent}
    rolled = _seconds(lambda: _refresh(lake, "propagated", until=moments[windows // 2], **LATER))
    back = _seconds(lambda: _refresh(lake, "propagated", **LATER))
    applied = _seconds(lambda: _refresh(lake, "propagated", trigger=OPERATION, **LATER))
    assert lake.differences("propagated", QUERY) == []
    return {
        "a window merged": sum(merged) / windows,
        "a window propagated": sum(propagated) / windows,
        f"{windows} windows merged, each at its time": sum(merged),
        f"{windows} windows propagated": sum(propagated),
        f"{windows} windows applied at once": applied,
        **reads,
        "rolled to the middle": rolled,
        "shown up to the newest window again": back,
    }


def _refresh(lake: Lake, name: str, trigger: str = RUN, until: int | None = None, **configs: Any) -> None:
    moment = None if until is None else Until(_told(until), moment=until)
    refresh(lake.engine(), lake.target(name, QUERY, **configs), Request(trigger=trigger, until=moment))


def _told(moment: int) -> str:
    return datetime.fromtimestamp(moment / 1000, timezone.utc).isoformat()


def _seconds(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _read(lake: Lake, view: str) -> float:
    """All rows, twice: the second time counts."""
    query = f"select count(*), sum(total) from {view}"
    lake.run(query)
    return _seconds(lambda: lake.run(query))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--groups", type=int, default=2_000_000, help="rows of the state")
    parser.add_argument("--windows", type=int, default=100)
    return parser.parse_args()


if __name__ == "__main__":
    main()
