"""What pages show, and no command prints at will, is what the functions print."""

from pathlib import Path

from dbt_lazyview.adapter.progress import told as progress
from dbt_lazyview.adapter.response import response_of
from dbt_lazyview.adapter.triggers import read_by, refreshed_because, stays
from dbt_lazyview.cli.verify import Verdict, show
from dbt_lazyview.maintenance.differences import QUERY, VIEW, Differences
from dbt_lazyview.maintenance.outcome import Outcome

DOCS = Path(__file__).resolve().parents[2] / "docs"


class Page:
    is_quiet = False

    def __init__(self):
        self.lines = []

    def line(self, text, *_):
        self.lines.append(text)


def test_progress_of_a_long_refresh():
    view = ("spark_catalog", "shop", "sales_by_city")
    line = progress(view, [("compute the changes, 2 of 3", view)], (17, 64), 30)
    assert f"```text\n{line}\n```" in (DOCS / "operations.md").read_text()


def test_a_view_that_is_wrong():
    rows = ((VIEW, ("Oslo", 12)), (QUERY, ("Oslo", 11)))
    found = Differences(1, 1, ("city", "orders"), rows)
    page = Page()
    show([Verdict("shop.sales_by_city", found)], page, None)
    assert "\n".join(["```text", *page.lines, "```"]) in (DOCS / "command-line.md").read_text()


def test_a_refresh_for_a_reader():
    outcome = Outcome("", "incremental", changes=13, rows_changed=20, strategy="overwrite")
    line = refreshed_because("shop.country_sales", read_by("sales_report"), response_of(outcome, 1.9))
    assert f"```text\n{line}\n```" in (DOCS / "policies.md").read_text()


def test_a_reader_of_another_part():
    line = stays("shop.country_sales", "north_report")
    assert f"```text\n{line}\n```" in (DOCS / "policies.md").read_text()
