"""
The kill test: refreshes of every kind are killed (SIGKILL) at every statement boundary and at random moments, alone or
with all of Spark; the next refresh has to make everything right. `python -m tests.functional.faults.kill_test`
"""

import argparse
import itertools
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tests.functional.faults import spark_server
from tests.functional.faults.lives import Life
from tests.functional.faults.mortal import Death
from tests.functional.faults.spark_server import Server
from tests.functional.faults.world import REFRESH, SCENARIOS

GUESSED_STATEMENTS, GUESSED_SECONDS = 25, 2.0  # of a refresh that was not watched to its end yet
STATEMENTS_AFTER_COMMIT = 6
SURVIVORS = 40  # lives in a row that are not killed: nobody kills them
SCHEMA = "kills"

Lives = subprocess.Popen[str]
Servers = Callable[[], AbstractContextManager[Server]]


@dataclass
class Tally:
    """What was killed, and what was wrong afterwards."""

    kills: int = 0
    after_commit: int = 0  # between the commit of a state and what follows it
    with_spark: int = 0
    scenarios: Counter[str] = field(default_factory=Counter)
    inside: Counter[str] = field(default_factory=Counter)  # scenarios, in the part that they are about
    boundaries: int = 0  # between different statements
    faults: list[Any] = field(default_factory=list)

    @property
    def line(self) -> str:
        told = ", ".join(f"{name} {self.inside[name]}/{count}" for name, count in sorted(self.scenarios.items()))
        return (
            f"{self.kills} kills (inside what each is about/in all: {told}) at {self.boundaries} different "
            f"boundaries, {self.after_commit} of them "
            f"between the commit of a state and what follows, {self.with_spark} with all of Spark: "
            f"{len(self.faults)} faults"
        )


