"""The histories of sources that many views share are read once."""

from dbt_lazyview.maintenance.history import Commit
from dbt_lazyview.maintenance.life import COMMITS, Histories


class CountedTables:
    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def newest(self, name, limit):
        assert limit == COMMITS
        self.asked.append(name)
        return (Commit(1, 0, "WRITE"),)


def test_a_source_is_read_once():
    histories = Histories(CountedTables())
    found = [histories.of_source((name,)) for name in ("a", "b", "a")]
    assert histories.tables.asked == [("a",), ("b",)]
    assert found[0] == found[2]
