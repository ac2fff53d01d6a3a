"""What measured points say, once those of a place are put together."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

from benchmarks.text import percent

Point = Mapping[str, Any]
Points = Mapping[str, Point]
File = Mapping[str, Any]
GROWS = 0.15  # from this share on, tables are so much larger that only a full refresh of the same size counts


@dataclass(frozen=True)
class Place:
    """A point of a curve: seconds of the refresh that `auto` chose, and of a full one."""

    share: float
    seconds: float
    full: float
    kind: str  # what `auto` chose
    jobs: int

    @property
    def ratio(self) -> float:
        return self.full / self.seconds


def load_files(folder: Path) -> dict[float, File]:
    """The result files of a folder, by scale factor."""
    files = [json.loads(path.read_text()) for path in sorted(folder.glob("sf*.json"))]
    return dict(sorted((each["scale"], each) for each in files))


def points_of(files: Mapping[float, File], scale: float, section: str) -> Points:
    """The points of a section; none where it was not measured."""
    found: Points = files[scale]["points"].get(section, {}) if scale in files else {}
    return found


def full_seconds(points: Points, point: Point) -> float | None:
    """
    How long a full refresh takes where a point was measured: by itself, or else the median of those of the same view.

    Example:
        >>> at = lambda share, **full: {"view": "v", "change": "inserts", "share": share, "refresh": {}, **full}
        >>> points = {"a": at(0.01, full={"seconds": 6}), "b": at(0.1, full={"seconds": 7}), "c": at(0.001)}
        >>> full_seconds(points, points["b"]), full_seconds(points, points["c"]), full_seconds({}, points["c"])
        (7, 6.5, None)
    """
    same = [each for each in points.values() if each["view"] == point["view"] and "full" in each]
    own = [each["full"]["seconds"] for each in same if _place(each) == _place(point)]
    near = [each["full"]["seconds"] for each in same if each["share"] < GROWS]
    found = own or near
    return median(found) if found else None


def curve(points: Points, view: str, change: str) -> list[Place]:
    """Full against chosen, by share; the median where a share was measured several times."""
    found: dict[float, list[Point]] = {}
    for point in points.values():
        if point["view"] == view and point["change"] == change:
            found.setdefault(point["share"], []).append(point)
    places = [_at(points, share, found[share]) for share in sorted(found)]
    return [each for each in places if each is not None]


def place(points: Points, view: str, change: str, share: float) -> Place | None:
    return next((each for each in curve(points, view, change) if each.share == share), None)


def _at(points: Points, share: float, found: list[Point]) -> Place | None:
    full = full_seconds(points, found[0])
    middle = sorted((each["refresh"] for each in found), key=lambda each: each["seconds"])[(len(found) - 1) // 2]
    seconds = median(each["refresh"]["seconds"] for each in found)
    return Place(share, seconds, full, middle["kind"], middle["jobs"]) if full else None


def fixed_change(points: Points, name: str) -> tuple[float, float] | None:
    """Median seconds from changes and in full, after a change of fixed size."""
    point = points.get(name)
    return (_median(point["refreshes"]), _median(point["fulls"])) if point else None


def tpch_sets(points: Points) -> dict[str, dict[int, Point]]:
    """The points of TPC-H by the refresh sets, in words, and the query."""
    found: dict[str, dict[int, Point]] = {}
    for each in sorted(points.values(), key=lambda it: (it["scattered"], it["share"], it["query"])):
        sets = f"{percent(each['share'])}{', scattered' if each['scattered'] else ''}"
        found.setdefault(sets, {})[each["query"]] = each
    return found


def ratio_of(point: Point) -> float:
    """Full time over incremental time."""
    return float(point["full"]["seconds"] / point["refresh"]["seconds"])


def mean_ratio(ratios: Iterable[float]) -> float:
    return geometric_mean(list(ratios))


def titles(points: Points) -> list[str]:
    """The views of curves, in the order they were measured."""
    return list(dict.fromkeys(each["view"] for each in points.values()))


def _median(found: Iterable[Point]) -> float:
    return median(each["seconds"] for each in found)


def _place(point: Point) -> tuple[str, float]:
    return point["change"], point["share"]
