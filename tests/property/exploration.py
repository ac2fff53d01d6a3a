"""One seed explored: a random schema, data and query, then random batches, most of which change the view's rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from tests.property.case import PASSES, Batch, Case, Commit, Failure, Run, started
from tests.property.random_changes import random_habit
from tests.property.random_queries import QueryGenerator
from tests.property.random_schema import Tables, random_row, random_tables

BATCHES = 12
HABITS = 3  # ways in which the sources of one view change; each is planned once
DULL_BATCHES = 2  # a view whose rows stayed the same so often is left: others show more
TRIES = 6  # commits until the pending changes make a difference


@dataclass(frozen=True)
class Explored:
    """What a seed gave: pairs of query and batch, how many of them changed the view's rows, and a failure."""

    seed: int
    case: Case
    pairs: int = 0
    moved: int = 0
    failure: Failure | None = None


def explore(seed: int, draw: Callable[[Random], Case] | None = None, batches: int = BATCHES) -> Explored:
    """Explore a seed; the case before any change is random, or drawn as told."""
    random = Random(seed)
    case = (draw or random_case)(random)
    run = started(case)
    if isinstance(run, Failure):
        return Explored(seed, case, failure=run)
    try:
        return _Exploration(seed, random, case, run).through(batches)
    finally:
        run.lake.close()


def random_case(random: Random, operators: Sequence[str] = ()) -> Case:
    """Any query, or one with certain operators on top of each other."""
    tables = random_tables(random)
    depth = len(operators) or random.choice([1, 2, 2, 2, 3])
    return case_of(random, tables, QueryGenerator(random, tables, operators).query(depth).sql)


def case_of(random: Random, tables: Tables, sql: str) -> Case:
    """A query over random rows."""
    rows = {name: [random_row(random, each) for _ in range(random.randint(0, 9))] for name, each in tables.items()}
    passes = random.choice([PASSES, PASSES, (), tuple(each for each in PASSES if random.random() < 0.5)])
    return Case(tables, rows, sql, passes)


class _Exploration:
    def __init__(self, seed: int, random: Random, case: Case, run: Run) -> None:
        self.seed, self.random, self.case, self.run = seed, random, case, run
        sources = run.view.tables
        self.habits = [random_habit(random, sources) for _ in range(HABITS)] if sources else []
        self.pairs = self.moved = 0

    def through(self, batches: int) -> Explored:
        failure = self.run.built()
        while self.habits and not failure and self.pairs < batches and self.pairs - self.moved < DULL_BATCHES:
            failure = self._batch()
        return Explored(self.seed, self.case, self.pairs, self.moved, failure)

    def _batch(self) -> Failure | None:
        commits, is_stale = self._change()
        strategy = self.random.choice(["merge", "overwrite", "rewrite"])
        self.case = self.case.with_batch(Batch(commits, strategy))
        self.pairs, self.moved = self.pairs + 1, self.moved + is_stale
        return self.run.refreshed(strategy, self.pairs - 1)

    def _change(self) -> tuple[list[Commit], bool]:
        """Commits after one of the habits, until the view's rows are out of date or the tries are used up."""
        commits: list[Commit] = []
        habit = self.random.choice(self.habits)
        for _ in range(TRIES):
            more = habit.commits(self.random, self.case.tables, self.run.lake)
            self.run.change(more)
            commits += more
            if not self.run.is_right:
                return commits, True
        return commits, False
