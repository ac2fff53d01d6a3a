"""Points as a run would have measured them, made up; for tests of what is made of points."""

from typing import Any

from benchmarks.sections.names import CUSTOMERS_MOVED, MAIN_VIEW, STAR, with_feed, with_views

WINDOWS = {
    "windows": 100, "groups": 1_500_000, "merged": {"all": 400.0, "each": 4.0},
    "propagated": {"all": 150.0, "each": 1.5}, "applied": 10.0, "read_merged": 0.5, "read_propagated": 0.8,
    "rolled": 2.0, "back": 0.4,
}  # fmt: skip


def refreshed(seconds: float, kind: str = "incremental", **more: Any) -> dict[str, Any]:
    told = {"kind": kind, "reason": "", "strategy": "overwrite", "changes": 10, "statements": 1, "jobs": 8}
    return {**told, "seconds": seconds, "rows_read": 5, "bytes_read": 100, "bytes_written": 10, **more}


def curve_point(
    view: str, change: str, share: float, seconds: float, full: float | None = None, kind: str = "incremental"
) -> dict[str, Any]:
    point = {"view": view, "change": change, "share": share, "refresh": refreshed(seconds, kind)}
    return {**point, "full": refreshed(full, "full")} if full else point


def tpch_point(number: int, both: dict[str, Any], scattered: bool) -> dict[str, Any]:
    return {"query": number, "share": 0.01, "scattered": scattered, "first": both["refresh"], **both}


def named(*points: dict[str, Any]) -> dict[str, Any]:
    return {f"point {number}": point for number, point in enumerate(points)}


def curves(seconds: float, full: float) -> dict[str, Any]:
    """All shares and kinds; a full refresh at one of them."""
    views = ("aggregate of a table", "join and aggregate", MAIN_VIEW, STAR)
    changes = [(kind, share) for share in (0.001, 0.01, 0.05, 0.1) for kind in ("inserts", "deletes")]
    fulls = {0.01: full}
    found = [curve_point(view, *change, seconds, fulls.get(change[1])) for view in views for change in changes]
    return named(*found, curve_point(MAIN_VIEW, "updates", 0.5, full, full, "full"))


def points(seconds: float = 1.0, full: float = 5.0) -> dict[str, Any]:
    """One of everything."""
    return {"curves": curves(seconds, full), **_of_product(seconds, full), **_of_papers(seconds), **_of_dbt()}


def _of_product(seconds: float, full: float) -> dict[str, Any]:
    both = {"refresh": refreshed(seconds), "full": refreshed(full, "full")}
    fixed = {"refreshes": [refreshed(seconds)] * 3, "fulls": [refreshed(full, "full")]}
    return {
        "scaling": {CUSTOMERS_MOVED: {"view": MAIN_VIEW, "customers": 100, "orders": 0, **fixed}},
        "tpch": named(*(tpch_point(number, both, scattered) for scattered in (False, True) for number in range(1, 23))),
        "idle": named(*({"views": count, "seconds": 0.02 * count, "jobs": 0, "rows_read": 0} for count in (1, 10, 50))),
    }


def _of_papers(seconds: float) -> dict[str, Any]:
    update = {"customers": 100, "views": ["V1"], "update": 0.5, "refresh": seconds, "kind": "incremental", "eager": 2.0}
    query = {"update": 0.5, "check": 1.0, "query": 0.1}
    together = {"one_by_one": 200.0, "refreshes": 10, "together": refreshed(2.0)}
    tried = [{"share": share, "refresh": refreshed(1), "full": refreshed(0.2 / share)} for share in (0.1, 0.4)]
    return {
        "combined": named(*({"where": where, **together} for where in ("scattered", "skewed"))),
        "responses": {"100 customers updated, 1 view": update, "query 0 s after an update": query},
        "writes": {
            **{with_views(write): {"0": 0.5, "1": 0.5, "2": 0.5, "8": 0.51} for write in ("append", "update")},
            **{with_feed(write): {"on": 0.52, "off": 0.5} for write in ("append", "update", "merge", "delete")},
        },
        "break-even": named(
            {"change": "inserts", "share": 0.2, "tried": tried},
            {"change": "deletes", "share": None, "tried": tried[:1]},
        ),
        "asynchronous": {
            "10 x insert lineitem": {"statements": 10, "synchronous": 20.0, "asynchronous": 2.0},
            "10 x combined": {"statements": 60, "asynchronous": 3.0},
        },
        "view-deltas": {"100 windows": WINDOWS},
        "managed": {"no manager": {"median": 0.5, "slowest": 0.9, "refreshes": 0}},
    }


def _of_dbt() -> dict[str, Any]:
    seconds = {"lazy view": (1.5, 0), "incremental": (2.5, 125), "table": (6.0, 0)}
    return {
        "others": {name: {"seconds": taken, "wrong": wrong} for name, (taken, wrong) in seconds.items()},
        "projects": {"dbt run of 20 models": {"lazy": 8.0, "plain": 5.0}},
        "start": {"cold start of the embedded session": {"imports": 1.0, "seconds": 8.0}},
        "memory": {"driver": {"heap_limit_gib": 2.0, "resident_peak_gib": 2.6}},
    }


def file(scale: float, found: dict[str, Any], **runs: float) -> dict[str, Any]:
    machine = {"cores": 2, "processor": "some", "memory_gib": 8, "system": "Linux", "python": "3.11.0"}
    origin = {"measured": "2026-01-01", "machine": machine, "versions": {"pyspark": "4.2.0"}}
    origins = {section: dict.fromkeys(each, 0) for section, each in found.items()}
    return {
        "scale": scale, "origins": [origin], "runs": runs, "seconds": {}, "points": found, "origin_of": origins,
    }  # fmt: skip
