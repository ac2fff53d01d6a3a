"""
What was told before, and would be told again. A process that stays, such as a manager, compiles every view at every
look; asking for types is most of that.
"""

import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from dbt_lazyview.compiler.catalog import Catalog, Column, Name, StoredView, Table, UserFunction

MOST = 2000  # answers that are kept
MAX_AGE = 600.0  # seconds for which types are: a table may have been altered between the look at it and the question
_TIME_TRAVEL = re.compile(r"\bas\s+of\b", re.IGNORECASE)

T = TypeVar("T")
Types = tuple[Column, ...]
Seen = Table | StoredView | UserFunction | None


@dataclass
class Remembered(Generic[T]):
    """Answers to the questions that were asked last; shared by threads."""

    most: int = MOST
    max_age: float | None = None
    clock: Callable[[], float] = time.monotonic
    _known: OrderedDict[Hashable, tuple[float, T]] = field(default_factory=OrderedDict)
    _mutex: threading.Lock = field(default_factory=threading.Lock)

    def get(self, question: Hashable, ask: Callable[[], T]) -> T:
        """
        The answer from before, or now.

        Example:
            >>> answers = Remembered[int](most=1)
            >>> [answers.get("a", lambda: 1), answers.get("a", lambda: 2), answers.get("b", lambda: 3)]
            [1, 1, 3]
            >>> answers.get("a", lambda: 4)  # forgotten meanwhile
            4
        """
        with self._mutex:
            known = self._known.get(question)
            if known and (self.max_age is None or self.clock() - known[0] <= self.max_age):
                self._known.move_to_end(question)
                return known[1]
        at, found = self.clock(), ask()
        with self._mutex:
            self._known[question] = (at, found)
            self._known.move_to_end(question)
            while len(self._known) > self.most:
                self._known.popitem(last=False)
        return found


TYPES: Remembered[Types] = Remembered(max_age=MAX_AGE)  # of this process


@dataclass
class RememberingCatalog:
    """
    A catalog for the compiling of one view, which looks all its relations and functions up before it asks for types: a
    question is the same if its text is, the answers to those, and the setup of the session.
    """

    catalog: Catalog
    setup: str
    types: Remembered[Types] = field(default_factory=lambda: TYPES)
    _seen: dict[tuple[str, Name, Name | None], Seen] = field(default_factory=dict)

    def relation(self, name: Name, namespace: Name | None) -> Table | StoredView:
        found = self.catalog.relation(name, namespace)
        self._seen["relation", name, namespace] = found
        return found

    def function(self, name: Name, namespace: Name | None) -> UserFunction | None:
        found = self.catalog.function(name, namespace)
        self._seen["function", name, namespace] = found
        return found

    def describe(self, sql: str) -> Types:
        if _TIME_TRAVEL.search(sql):  # the columns that a table had are not those that it was seen with
            return self.catalog.describe(sql)
        question = (self.setup, sql, frozenset(self._seen.items()))
        return self.types.get(question, lambda: self.catalog.describe(sql))
