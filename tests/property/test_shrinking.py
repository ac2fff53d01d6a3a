"""A failing case is made small by itself, fails alike, and can be saved and loaded."""

from pathlib import Path

import pytest

from tests.property.case import Case, failure
from tests.property.exploration import explore
from tests.property.mutations import MUTATIONS, Mutation
from tests.property.shrinking import shrunk
from tests.property.simpler_queries import simpler_queries

BROKEN = next(each for each in MUTATIONS if each.name == "OuterJoin: padded rows neither come nor go")


def _first_failing(mutation: Mutation) -> Case:
    return next(found.case for seed in range(100) if (found := explore(seed, mutation.case)).failure)


def _rows(case: Case) -> int:
    commits = [commit for batch in case.batches for commit in batch.commits]
    return sum(map(len, case.rows.values())) + sum(len(each.inserts) + len(each.deletes) for each in commits)


def test_a_failing_case_becomes_small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    BROKEN.apply(monkeypatch)
    case = _first_failing(BROKEN)
    small = shrunk(case)
    found = failure(small)
    assert found is not None
    assert found.kind == "wrong rows"
    assert len(small.batches) == 1
    assert len(small.sql) < len(case.sql)
    assert _rows(small) <= 3  # one on each side, and a change of one of them
    small.save(tmp_path / "small.json", "a test")
    assert Case.load(tmp_path / "small.json") == small


def test_a_right_case_cannot_be_shrunk() -> None:
    with pytest.raises(AssertionError, match="only a failing case"):
        shrunk(explore(0, batches=1).case)


def test_simpler_queries_leave_out_one_part_each() -> None:
    query = "SELECT t.a AS a FROM t AS t WHERE t.a > 1 OR t.a IS NULL"
    simpler = set(simpler_queries(query, {"t": [("a", "int")]}))
    assert simpler == {
        "SELECT t.a AS a FROM t",
        "SELECT t.a AS a FROM t AS t",
        "SELECT t.a AS a FROM t AS t WHERE t.a > 1",
        "SELECT t.a AS a FROM t AS t WHERE t.a IS NULL",
    }