class KillTest:
    """Lives one after the other, on one Spark until that is killed too."""

    def __init__(
        self,
        servers: Servers,
        scenarios: Collection[str] = tuple(SCENARIOS),
        spark_dies_every: int = 15,
        judged_every: int = 5,  # lives: a refresh that has to recover may be killed too
        seed: int = 0,
    ) -> None:
        self.servers, self.scenarios = servers, list(scenarios)
        self.spark_dies_every, self.judged_every = spark_dies_every, judged_every
        self.random, self.tally = random.Random(seed), Tally()
        self.numbers = itertools.count()
        self.lengths: dict[str, int] = {}  # statements of a refresh that came to its end
        self.visited: dict[str, set[int]] = defaultdict(set)  # boundaries where it was killed
        self.seen: dict[str, int] = {}  # versions of states that were judged
        self.left_behind: str | None = None  # the scenario of the life before
        self.to_come: list[str] = []  # scenarios, before any of them comes again
        self.unjudged = 0  # lives since everything was judged
        self.survivors = 0  # lives since one was killed

    def run(self, kills: int) -> Tally:
        with nursery() as lives:
            while self.left_behind or self.tally.kills < kills:
                with self.servers() as server:
                    self.live_on(server, lives, kills)
        return self.tally

    def live_on(self, server: Server, lives: Lives, kills: int) -> None:
        """Lives until Spark is dead as well, or there were enough of them and the last one is judged."""
        while self.left_behind or self.tally.kills < kills:
            scenario = self.next_scenario() if self.tally.kills < kills else None
            death = self.death_in(scenario) if scenario else Death()
            if self.live(self.next_life(server, scenario, death), lives) and death.takes_spark:
                return

    @property
    def is_judgement_due(self) -> bool:
        """Whether enough lives went by; what begins anew has to be judged before that."""
        begins_anew = self.left_behind is not None and SCENARIOS[self.left_behind].begins_anew
        return begins_anew or self.unjudged >= self.judged_every

    def next_scenario(self) -> str:
        """The one of the life before, until it is judged; then those first that nobody was killed inside of."""
        if self.left_behind and not self.is_judgement_due:
            return self.left_behind
        missed = [name for name in self.scenarios if not self.tally.inside[name]] or self.scenarios
        self.to_come = self.to_come or self.random.sample(missed, len(missed))
        return self.to_come.pop()

    def death_in(self, scenario: str) -> Death:
        """
        Every fourth is aimed after the commit, every fourth at a moment, the others before a statement: of the part
        that the scenario is about, where it has several.
        """
        kind, number = self.tally.kills % 4, self.tally.kills + 1
        takes_spark = self.spark_dies_every > 0 and number % self.spark_dies_every == 0
        if kind == 0:
            commits = self.random.randint(1, len(SCENARIOS[scenario].views))
            return Death(self.random.randrange(STATEMENTS_AFTER_COMMIT), commits, takes_spark=takes_spark)
        if kind == 3:
            return Death(seconds=self.random.uniform(0, GUESSED_SECONDS), takes_spark=takes_spark)
        part = SCENARIOS[scenario].part
        if part != REFRESH:
            return Death(self.random.randrange(GUESSED_STATEMENTS), takes_spark=takes_spark, part=part)
        boundaries = range(self.lengths.get(scenario, GUESSED_STATEMENTS))
        unseen = [each for each in boundaries if each not in self.visited[scenario]]
        return Death(self.random.choice(unseen or boundaries), takes_spark=takes_spark)

    def next_life(self, server: Server, scenario: str | None, death: Death) -> Life:
        number = next(self.numbers)
        recovers = self.left_behind if scenario is None or self.is_judgement_due else None
        self.left_behind, self.unjudged = scenario, 1 if recovers else self.unjudged + 1
        views = tuple(dict.fromkeys(view for each in self.scenarios for view in SCENARIOS[each].views_to_begin_with))
        address = (server.port, server.secret, server.group, SCHEMA)
        return Life(number, *address, () if number else views, recovers, scenario, death, self.seen)

    def live(self, life: Life, lives: Lives) -> bool:
        """Let somebody live; whether he was killed."""
        started = time.time()
        told = _told(life, lives)
        self.seen |= told.get("seen", {})
        if "failed" in told or told.get("faults"):
            self.tally.faults.append((life, told))
        if "survived" in told and life.scenario:
            self.lengths[life.scenario] = len(told["survived"])
        was_killed = "died_after" in told and "survived" not in told
        self.survivors = 0 if was_killed else self.survivors + 1
        assert self.survivors < SURVIVORS, f"{SURVIVORS} lives and none was killed; the last one told {told}"
        if was_killed:
            self.note(life, told)
        print(f"{life.number} {life.scenario}: {_ending(life, told)}, {time.time() - started:.1f} s", flush=True)
        return was_killed

    def note(self, life: Life, told: dict[str, Any]) -> None:
        assert life.scenario is not None
        self.tally.kills += 1
        self.tally.after_commit += told["has_committed"]
        self.tally.with_spark += life.death.takes_spark
        self.tally.scenarios[life.scenario] += 1
        self.tally.inside[life.scenario] += told["part"] == SCENARIOS[life.scenario].part
        self.visited[life.scenario].add(told["boundary"])
        self.tally.boundaries = sum(map(len, self.visited.values()))


@contextmanager
def nursery() -> Iterator[Lives]:
    """The process that lives are forked from."""
    command = [sys.executable, "-m", "tests.functional.faults.lives"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def _told(life: Life, lives: Lives) -> dict[str, Any]:
    """Everything a life told until its end."""
    assert lives.stdin is not None
    assert lives.stdout is not None
    print(life.to_json(), file=lives.stdin, flush=True)
    told: dict[str, Any] = {}
    while "ended" not in told:
        told |= json.loads(lives.stdout.readline())
    return told


def _ending(life: Life, told: dict[str, Any]) -> str:
    if "failed" in told:
        return f"FAILED {told['failed']}"
    faults = f", {life.recovers} WRONG {told['faults']}" if told.get("faults") else ""
    if "survived" in told or "died_after" not in told:
        return f"not killed{faults}"
    how = "at a moment" if life.death.seconds is not None else "at a boundary"
    return f"killed{' with Spark' if life.death.takes_spark else ''} {how} after {told['died_after']!r}{faults}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        judged_every = max(1, min(5, arguments.kills // len(SCENARIOS)))
        test = KillTest(partial(spark_server.running, Path(folder)), seed=arguments.seed, judged_every=judged_every)
        tally = test.run(arguments.kills)
    missed = [name for name in SCENARIOS if not tally.inside[name]] if arguments.kills >= 2 * len(SCENARIOS) else []
    print(tally.line, *(f"nobody died inside of {name}" for name in missed), sep="\n")
    sys.exit(bool(tally.faults or missed))


if __name__ == "__main__":
    main()
