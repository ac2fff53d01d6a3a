"""Plots as SVG: where things are drawn, and that they can be read."""

from xml.etree import ElementTree

import pytest

from benchmarks.plots import Bars, Line, Scale, bar_plot, line_plot

SVG = "{http://www.w3.org/2000/svg}"


def drawn(svg, kind):
    return ElementTree.fromstring(svg).findall(f"{SVG}{kind}")


def test_points_of_a_line_are_on_it_and_hollow_where_told():
    svg = line_plot("t", "x", [Line("a", ((0.1, 2.0), (1.0, 8.0)), (False, True))])
    line = drawn(svg, "polyline")[0].get("points").split()
    dots = drawn(svg, "circle")
    assert [f"{dot.get('cx')},{dot.get('cy')}" for dot in dots] == line
    assert [dot.get("class") for dot in dots] == [None, "page"]


def test_a_decade_is_as_wide_as_the_next():
    axis = Scale([0.01, 10], 0, 300, is_log=True)
    assert [axis.place(each) for each in (0.01, 0.1, 1, 10)] == [0, 100, 200, 300]


def test_bars_are_as_long_as_their_values():
    svg = bar_plot("t", ["a", "b"], [Bars("x", (2.0, 4.0)), Bars("y", (None, 1.0))])
    widths = [float(each.get("width")) for each in drawn(svg, "rect") if each.get("height") == "12"][:3]
    assert widths[1] == pytest.approx(2 * widths[0], abs=0.2)
    assert widths[2] == pytest.approx(widths[0] / 2, abs=0.2)


def test_labels_may_contain_anything():
    svg = bar_plot("a < b & c", ["s"], [Bars('"<x>"', (1.0,))])
    assert '"<x>"' in [each.text for each in drawn(svg, "text")]


def test_everything_is_inside():
    svg = line_plot("t", "x", [Line(f"line {n}", ((0.01, 0.05), (50.0, 60.0 + n))) for n in range(10)], even=1)
    _, _, width, height = map(float, ElementTree.fromstring(svg).get("viewBox").split())
    for dot in drawn(svg, "circle"):
        assert 0 < float(dot.get("cx")) < width
        assert 0 < float(dot.get("cy")) < height


def test_colours_by_night():
    assert "prefers-color-scheme: dark" in bar_plot("t", ["s"], [Bars("x", (1.0,))])
