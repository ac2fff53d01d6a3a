"""What was aimed at, and what the measured points say of it: no figure here or on the page is typed by hand."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from benchmarks.reading import File, Points, curve, fixed_change, place, points_of, titles
from benchmarks.sections.names import CUSTOMERS_MOVED, INSERTS, MAIN_VIEW, STAR, with_feed, with_views

AGGREGATE, JOIN = "aggregate of a table", "join and aggregate"
OPENIVM = {0.001: 2.9, 0.01: 2.3, 0.05: 1.8, 0.1: 1.7}
SLOWER, NOT_COUNTED = 1.1, 2.0  # `auto` may be so much slower than full; seconds that do not count
NOISE = 0.1
Files = Mapping[float, File]


@dataclass(frozen=True)
class Row:
    """A target, and whether it was reached; None: not measured."""

    what: str
    asked: str
    reached: str = "not measured"
    is_reached: bool | None = None

    @property
    def verdict(self) -> str:
        return {True: "yes", False: "**no**", None: ""}[self.is_reached]


def targets(files: Files) -> list[Row]:
    """All of them, in the order of the page."""
    return [
        *(_at_least(files, 1, view, share, 3.0) for view in (MAIN_VIEW, STAR) for share in (0.001, 0.01)),
        *(_at_least(files, 10, view, share, 10.0) for view in (MAIN_VIEW, STAR) for share in (0.001, 0.01)),
        _customers(files, 1, 2.5),
        _customers(files, 10, 8.0),
        *(_at_least(files, 1, JOIN, share, ratio, "above OpenIVM: ") for share, ratio in OPENIVM.items()),
        _at_least(files, 1, AGGREGATE, 0.001, 3.0),
        *(_never_slower(files, scale) for scale in files),
        *_idle(files),
        *_combined(files),
        *_writes(files),
        *_dbt(files),
        _memory(files),
        _quick(files),
    ]


def _at_least(files: Files, scale: float, view: str, share: float, ratio: float, why: str = "") -> Row:
    what, asked = f"SF{scale:g}, {view}, {share * 100:g} % inserts", f"{why}at least {ratio:g}x"
    found = place(points_of(files, scale, "curves"), view, INSERTS, share)
    if found is None:
        return Row(what, asked)
    return Row(
        what, asked, f"{found.ratio:.1f}x ({found.seconds:.2f} s, full {found.full:.2f} s)", found.ratio >= ratio
    )


def _customers(files: Files, scale: float, ratio: float) -> Row:
    what, asked = f"SF{scale:g}, {CUSTOMERS_MOVED}", f"at least {ratio:g}x"
    found = fixed_change(points_of(files, scale, "scaling"), CUSTOMERS_MOVED)
    if found is None:
        return Row(what, asked)
    refresh, full = found
    return Row(what, asked, f"{full / refresh:.1f}x ({refresh:.2f} s, full {full:.2f} s)", full / refresh >= ratio)


def _never_slower(files: Files, scale: float) -> Row:
    what = f"SF{scale:g}, `auto` at every point of every curve"
    asked = "at most 10 % slower than full; differences under 2 s do not count"
    points = points_of(files, scale, "curves")
    places = [(each, view) for view in titles(points) for kind in _kinds(points) for each in curve(points, view, kind)]
    if not places:
        return Row(what, asked)
    slow = [each for each, _ in places if each.seconds > max(SLOWER * each.full, each.full + NOT_COUNTED)]
    worst, view = min(places, key=lambda each: each[0].ratio)
    least = f"the least ratio is {worst.ratio:.2f}x ({view}, {worst.seconds - worst.full:+.1f} s)"
    told = f"{len(slow)} of {len(places)} points are slower; {least}"
    return Row(what, asked, told, not slow)


def _kinds(points: Points) -> list[str]:
    return list(dict.fromkeys(each["change"] for each in points.values()))


def _idle(files: Files) -> Iterable[Row]:
    points = points_of(files, 1, "idle").values()
    found = {each["views"]: each for each in points}
    one, many = found.get(1), found.get(50)
    yield Row(
        "nothing pending: Spark jobs", "none", *_judged(one, lambda it: f"{it['jobs']}", lambda it: it["jobs"] == 0)
    )
    for count, most, each in ((1, 0.15, one), (50, 2.0, many)):
        told = _judged(each, lambda it: f"{it['seconds']:.2f} s", lambda it, most=most: it["seconds"] < most)
        yield Row(f"nothing pending: {count} view{'s' if count > 1 else ''}", f"under {most:g} s", *told)


def _combined(files: Files) -> Iterable[Row]:
    for where in ("scattered", "skewed"):
        found = [each for each in points_of(files, 1, "combined").values() if each["where"] == where]
        ratio = found[0]["one_by_one"] / found[0]["together"]["seconds"] if found else None
        told = _judged(ratio, lambda it: f"{it:.0f}x", lambda it: it >= 13)
        yield Row(f"100 small updates, {where}: combined against one by one", "at least 13x, aim at 50x", *told)


def _writes(files: Files) -> Iterable[Row]:
    points = points_of(files, 1, "writes")
    for write in ("append", "update"):
        found = points.get(with_views(write))
        more = found["8"] / found["0"] - 1 if found else None
        told = _judged(more, _more, lambda it: it <= NOISE)
        yield Row(f"{write} to a table with 8 lazy views against none", "the same, within noise (10 %)", *told)
    fed = points.get(with_feed("append"))
    more = fed["on"] / fed["off"] - 1 if fed else None
    yield Row("what capture adds to an append", "under 10 %", *_judged(more, _more, lambda it: it < NOISE))


def _dbt(files: Files) -> Iterable[Row]:
    runs = next(iter(points_of(files, 1, "projects").values()), None)
    more = runs["lazy"] - runs["plain"] if runs else None
    told = _judged(more, lambda it: f"{it:+.1f} s", lambda it: it < 5)
    yield Row("`dbt run` of 20 fresh lazy views against 20 plain views", "under 5 s more", *told)
    start = next(iter(points_of(files, 1, "start").values()), None)
    told = _judged(start, lambda it: f"{it['seconds']:.1f} s", lambda it: it["seconds"] < 10)
    yield Row("cold start of the embedded session", "under 10 s", *told)


def _memory(files: Files) -> Row:
    """Points of a large scale factor were measured: so its refreshes came to an end with this heap."""
    driver = points_of(files, 10, "memory").get("driver") if points_of(files, 10, "curves") else None
    told = _judged(driver, lambda it: f"{it['heap_limit_gib']:g} GiB heap", lambda it: it["heap_limit_gib"] <= 2)
    return Row("SF10, incremental refreshes", "in a driver of 2 GiB", *told)


def _quick(files: Files) -> Row:
    seconds = files[1]["runs"].get("quick") if 1 in files else None
    told = _judged(seconds, lambda it: f"{it / 60:.1f} minutes", lambda it: it < 900)
    return Row("SF1, a quick run of this benchmark from the start", "under 15 minutes", *told)


def _more(share: float) -> str:
    return f"{share * 100:+.0f} %"


def _judged(found: object, told: Callable[..., str], judge: Callable[..., bool]) -> tuple[str, bool | None]:
    return ("not measured", None) if found is None else (told(found), judge(found))
