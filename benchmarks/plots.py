"""Small plots as SVG, without a library: lines over a logarithmic axis, and bars. Readable by day and by night."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

WIDTH, LEFT, RIGHT, TOP, LINE = 860, 64, 250, 46, 20
HEIGHT = 380
MOST_TICKS = 9
COLOURS = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#d4a72c", "#9d755d", "#7f7f7f", "#ff6fae")
STYLE = """
  .page { fill: #ffffff } .grid { stroke: #d9dce1 } .even { stroke: #6b7280; stroke-dasharray: 5 4 }
  text { fill: #24292f; font: 13px system-ui, sans-serif } .title { font-size: 16px; font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #1f232b } .grid { stroke: #3a404b } .even { stroke: #9aa4b2 } text { fill: #e6e9ee }
  }
"""


@dataclass(frozen=True)
class Line:
    """A curve; `hollow` points are drawn open."""

    label: str
    points: tuple[tuple[float, float], ...]
    hollow: tuple[bool, ...] = ()


@dataclass(frozen=True)
class Bars:
    """A group of bars under one label: a value for each series, None where there is none."""

    label: str
    values: tuple[float | None, ...]


class Scale:
    """Where a value is on an axis; logarithmic, or from 0."""

    def __init__(self, values: Sequence[float], start: float, end: float, is_log: bool) -> None:
        self._is_log, self._start, self._end = is_log, start, end
        self.ticks = _decades(values) if is_log else _steps(max(values, default=1.0))
        self._low, self._high = (self._value(each) for each in (self.ticks[0], self.ticks[-1]))

    def place(self, value: float) -> float:
        share = (self._value(value) - self._low) / ((self._high - self._low) or 1)
        return round(self._start + share * (self._end - self._start), 1)

    def _value(self, value: float) -> float:
        return log10(value) if self._is_log else value


def line_plot(
    title: str, x_label: str, lines: Sequence[Line], x_unit: str = "", y_unit: str = "", even: float | None = None
) -> str:
    """Curves over a logarithmic x axis, and a logarithmic y axis; `even` is marked by a line of its own."""
    xs = [x for line in lines for x, _ in line.points]
    ys = [y for line in lines for _, y in line.points] + ([even] if even else [])
    x_axis, y_axis = Scale(xs, LEFT, WIDTH - RIGHT, True), Scale(ys, HEIGHT - 60, TOP, True)
    parts = [*_grid(x_axis, y_axis, x_unit, y_unit, x_label)]
    if even:
        parts.append(_stroke(LEFT, y_axis.place(even), WIDTH - RIGHT, y_axis.place(even), "even"))
    for number, line in enumerate(lines):
        parts += _curve(line, COLOURS[number % len(COLOURS)], x_axis, y_axis)
    return _svg(title, HEIGHT, [*parts, *_legend([line.label for line in lines])])


def bar_plot(title: str, series: Sequence[str], bars: Sequence[Bars], unit: str = "", even: float | None = None) -> str:
    """Bars that lie, a group for each label, with their values beside them."""
    thickness = 14 if len(series) > 1 else 16
    pitch = thickness * len(series) + 10
    bottom = TOP + max(pitch * len(bars), LINE * len(series) if len(series) > 1 else 0)
    labels = LEFT + 150
    right = WIDTH - (RIGHT + 40 if len(series) > 1 else 80)
    axis = Scale([value for each in bars for value in each.values if value], labels, right, False)
    parts = [_stroke(axis.place(tick), TOP, axis.place(tick), bottom, "grid") for tick in axis.ticks]
    parts += [_text(axis.place(tick), bottom + 18, _number(tick) + unit, "middle") for tick in axis.ticks]
    if even:
        parts.append(_stroke(axis.place(even), TOP, axis.place(even), bottom, "even"))
    for row, group in enumerate(bars):
        parts += _bar_group(group, TOP + 5 + row * pitch, thickness, axis, labels, unit)
    return _svg(title, bottom + 40, [*parts, *(_legend(series) if len(series) > 1 else [])])


def _bar_group(group: Bars, top: float, thickness: int, axis: Scale, left: float, unit: str) -> list[str]:
    middle = top + thickness * len(group.values) / 2 + 4
    parts = [_text(left - 8, middle, group.label, "end")]
    for number, value in enumerate(group.values):
        if value is None:
            continue
        y, end = top + number * thickness, axis.place(value)
        colour = COLOURS[number % len(COLOURS)]
        parts.append(
            f'<rect x="{left}" y="{y:g}" width="{max(end - left, 1):.1f}" height="{thickness - 2}" fill="{colour}"/>'
        )
        parts.append(_text(end + 5, y + thickness - 4, _number(value) + unit, "start"))
    return parts


def _grid(x_axis: Scale, y_axis: Scale, x_unit: str, y_unit: str, x_label: str) -> list[str]:
    bottom, right = HEIGHT - 60, WIDTH - RIGHT
    columns = [_stroke(x_axis.place(tick), TOP, x_axis.place(tick), bottom, "grid") for tick in x_axis.ticks]
    rows = [_stroke(LEFT, y_axis.place(tick), right, y_axis.place(tick), "grid") for tick in y_axis.ticks]
    below = [_text(x_axis.place(tick), bottom + 20, _number(tick) + x_unit, "middle") for tick in x_axis.ticks]
    beside = [_text(LEFT - 8, y_axis.place(tick) + 4, _number(tick) + y_unit, "end") for tick in y_axis.ticks]
    return [*columns, *rows, *below, *beside, _text((LEFT + right) / 2, bottom + 44, x_label, "middle")]


def _curve(line: Line, colour: str, x_axis: Scale, y_axis: Scale) -> list[str]:
    places = [(x_axis.place(x), y_axis.place(y)) for x, y in sorted(line.points)]
    hollow = dict(zip(line.points, line.hollow or [False] * len(line.points), strict=True))
    path = " ".join(f"{x:g},{y:g}" for x, y in places)
    dots = [
        f'<circle cx="{x:g}" cy="{y:g}" r="4" stroke="{colour}" stroke-width="2" '
        + ('class="page"/>' if hollow[point] else f'fill="{colour}"/>')
        for point, (x, y) in zip(sorted(line.points), places, strict=True)
    ]
    return [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>', *dots]


def _legend(labels: Sequence[str]) -> list[str]:
    return [part for number, label in enumerate(labels) for part in _legend_line(number, label)]


def _legend_line(number: int, label: str) -> tuple[str, str]:
    left, top = WIDTH - RIGHT + 24, TOP + number * LINE
    colour = COLOURS[number % len(COLOURS)]
    mark = f'<rect x="{left}" y="{top}" width="12" height="12" fill="{colour}"/>'
    return mark, _text(left + 18, top + 11, label, "start")


def _svg(title: str, height: float, parts: Sequence[str]) -> str:
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" role="img" '
        f'aria-label="{escape(title)}">\n<style>{STYLE}</style>\n'
        f'<rect class="page" width="{WIDTH}" height="{height:g}" rx="6"/>\n'
        f'<text class="title" x="16" y="26">{escape(title)}</text>\n{body}\n</svg>\n'
    )


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>'


def _stroke(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"/>'


def _decades(values: Sequence[float]) -> list[float]:
    """
    Ticks of a logarithmic axis, from below the least value to above the greatest; powers of ten where there are many.

    Example:
        >>> _decades([0.7, 9]), _decades([0.01, 50])
        ([0.5, 1.0, 2.0, 5.0, 10.0], [0.01, 0.1, 1.0, 10.0, 100.0])
    """
    fine, coarse = _ticks_around(values, (1, 2, 5)), _ticks_around(values, (1,))
    return fine if len(fine) <= MOST_TICKS else coarse


def _ticks_around(values: Sequence[float], digits: Sequence[int]) -> list[float]:
    low, high = min(values, default=1.0), max(values, default=10.0)
    powers = range(floor(log10(low)) - 1, ceil(log10(high)) + 2)
    ticks = [round(digit * 10.0**power, 6) for power in powers for digit in digits]
    first = max(tick for tick in ticks if tick <= low)
    last = min(tick for tick in ticks if tick >= high and tick > first)
    return [tick for tick in ticks if first <= tick <= last]


def _steps(most: float) -> list[float]:
    """
    Ticks of an axis from 0.

    Example:
        >>> _steps(7), _steps(0.9)
        ([0.0, 2.0, 4.0, 6.0, 8.0], [0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    """
    size = 10.0 ** floor(log10(most)) if most > 0 else 1.0
    step = next(size * each for each in (0.1, 0.2, 0.5, 1, 2, 5) if most / (size * each) <= 6)
    return [round(number * step, 6) for number in range(ceil(most / step) + 1)]


def _number(value: float) -> str:
    """
    A number as short as it is told.

    Example:
        >>> _number(0.01), _number(3.14159), _number(12.3), _number(123.4)
        ('0.01', '3.1', '12', '123')
    """
    if value >= 10 or value == round(value):
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 1 else f"{value:.2g}"
