"""
A view of which part waits in its view delta equals its query: after every window, at the end of every window that was
not compressed, and whatever was applied or compressed in between.
"""

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import pytest

from dbt_lazyview.compiler.derivation import Options
from dbt_lazyview.compiler.passes.literal_bounds import bounded
from dbt_lazyview.compiler.plan import StateRead, Unapplied, Window
from dbt_lazyview.names import quoted
from tests.property.case import OPTIONS, Run, started
from tests.property.duck_sql import parsed_for_duckdb, to_duckdb
from tests.property.duck_views import Bag, DuckView, bound_by_changes, comparable, differences, in_one_statement
from tests.property.exploration import random_case
from tests.property.random_changes import random_habit

SEEDS_PER_PART = 25
WINDOWS = 6
EPOCH, FOREVER = "e", 10**6


@dataclass(frozen=True)
class DuckWindow:
    ssn: int
    time: int = 0
    epoch: str = EPOCH
    record: str = "{}"


class Deferred:
    """The view delta of a view on DuckDB, kept by the macros that Spark runs."""

    def __init__(self, view: DuckView, options: Options) -> None:
        self.view, self.lake, self.options = view, view.lake, options
        self.delta, self.layout = f"{view.state}__delta", view.view.layout
        self.head, self.applied = 0, 0
        self.seen: dict[int, Bag] = {
            0: view.rows()
        }  # what the query gave at the end of every window that can be reached
        more = "0::bigint as lv_ssn, now()::timestamp as lv_time, '' as lv_epoch, true as lv_replaces, '' as lv_record"
        self.lake.execute(f"create or replace table {self.delta} as select *, {more} from {view.state} where false")

    def unapplied(self, after: int = 0, upto: int = FOREVER) -> Unapplied:
        return Unapplied(f"`{self.delta}`", 0, EPOCH, after, upto)

    def propagate(self) -> str:
        view = self.view
        for each in view.auxiliaries:
            each.refresh("merge")
        windows = {name: self.lake.window(name[-1], after) for name, after in view.cut.items()}
        for name, after in view.cut.items():
            if name[-1] not in self.lake.kept:
                self.lake.load_changes(name[-1], after)
        view.cut = {name: window.upto for name, window in windows.items()}
        self.head += 1
        mode = self._append(windows) if any(each.changed for each in windows.values()) else self._append_nothing()
        self.seen[self.head] = view.recomputed()
        return mode

    def _append(self, windows: dict[Any, Window]) -> str:
        render = self.lake.renderer.render
        plan = self.view.view.refresh(windows, self.options, StateRead(f"`{self.view.state}`", 0, self.unapplied()))
        plan = in_one_statement(bounded(plan, {each: bound_by_changes(each) for each in plan.ranges}), render)
        self._run(render("append_view_delta", plan=plan, delta=f"`{self.delta}`", window=DuckWindow(self.head)))
        return plan.mode

    def _append_nothing(self) -> str:
        window = DuckWindow(self.head)
        self._run(
            self.lake.renderer.render("append_empty_window", layout=self.layout, delta=f"`{self.delta}`", window=window)
        )
        return "nothing"

    def apply(self, strategy: str, upto: int) -> None:
        """As a state that reads no further than the window it was applied up to: what is applied goes."""
        strategy = strategy if self.layout.keys else "overwrite"
        statement = self.lake.renderer.render(
            "apply_view_delta", state=f"`{self.view.state}`", version=0, layout=self.layout,
            unapplied=self.unapplied(self.applied, upto), strategy=strategy,
        )  # fmt: skip
        self.lake.execute(f"delete from {self.view.next}")
        if strategy == "merge":
            self._run(statement)
        else:
            self.lake.execute(self.view._overwritten(parsed_for_duckdb(statement).expression.sql("duckdb")))
        self.lake.execute(f"delete from {self.view.next}; delete from {self.delta} where lv_ssn <= {upto}")
        self.applied = upto
        self.seen = {window: rows for window, rows in self.seen.items() if window >= upto}

    def compress(self, after: int, upto: int) -> None:
        query = self.lake.renderer.render(
            "compressed_windows", layout=self.layout, unapplied=self.unapplied(after, upto), window=DuckWindow(upto)
        )
        self.lake.execute(
            f"create or replace temp table compressed as {to_duckdb(query)}; "
            f"delete from {self.delta} where lv_ssn > {after} and lv_ssn <= {upto}; "
            f"insert into {self.delta} by name from compressed"
        )
        self.seen = {window: rows for window, rows in self.seen.items() if not after < window < upto}

    def rows(self, upto: int = FOREVER) -> Bag:
        """By way of a table: DuckDB sums to wider types, which Spark does not."""
        state, folded = f"`{self.view.state}`", self.view.next
        columns, unapplied = self.layout.columns, self.unapplied(upto=upto)
        query = self.lake.renderer.render("folded_state", state=state, columns=columns, unapplied=unapplied)
        self.lake.execute(f"delete from {folded}; insert into {folded} by name {to_duckdb(query)}")
        return self.view.rows_of(to_duckdb(self.view.view.public(f"`{folded}`").query))

    def changes(self, after: int, upto: int) -> Bag | None:
        """What windows did to the rows of the view, as an export tells it: rows that came less those that went."""
        view, render = self.view.view, self.lake.renderer.render
        public = view.public_changes("lv_sides", ("lv_at", "lv_weight"))
        if public is None or not view.shows_all_keys:  # DuckDB counts rows in a type that it cannot repeat them by
            return None
        columns, names = self.layout.columns, [quoted(each.name) for each in view.columns]
        state = f"`{self.view.state}`"
        before = render("folded_relation", state=state, columns=columns, unapplied=self.unapplied(upto=after))
        query = render(
            "changes_of_view", before=before, columns=columns, unapplied=self.unapplied(after, upto), public=public,
            names=names, pairs=[quoted(each.name) for each in view.keys], where="",
        )  # fmt: skip
        signs = {"insert": 1, "update_postimage": 1, "delete": -1, "update_preimage": -1}
        found: Bag = Counter()
        for *row, kind, _, _ in self.lake.execute(to_duckdb(query)).fetchall():
            found[comparable(tuple(row))] += signs[kind]
        return found

    def _run(self, statement: str) -> None:
        self.lake.execute(to_duckdb(statement))


