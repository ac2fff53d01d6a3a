"""Probes: what was seen of base tables, shared by the refreshes of one invocation, so that each is looked at once."""

import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.maintenance.history import Commit
from dbt_lazyview.maintenance.record import Position

MAX_AGE = 60.0  # seconds after which a table is looked at again, for the sake of writers outside this process

T = TypeVar("T")
Cut = Mapping[Name, Position]


@dataclass
class Probes:
    """
    Details and commits of tables, and cuts that existed. Whoever writes tables tells it to forget; what was looked at
    meanwhile is then not kept either.
    """

    clock: Callable[[], float] = time.monotonic
    commits: dict[Name, tuple[Commit, ...]] = field(default_factory=dict)  # newest first
    _mutex: threading.Lock = field(default_factory=threading.Lock)
    _turns: dict[Name, threading.RLock] = field(default_factory=dict)
    _seen: dict[Name, tuple[float, object]] = field(default_factory=dict)
    _cuts: list[tuple[float, Cut]] = field(default_factory=list)
    _forgotten: int = 0  # how often

    def look(self, name: Name, look: Callable[[], T], is_kept: Callable[[T], bool] = lambda _: True) -> T:
        """What was seen of a table not long ago, or is now; threads that want the same table wait for each other."""
        with self.turn([name]):
            known = self._seen.get(name)
            if known and self._is_recent(known[0]):
                return known[1]  # type: ignore[return-value]
            at, forgotten = self.clock(), self._forgotten
            seen = look()
            with self._mutex:
                if forgotten == self._forgotten and is_kept(seen):
                    self._seen[name] = (at, seen)
            return seen

    def cut(self, names: Collection[Name], take: Callable[[], Cut]) -> Cut:
        """A state of these tables that existed not long ago: part of one taken before, or taken now."""
        with self.turn(names):
            wanted = set(names)
            for at, known in reversed(self._cuts):
                if wanted <= known.keys() and self._is_recent(at):
                    return {name: known[name] for name in wanted}
            at, forgotten = self.clock(), self._forgotten
            taken = take()
            with self._mutex:
                if forgotten == self._forgotten:
                    self._cuts.append((at, taken))
            return taken

    def forget(self) -> None:
        """Something may have been written: look again."""
        with self._mutex:
            self._forgotten += 1
            self.commits, self._seen, self._cuts = {}, {}, []

    def forget_relation(self, name: Name) -> None:
        """What stands under a name may be another relation now; base tables are what they were."""
        with self._mutex:
            self._forgotten += 1
            for key in (name, ("relation", *name)):
                self._seen.pop(key, None)

    def forget_table(self, name: Name) -> None:
        """We wrote a table ourselves, such as the copy of a source: look at it again; what was seen of others stays."""
        with self.turn([name]), self._mutex:
            self._seen.pop(name, None)
            self.commits.pop(name, None)
            self._cuts = [each for each in self._cuts if name not in each[1]]

    @contextmanager
    def turn(self, names: Iterable[Name]) -> Iterator[None]:
        """One thread at a time for each table; always in the same order, so that nobody waits in a circle."""
        with ExitStack() as turns:
            for name in sorted(set(names)):
                with self._mutex:
                    turn = self._turns.setdefault(name, threading.RLock())
                turns.enter_context(turn)
            yield

    def _is_recent(self, at: float) -> bool:
        return self.clock() - at <= MAX_AGE
