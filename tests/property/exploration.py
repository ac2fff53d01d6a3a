"""One seed explored: a random schema, data and query, then random batches, most of which change the view's rows."""

from dataclasses import dataclass
from random import Random

from dbt_lazyview.compiler.reasons import ModelError
from tests.property.case import PASSES, Batch, Case, Commit, Run
from tests.property.random_changes import random_habit
from tests.property.random_queries import QueryGenerator
from tests.property.random_schema import random_row, random_tables

BATCHES = 12
HABITS = 3  # ways in which the sources of one view change; each is planned once
DULL_BATCHES = 2  # a view whose rows stayed the same so often is left: others show more
TRIES = 6  # commits until the pending changes make a difference


@dataclass(frozen=True)
class Explored:
    """What a seed gave: pairs of query and batch, how many of them changed the view's rows, and a failure's text."""

    seed: int
    case: Case
    pairs: int = 0
    moved: int = 0
    failure: str = ""
    is_refused: bool = False  # the engine does not accept the query itself


def explore(seed: int, operator: str = "", batches: int = BATCHES) -> Explored:
    """Explore a seed; `operator` asks for the topmost operator of the query."""
    random = Random(seed)
    case = random_case(random, operator)
    try:
        run = Run(case)
    except ModelError as error:
        return Explored(seed, case, is_refused=True, failure=str(error))
    except Exception as error:
        return Explored(seed, case, failure=f"{type(error).__name__} while building: {error}")
    try:
        return _Exploration(seed, random, case, run).through(batches)
    finally:
        run.lake.close()


def random_case(random: Random, operator: str = "") -> Case:
    tables = random_tables(random)
    rows = {name: [random_row(random, each) for _ in range(random.randint(0, 9))] for name, each in tables.items()}
    depth = random.choice([1, 2, 2, 2, 3])
    query = QueryGenerator(random, tables).query(depth, operator)
    passes = random.choice([PASSES, PASSES, (), tuple(each for each in PASSES if random.random() < 0.5)])
    return Case(tables, rows, query.sql, passes)


class _Exploration:
    def __init__(self, seed: int, random: Random, case: Case, run: Run) -> None:
        self.seed, self.random, self.case, self.run = seed, random, case, run
        sources = [each.name[-1] for each in run.view.view.sources]
        self.habits = [random_habit(random, sources) for _ in range(HABITS)] if sources else []
        self.pairs = self.moved = 0

    def through(self, batches: int) -> Explored:
        if self.run.view.view.problems:
            return self._explored(f"refused: {self.run.view.view.problems[0].what}")
        wrong = self.run.wrong()
        if wrong:
            return self._explored(f"as built\n{wrong}")
        for number in range(batches if self.habits else 0):
            failure = self._batch(number)
            if failure or self.pairs - self.moved == DULL_BATCHES:
                return self._explored(failure)
        return self._explored()

    def _batch(self, number: int) -> str:
        commits, is_stale = self._change()
        strategy = self.random.choice(["merge", "overwrite"])
        self.case = self.case.with_batch(Batch(commits, strategy))
        self.pairs, self.moved = self.pairs + 1, self.moved + is_stale
        try:
            self.run.refresh(strategy)
        except Exception as error:
            return f"{type(error).__name__} in batch {number}: {error}"
        wrong = self.run.wrong()
        return f"after batch {number}\n{wrong}" if wrong else ""

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

    def _explored(self, failure: str = "") -> Explored:
        return Explored(self.seed, self.case, self.pairs, self.moved, failure)
