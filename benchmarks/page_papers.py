"""What the page says of the papers' experiments."""

from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks import words
from benchmarks.plots import Bars, bar_plot
from benchmarks.reading import File, Points, points_of
from benchmarks.text import Written, image, percent, table

Files = Mapping[float, File]
PAPER_C = {"inserts": 0.23, "deletes": 0.15, "updates": 0.07}
# Table 1 of paper V: milliseconds synchronously and asynchronously, ten rows by ten statements.
PAPER_V = {
    "insert lineitem": (211, 40), "delete lineitem": (925, 66), "update lineitem": (1174, 89),
    "insert customer": (139, 28), "delete customer": (612, 54), "update customer": (757, 77),
}  # fmt: skip


def sections(files: Files) -> Iterator[Written]:
    for scale in sorted(files, reverse=True):
        yield _responses(scale, points_of(files, scale, "responses"))
        yield _combined(scale, points_of(files, scale, "combined"))
        yield _writes(scale, points_of(files, scale, "writes"))
        yield _break_even(scale, points_of(files, scale, "break-even"))
        yield _asynchronous(scale, points_of(files, scale, "asynchronous"))
        yield _view_deltas(scale, points_of(files, scale, "view-deltas"))
        yield _managed(scale, points_of(files, scale, "managed"))


def _responses(scale: float, points: Points) -> Written:
    """Figures 5, 6, 7 and 9 of Z."""
    updates = {name: each for name, each in points.items() if "customers" in each}
    queries = {name: each for name, each in points.items() if "query" in each}
    if not points:
        return Written("")
    text = words.on(words.RESPONSES, scale)
    plots: dict[str, str] = {}
    if updates:
        name = f"responses-sf{scale:g}.svg"
        bars = [Bars(label, (each["update"], each["eager"])) for label, each in updates.items()]
        plots[name] = bar_plot(f"Figure 5, SF{scale:g}: until the update is done", ["lazily", "eagerly"], bars, " s")
        text += image(name, "Update response") + "\n" + _update_table(updates)
    return Written(text + ("\n" + _query_table(queries) if queries else ""), plots)


def _update_table(updates: Points) -> str:
    head = ["update", "views", "lazily: update", "refresh later", "in all", "eagerly", "whoever updates waits"]
    rows = [
        [
            label.split(",")[0], _views(each["views"]), f"{each['update']:.2f} s", f"{each['refresh']:.2f} s",
            f"{each['update'] + each['refresh']:.2f} s", f"{each['eager']:.2f} s",
            f"{each['eager'] / each['update']:.1f}x shorter",
        ]
        for label, each in updates.items()
    ]  # fmt: skip
    return table(head, rows)


def _views(titles: list[str]) -> str:
    """
    Those on the table that is updated.

    Example:
        >>> _views([]), _views(["V1", "V2"]), _views(["V1", "V2", "customers by c_nationkey"])
        ('none', 'V1 and V2', '3, V1 and V2 among them')
    """
    first = " and ".join(titles[:2])
    return f"{len(titles)}, {first} among them" if len(titles) > 2 else first or "none"


def _query_table(queries: Points) -> str:
    head = ["figure 7: 100 customers, then a query", "update", "refresh before the query", "query", "in all"]
    parts = ("update", "check", "query")
    rows = [
        [label, *(f"{each[part]:.2f} s" for part in parts), f"{sum(each[part] for part in parts):.2f} s"]
        for label, each in queries.items()
    ]
    return table(head, rows)


def _combined(scale: float, points: Points) -> Written:
    if not points:
        return Written("")
    rows = [_combined_row(label, each) for label, each in points.items()]
    name = f"combined-sf{scale:g}.svg"
    bars = [Bars(each["where"], (each["one_by_one"], each["together"]["seconds"])) for each in points.values()]
    plot = bar_plot(f"Figure 8, SF{scale:g}: seconds for 100 updates", ["one by one", "combined"], bars, " s")
    text = words.on(words.COMBINED, scale)
    head = ["updates", "one by one", "of which measured", "combined", "", "how"]
    return Written(text + image(name, "A hundred updates") + "\n" + table(head, rows), {name: plot})


def _combined_row(label: str, each: Mapping[str, Any]) -> list[str]:
    together = each["together"]
    ratio = f"**{each['one_by_one'] / together['seconds']:.0f}x**"
    how = f"{together['kind']}, {together['jobs']} jobs"
    return [label, f"{each['one_by_one']:.1f} s", str(each["refreshes"]), f"{together['seconds']:.2f} s", ratio, how]