@pytest.mark.parametrize("part", range(2))
def test_state_and_view_delta_equal_the_query(part: int) -> None:
    seeds = range(part * SEEDS_PER_PART, (part + 1) * SEEDS_PER_PART)
    modes = [mode for seed in seeds for mode in _windows(seed)]
    assert {"add", "replace"} <= set(modes)
    assert len(modes) > SEEDS_PER_PART * WINDOWS / 2


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("lv_ssn >= lv_from", "true"),
        ("where not exists", "where true or not exists"),
        ("BOOL_OR(lv_replaces)", "false"),
        ("v.lv_ssn <= ", "0 < "),
    ],
)
def test_a_wrong_fold_would_be_noticed(monkeypatch: pytest.MonkeyPatch, right: str, wrong: str) -> None:
    here = sys.modules[__name__]

    for name in ("to_duckdb", "parsed_for_duckdb"):
        original = getattr(here, name)
        monkeypatch.setattr(here, name, lambda sql, original=original: original(_replaced(sql, right, wrong)))
    with pytest.raises(AssertionError, match="seed"):
        [_windows(seed) for seed in range(SEEDS_PER_PART)]


def _replaced(sql: str, right: str, wrong: str) -> str:
    return sql.replace(right, wrong).replace(right.lower(), wrong)


def _windows(seed: int) -> list[str]:
    random = Random(seed)
    grouped = ("aggregate", random.choice(["filter", "join", "outer_join"]))  # some of which has to be replaced
    case = replace(random_case(random, grouped if seed % 2 else ()), passes=(*OPTIONS, "auxiliary_states"))
    run = started(case)
    if not isinstance(run, Run):
        return []  # the engine does not accept the query
    try:
        if run.built() or not run.view.tables:
            return []
        habits = [random_habit(random, run.view.tables) for _ in range(2)]
        deferred = Deferred(run.view, replace(Options(), checked_sums=False))
        return [_one_window(seed, random, case, run, deferred, habits) for _ in range(WINDOWS)]
    finally:
        run.lake.close()


def _one_window(seed: int, random: Random, case: Any, run: Run, deferred: Deferred, habits: list[Any]) -> str:
    for _ in range(random.randint(1, 3)):
        run.change(random.choice(habits).commits(random, case.tables, run.lake))
    mode = deferred.propagate()
    told = f"seed {seed}, window {deferred.head}: {case.sql}"
    assert differences(deferred.rows(), run.wanted) == [], told
    _maybe(random, 0.3, lambda: _compress_some(random, deferred))
    _maybe(random, 0.4, lambda: deferred.apply(random.choice(["merge", "overwrite"]), random.choice([*deferred.seen])))
    for window, rows in deferred.seen.items():
        assert differences(deferred.rows(upto=window), rows) == [], f"{told}, as of window {window}"
    assert run.view.broken_rows() == [], told
    after, upto = sorted(random.choices([*deferred.seen], k=2))
    changes = deferred.changes(after, upto)
    if changes is not None:
        exported = Counter(deferred.seen[after])
        exported.update(changes)
        assert differences(exported, deferred.seen[upto]) == [], f"{told}, changes from {after} to {upto}"
    return mode


def _compress_some(random: Random, deferred: Deferred) -> None:
    after, upto = sorted(random.choices([*deferred.seen], k=2))
    if after < upto:
        deferred.compress(after, upto)


def _maybe(random: Random, chance: float, act: Callable[[], None]) -> None:
    if random.random() < chance:
        act()
