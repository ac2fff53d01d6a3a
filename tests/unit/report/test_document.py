"""What the report knows, and what it makes of hostile names."""

import json
import re
from types import SimpleNamespace

import pytest

from dbt_lazyview.maintenance.status_report import facts
from dbt_lazyview.report.document import document
from dbt_lazyview.report.lineage import lineage
from dbt_lazyview.report.page import page
from tests.report_sample import NOW, sample

HOSTILE = (
    "</script><script>alert(1)</script><!--script--><!--document--><img src=x onerror=alert(2)>&amp;'\"`\u2028${x}"
)
EMBEDDED = re.compile(r'<script type="application/json" id="document">(.*?)</script>', re.DOTALL)


def embedded(html: str) -> dict:
    return json.loads(EMBEDDED.search(html).group(1))


def test_a_view_has_its_status_and_its_history():
    told = sample(24)
    assert (told["format"], told["project"], told["target"], len(told["views"])) == (1, "shop", "night", 24)
    view = told["views"][0]
    assert set(facts_of_nothing()) < set(view)
    assert view["condition"] == "wrong"
    assert view["sources"][0]["obstacle"] == "history_gone"
    assert view["refreshes"][-1]["reason"] == "first_build"
    assert view["refreshes"][0]["at"] > view["refreshes"][-1]["at"]
    assert told["reasons"]["history_gone"]["code"] == "LV033"
    assert {each["condition"] for each in told["views"]} == {"fresh", "pending", "wrong"}
    assert [each["is_built"] for each in told["views"]].count(False) == 1


def facts_of_nothing() -> dict:
    from dbt_lazyview.maintenance.state import State
    from dbt_lazyview.maintenance.status import Status
    from dbt_lazyview.maintenance.tasks import Task

    return facts(Status(("v",), State(("v__state",)), Task()), NOW)


def test_an_empty_project():
    told = document("p", "t", [], [], NOW)
    assert (told["views"], told["lineage"], told["reasons"]) == ([], [], {})
    assert embedded(page(told)) == told


@pytest.mark.parametrize("name", [HOSTILE, "表 é 😀", "a\\b\x00\n"])
def test_no_name_leaves_its_place(name):
    told = sample(3, name=lambda number: f"{number}{name}")
    html = page(told)
    assert embedded(html) == told
    assert html.count("<script") == html.count("</script>") == 2
    assert "<img" not in html


def test_only_the_page_s_own_script_may_run():
    html = page(sample(1, name=lambda number: HOSTILE))
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html).group(1)
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", html)
    assert not re.search(r"(?:src|href)\s*=\s*[\"']?(?:https?:)?//", html)


def test_lineage_has_what_is_above_and_who_reads():
    def node(unique_id, *reads, materialized="view", kind="model"):
        config = SimpleNamespace(materialized=materialized)
        name = unique_id.split(".")[-1]
        return SimpleNamespace(
            unique_id=unique_id, name=name, config=config, resource_type=kind, depends_on_nodes=list(reads)
        )

    nodes = [
        node("source.s.raw", materialized="", kind="source"),
        node("model.s.staged", "source.s.raw"),
        node("model.s.lazy", "model.s.staged", materialized="lazy_view"),
        node("model.s.reader", "model.s.lazy", "model.s.elsewhere", materialized="table"),
        node("model.s.elsewhere", materialized="table"),
        node("test.s.check", "model.s.lazy", materialized="test", kind="test"),
        node("exposure.s.board", "model.s.lazy", materialized="", kind="exposure"),
    ]
    found = lineage([nodes[2]], {each.unique_id: each for each in nodes})
    assert {(each["name"], each["kind"]): each["reads"] for each in found} == {
        ("raw", "source"): [],
        ("staged", "view"): ["source.s.raw"],
        ("lazy", "lazy_view"): ["model.s.staged"],
        ("reader", "table"): ["model.s.lazy"],
        ("board", "exposure"): ["model.s.lazy"],
    }