def _writes(scale: float, points: Points) -> Written:
    if not points:
        return Written("")
    views = {name: each for name, each in points.items() if "0" in each}
    feeds = {name: each for name, each in points.items() if "on" in each}
    counts = list(dict.fromkeys(count for each in views.values() for count in each))
    text = words.on(words.WRITES, scale)
    by_views = [[name.split(",")[0], *(f"{each[count]:.2f} s" for count in counts)] for name, each in views.items()]
    by_feed = [
        [
            name.split(",")[0],
            f"{each['off']:.2f} s",
            f"{each['on']:.2f} s",
            f"{(each['on'] / each['off'] - 1) * 100:+.0f} %",
        ]
        for name, each in feeds.items()
    ]
    tables = [table(["write", *(f"{count} lazy views" for count in counts)], by_views)] if by_views else []
    tables += [table(["write", "feed off", "feed on", "capture adds"], by_feed)] if by_feed else []
    return Written(text + "\n" + "\n".join(tables))


def _break_even(scale: float, points: Points) -> Written:
    if not points:
        return Written("")
    rows = [[each["change"], percent(PAPER_C[each["change"]]), _share(each), _tried(each)] for each in points.values()]
    text = words.on(words.BREAK_EVEN, scale)
    return Written(text + "\n" + table(["changes", "paper", "here", "full time / incremental time"], rows))


def _share(each: Mapping[str, Any]) -> str:
    if each["share"] is not None:
        return f"**{each['share'] * 100:.0f} %**"
    tried = [found["share"] for found in each["tried"]]
    first = each["tried"][0]
    is_quicker = first["full"]["seconds"] > first["refresh"]["seconds"]
    return f"**above {percent(max(tried))}**" if is_quicker else f"**below {percent(min(tried))}**"


def _tried(each: Mapping[str, Any]) -> str:
    found = sorted(each["tried"], key=lambda one: one["share"])
    return ", ".join(
        f"{percent(one['share'])}: {one['full']['seconds'] / one['refresh']['seconds']:.2f}x" for one in found
    )


def _asynchronous(scale: float, points: Points) -> Written:
    if not points:
        return Written("")
    rows = [_asynchronous_row(label, each) for label, each in points.items()]
    text = words.on(words.ASYNCHRONOUS, scale)
    head = ["statements", "synchronous", "asynchronous", "", "paper, ten rows"]
    return Written(text + "\n" + table(head, rows))


def _asynchronous_row(label: str, each: Mapping[str, Any]) -> list[str]:
    after = each["asynchronous"]
    paper = PAPER_V.get(label.removeprefix("10 x "))
    told = f"{paper[0] / paper[1]:.1f}x" if paper else ""
    if "synchronous" not in each:
        return [label, "", f"{after:.2f} s", "", told]
    return [label, f"{each['synchronous']:.2f} s", f"{after:.2f} s", f"{each['synchronous'] / after:.1f}x", told]


def _view_deltas(scale: float, points: Points) -> Written:
    """Paper B: propagate now, apply later."""
    parts = [_windows(label, each) for label, each in points.items()]
    return Written(words.on(words.VIEW_DELTAS, scale) + "\n".join(parts)) if parts else Written("")


def _windows(label: str, found: Mapping[str, Any]) -> str:
    merged, propagated, count = found["merged"], found["propagated"], found["windows"]
    at_once = propagated["all"] + found["applied"]
    rows = [
        ["a window, median", f"{merged['each']:.2f} s", f"{propagated['each']:.2f} s", _times(merged, propagated)],
        [f"{count} windows, each at its time", f"{merged['all']:.1f} s", f"{propagated['all']:.1f} s", ""],
        ["all of them applied at once", "", f"{found['applied']:.1f} s", ""],
        ["in all", f"{merged['all']:.1f} s", f"{at_once:.1f} s", f"{merged['all'] / at_once:.1f}x"],
        ["reading the view", f"{found['read_merged']:.2f} s", f"{found['read_propagated']:.2f} s", ""],
        ["rolled to a moment in the middle", "", f"{found['rolled']:.2f} s", ""],
        ["and shown up to now again", "", f"{found['back']:.2f} s", ""],
    ]
    return table([f"{label}, {found['groups']:,} groups", "`apply: now`", "`apply: later`", ""], rows)


def _times(one: Mapping[str, float], other: Mapping[str, float]) -> str:
    return f"{one['each'] / other['each']:.1f}x"


def _managed(scale: float, points: Points) -> Written:
    """Paper Z, 2.2.2: what a manager costs whoever writes."""
    if not points:
        return Written("")
    rows = [
        [name, f"{each['median']:.2f} s", f"{each['slowest']:.2f} s", str(each["refreshes"])]
        for name, each in points.items()
    ]
    head = ["while somebody updates another table", "median update", "slowest", "refreshes meanwhile"]
    return Written(words.on(words.MANAGED, scale) + table(head, rows))
