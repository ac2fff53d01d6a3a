"""Pieces of a page: text with tables, and the plots that it shows."""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Written:
    """A piece of a page, and its plots by file name."""

    text: str
    plots: dict[str, str] = field(default_factory=dict)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """
    A table in markdown.

    Example:
        >>> print(table(["a", "b"], [["1", "2"]]), end="")
        | a | b |
        |---|---|
        | 1 | 2 |
    """
    lines = [head, ["---"] * len(head), *rows]
    return (
        "".join("| " + " | ".join(cells) + " |\n" for cells in lines).replace("| --- ", "|---").replace("--- |", "---|")
    )


def image(name: str, title: str) -> str:
    return f"\n![{title}]({name})\n"


def percent(share: float) -> str:
    """
    A share for people.

    Example:
        >>> percent(0.0001), percent(0.05), percent(0.5)
        ('0.01 %', '5 %', '50 %')
    """
    return f"{share * 100:.4g} %"
