"""What the page says of curves, TPC-H, sizes, idle views, and of what others do."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from benchmarks import words
from benchmarks.plots import Bars, Line, bar_plot, line_plot
from benchmarks.reading import (
    File,
    Place,
    Point,
    Points,
    curve,
    fixed_change,
    mean_ratio,
    points_of,
    ratio_of,
    titles,
    tpch_sets,
)
from benchmarks.text import Written, image, percent, table

CHANGES = ("inserts", "deletes", "updates")
Files = Mapping[float, File]


def sections(files: Files) -> Iterator[Written]:
    for scale in sorted(files, reverse=True):
        yield _curves(scale, points_of(files, scale, "curves"))
    for scale in sorted(files, reverse=True):
        yield _tpch(scale, points_of(files, scale, "tpch"))
    yield _scaling(files)
    for scale in sorted(files, reverse=True):
        yield _idle(scale, points_of(files, scale, "idle"))
        yield _others(scale, points_of(files, scale, "others"))
        yield _dbt(scale, files)


def _curves(scale: float, points: Points) -> Written:
    """A plot and a table for each kind of change."""
    if not points:
        return Written("")
    text = [words.on(words.CURVES, scale)]
    plots = {}
    for change in CHANGES:
        found = {view: places for view in titles(points) if (places := curve(points, view, change))}
        if found:
            name = f"curves-sf{scale:g}-{change}.svg"
            plots[name] = _curve_plot(f"SF{scale:g}, {change}: full time / refresh time", found)
            text.append(image(name, f"Ratios of {change}") + "\n" + _curve_table(change, found))
    return Written("\n".join(text), plots)


def _curve_plot(title: str, found: Mapping[str, list[Place]]) -> str:
    lines = [
        Line(
            view,
            tuple((each.share * 100, each.ratio) for each in places),
            tuple(each.kind == "full" for each in places),
        )
        for view, places in found.items()
    ]
    return line_plot(title, "changed rows", lines, " %", "x", even=1)


def _curve_table(change: str, found: Mapping[str, list[Place]]) -> str:
    shares = sorted({each.share for places in found.values() for each in places})
    rows = [[view, *(_cell(places, share) for share in shares)] for view, places in found.items()]
    return table([change, *map(percent, shares)], rows)


def _cell(places: list[Place], share: float) -> str:
    found = next((each for each in places if each.share == share), None)
    if found is None:
        return ""
    how = "" if found.kind == "incremental" else f", {found.kind}"
    return f"{found.ratio:.1f}x ({found.seconds:.2f} of {found.full:.2f} s, {found.jobs} jobs{how})"


def _tpch(scale: float, points: Points) -> Written:
    """A bar and a cell for each query and kind of refresh sets."""
    sets = tpch_sets(points)
    if not sets:
        return Written("")
    numbers = sorted({number for found in sets.values() for number in found})
    bars = [
        Bars(f"query {each}", tuple(ratio_of(found[each]) if each in found else None for found in sets.values()))
        for each in numbers
    ]
    name = f"tpch-sf{scale:g}.svg"
    plot = bar_plot(f"TPC-H, SF{scale:g}: full time / refresh time", list(sets), bars, "x", even=1)
    head = ["query", *(f"{each}: ratio, seconds, full (the first set)" for each in sets)]
    rows = [[str(each), *(_tpch_cell(found.get(each)) for found in sets.values())] for each in numbers]
    means = table(["refresh sets", "geometric mean of all", "of those that the sets touch"], list(_tpch_means(sets)))
    text = words.on(words.TPCH, scale) + means + image(name, "Ratios of the queries")
    return Written(f"{text}\n{table(head, rows)}", {name: plot})


def _tpch_means(sets: Mapping[str, Mapping[int, Point]]) -> Iterator[list[str]]:
    for name, found in sets.items():
        touched = [each for each in found.values() if each["refresh"]["kind"] != "noop"]
        yield [name, *(f"{_mean(each):.1f}x ({len(each)} queries)" for each in (list(found.values()), touched) if each)]


def _mean(found: Iterable[Point]) -> float:
    return mean_ratio(map(ratio_of, found))


def _tpch_cell(point: Point | None) -> str:
    if point is None:
        return ""
    refresh, full, first = point["refresh"], point["full"]["seconds"], point["first"]["seconds"]
    how = "" if refresh["kind"] == "incremental" else f", {refresh['kind']}"
    return f"{ratio_of(point):.1f}x, {refresh['seconds']:.2f} s, {full:.2f} s ({first:.2f} s){how}"


def _scaling(files: Files) -> Written:
    """The same changes at all scale factors."""
    names = list(dict.fromkeys(name for scale in files for name in points_of(files, scale, "scaling")))
    if not names:
        return Written("")
    found = {
        name: {scale: told for scale in files if (told := fixed_change(points_of(files, scale, "scaling"), name))}
        for name in names
    }
    scales = [scale for scale in files if any(scale in each for each in found.values())]
    rows = [[name, *(_scaled(each.get(scale)) for scale in scales)] for name, each in found.items()]
    text = words.SCALING
    head = ["change", *(f"SF{scale:g}: refresh, full" for scale in scales)]
    plots = {"scaling.svg": _scaling_plot(found)} if len(scales) > 1 else {}
    shown = image("scaling.svg", "Seconds by scale factor") if plots else ""
    return Written(text + shown + "\n" + table(head, rows), plots)


def _scaled(found: tuple[float, float] | None) -> str:
    return f"{found[0]:.2f} s, {found[1]:.2f} s ({found[1] / found[0]:.1f}x)" if found else ""


def _scaling_plot(found: Mapping[str, Mapping[float, tuple[float, float]]]) -> str:
    """A line for each change, and one for the full refreshes of each view."""
    refreshes = {_short(name): _seconds(by_scale, 0) for name, by_scale in found.items()}
    fulls = {f"{_short(name).split(',')[0]}: full": _seconds(by_scale, 1) for name, by_scale in found.items()}
    lines = [Line(label, places) for label, places in {**refreshes, **fulls}.items()]
    return line_plot("Seconds by scale factor", "scale factor of TPC-H", lines, y_unit=" s")


def _short(name: str) -> str:
    return name.replace(" of paper Z", "").replace(" of five tables", "")


def _seconds(by_scale: Mapping[float, tuple[float, float]], column: int) -> tuple[tuple[float, float], ...]:
    return tuple((scale, told[column]) for scale, told in by_scale.items())


def _idle(scale: float, points: Points) -> Written:
    if not points:
        return Written("")
    rows = [_idle_row(each) for each in points.values()]
    text = words.on(words.IDLE, scale)
    return Written(text + "\n" + table(["views", "seconds", "seconds per view", "jobs", "rows read"], rows))


def _idle_row(each: Mapping[str, Any]) -> list[str]:
    seconds = [f"{each['seconds']:.2f}", f"{each['seconds'] / each['views']:.3f}"]
    return [str(each["views"]), *seconds, str(each["jobs"]), str(each["rows_read"])]


def _others(scale: float, points: Points) -> Written:
    if not points:
        return Written("")
    rows = [[name, f"{each['seconds']:.2f}", str(each["wrong"])] for name, each in points.items()]
    name = f"others-sf{scale:g}.svg"
    plot = bar_plot(
        f"V1 after 1 % inserts, SF{scale:g}: seconds of dbt's model",
        ["seconds"],
        [Bars(label, (each["seconds"],)) for label, each in points.items()],
        " s",
    )
    text = words.on(words.OTHERS, scale)
    head = ["materialized", "seconds after 1 % inserts", "wrong rows after deletes"]
    return Written(text + image(name, "Seconds of dbt's model") + "\n" + table(head, rows), {name: plot})


def _dbt(scale: float, files: Files) -> Written:
    rows = []
    for each in points_of(files, scale, "projects").values():
        rows.append(["`dbt run` of 20 lazy views with nothing to do", f"{each['lazy']:.1f} s"])
        rows.append(["`dbt run` of 20 plain views", f"{each['plain']:.1f} s"])
    for each in points_of(files, scale, "start").values():
        rows.append(["cold start of the embedded session, metastore created", f"{each['seconds']:.1f} s"])
        if "first" in each:
            rows.append(["the same before its classes are kept on the machine", f"{each['first']:.1f} s"])
        rows.append(["imports before it", f"{each['imports']:.1f} s"])
    for each in points_of(files, scale, "memory").values():
        rows.append(["heap that the driver may use", f"{each['heap_limit_gib']:g} GiB"])
        rows.append(["most memory of the driver's process in all", f"{each['resident_peak_gib']:g} GiB"])
    return Written(words.on(words.DBT, scale) + table(["what", ""], rows) if rows else "")
