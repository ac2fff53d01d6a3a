"""What pages show, and no command prints at will, is what the functions print."""

from pathlib import Path

from dbt_lazyview.adapter.progress import told as progress
from dbt_lazyview.cli.verify import Verdict, show
from dbt_lazyview.maintenance.differences import QUERY, VIEW, Differences

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
