"""
Lives to be killed: `python -m tests.functional.faults.lives` reads what each shall do, one JSON object a line, and
forks a process for it, so that starting one costs nothing. Some begin by recovering what the last ones left.
"""

import json
import os
import sys
import traceback
from dataclasses import asdict, dataclass, field
from typing import Any

from tests.functional.faults.mortal import Death, MortalEngine, tell
from tests.functional.faults.spark_server import join
from tests.functional.faults.world import SCENARIOS, World
from tests.functional.maintenance.lake import Lake


@dataclass(frozen=True)
class Life:
    """What one process does: recover from the life before, judge, change the tables, refresh, and die."""

    number: int
    port: int
    secret: str
    spark_group: int
    schema: str
    creates: tuple[str, ...] = ()  # views to begin with
    recovers: str | None = None  # the scenario that the lives before were killed in
    scenario: str | None = None  # None: judge only
    death: Death = field(default_factory=Death)
    seen: dict[str, int] = field(default_factory=dict)  # newest version of each state that was judged before

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> "Life":
        told: dict[str, Any] = json.loads(text)
        return Life(**{**told, "death": Death(**told["death"])})


def live(life: Life) -> None:
    lake = Lake(join(life.port, life.secret), life.schema)
    if life.creates:
        World(lake).create(life.creates)
    if life.recovers:
        recover(World(lake, life.number - 1), life)
    if life.scenario:
        refresh_and_die(World(lake, life.number), life)


def recover(world: World, life: Life) -> None:
    """Nothing but the next refresh; then everything has to be right."""
    scenario = SCENARIOS[life.recovers or ""]
    world.refresh(scenario, world.lake.engine())
    tell(faults=world.faults(scenario, life.seen), seen=world.versions(scenario))


def refresh_and_die(world: World, life: Life) -> None:
    scenario = SCENARIOS[life.scenario or ""]
    world.change(scenario)
    engine = MortalEngine(world.lake.engine().session, scenario.is_embedded, life.death, life.spark_group)
    world.refresh(scenario, engine)
    tell(survived=engine.statements)


def main() -> None:
    for line in sys.stdin:
        process = os.fork()
        if process == 0:
            try:
                live(Life.from_json(line))
            except BaseException:
                tell(failed=traceback.format_exc())
            os._exit(0)
        os.waitpid(process, 0)
        tell(ended=True)


if __name__ == "__main__":
    main()
