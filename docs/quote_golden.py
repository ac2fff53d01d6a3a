"""
Quotes golden cases in the pages: `python docs/quote_golden.py` rewrites what stands between
`<!-- golden: <case> -->` and `<!-- end -->`, so that no page shows a tree that the compiler no longer makes.
"""

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parent
GOLDEN = DOCS.parent / "tests" / "golden"
QUOTE = re.compile(r"<!-- golden: (\w+) -->\n.*?<!-- end -->", re.DOTALL)


PAGES = [*sorted(DOCS.glob("operators/*.md")), DOCS / "operations.md"]


def current(page: Path) -> str:
    """The page with every quote as the golden files are now."""
    up = "../" * len(page.relative_to(DOCS).parts)
    return QUOTE.sub(lambda found: quote(found.group(1), up), page.read_text())


def quote(case: str, up: str) -> str:
    """The query, the tree, and where the SQL is; `up` leads from the page to the root of the project."""
    model, plan = ((GOLDEN / case / name).read_text().strip() for name in ("model.sql", "plan.txt"))
    blocks = [f"```sql\n{model}\n```", f"```text\n{plan}\n```"]
    source = f"The SQL of a refresh: [refresh.sql]({up}tests/golden/{case}/refresh.sql)"
    return "\n".join([f"<!-- golden: {case} -->", *blocks, source, "<!-- end -->"])


def main() -> None:
    for page in PAGES:
        page.write_text(current(page))


if __name__ == "__main__":
    main()
