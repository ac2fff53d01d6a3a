"""
Quotes messages in docs/reasons.md as they are printed: `python -m docs.quote_reasons` rewrites the example of every
section.
"""

import re
from pathlib import Path

from docs.example_messages import messages, others, result_lines

PAGE = Path(__file__).resolve().parent / "reasons.md"
SECTION = re.compile(r"^### (.+?)\n.*?(?=^#{2,3} |\Z)", re.DOTALL | re.MULTILINE)
EXAMPLE = re.compile(r"```text\n.*?```\n", re.DOTALL)


def examples() -> dict[str, str]:
    """What is printed, by the heading of its section."""
    told = {**messages(), **result_lines()}
    return {**{reason.code: text for reason, text in told.items()}, **others()}


def current(page: str) -> str:
    """The page with every example as it is printed now."""
    told = examples()
    return SECTION.sub(lambda found: _with_example(found.group(), told[found.group(1)]), page)


def _with_example(section: str, message: str) -> str:
    """A section without an example gets it before its remedy, or at its end."""
    block = f"```text\n{message}\n```\n"
    if EXAMPLE.search(section):
        return EXAMPLE.sub(lambda _: block, section, count=1)
    before, remedy, after = section.partition("\n*Remedy:*")
    return f"{before.rstrip()}\n{block}{remedy.lstrip()}{after}" + ("" if remedy else "\n")


if __name__ == "__main__":
    PAGE.write_text(current(PAGE.read_text()))
