"""
Quotes golden cases in the operator pages: `python docs/quote_golden.py` rewrites what stands between
`<!-- golden: <case> -->` and `<!-- end -->`, so that no page shows a tree that the compiler no longer makes.
"""

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parent
GOLDEN = DOCS.parent / "tests" / "golden"
QUOTE = re.compile(r"<!-- golden: (\w+) -->\n.*?<!-- end -->", re.DOTALL)


def current(page: str) -> str:
    """The page with every quote as the golden files are now."""
    return QUOTE.sub(lambda found: quote(found.group(1)), page)


def quote(case: str) -> str:
    model, plan = ((GOLDEN / case / name).read_text().strip() for name in ("model.sql", "plan.txt"))
    blocks = [f"```sql\n{model}\n```", f"```text\n{plan}\n```"]
    return "\n".join([f"<!-- golden: {case} -->", *blocks, _source(case), "<!-- end -->"])


def _source(case: str) -> str:
    return f"The SQL of a refresh: [refresh.sql](../../tests/golden/{case}/refresh.sql)"


def main() -> None:
    for page in DOCS.glob("operators/*.md"):
        page.write_text(current(page.read_text()))


if __name__ == "__main__":
    main()
