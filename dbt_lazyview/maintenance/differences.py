"""In which rows a view differs from its query."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbt_lazyview.maintenance.comparison import Comparison
from dbt_lazyview.maintenance.engine import Engine

VIEW, QUERY = "view", "query"


@dataclass(frozen=True)
class Sample:
    """Some of the groups of a view, chosen by a hash of their keys: another seed, other groups."""

    percent: float
    seed: int

    @property
    def of_10000(self) -> int:
        """
        How many groups of ten thousand; at least one.

        Example:
            >>> Sample(2.5, seed=1).of_10000, Sample(0.001, seed=1).of_10000
            (250, 1)
        """
        return max(round(self.percent * 100), 1)


@dataclass(frozen=True)
class Differences:
    """How many rows only the view has and only its query, and the first of them."""

    only_in_view: int
    only_in_query: int
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Any, ...]], ...]  # which side has it, and its values
    is_sample: bool = False  # only some groups were compared

    @property
    def is_equal(self) -> bool:
        return self.only_in_view == self.only_in_query == 0


def differences(engine: Engine, compared: Comparison, limit: int, sample: Sample | None) -> Differences:
    """Compare; a view without keys to sample by is compared as a whole."""
    found = engine.query(engine.render("first_differences", compared=compared, limit=limit, sample=sample))
    totals = {row["lv_only_in"]: int(row["lv_total"]) for row in found}
    columns = tuple(each.plain for each in compared.columns)
    rows = tuple((row["lv_only_in"], _values(row, columns)) for row in found)
    is_sample = bool(sample and compared.keys)
    return Differences(totals.get(VIEW, 0), totals.get(QUERY, 0), columns, rows, is_sample)


def _values(row: Mapping[str, Any], columns: Sequence[str]) -> tuple[Any, ...]:
    return tuple(row[column] for column in columns)
