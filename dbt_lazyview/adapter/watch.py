"""
Watching: what is pending for many views, look after look. A look asks the sources, which many views share; states are
read again after refreshes that we know of, and in turn, some at each look, for the sake of refreshes by others.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from dbt_lazyview.adapter.graph import view_groups
from dbt_lazyview.adapter.lazy_views import full_name
from dbt_lazyview.adapter.operations import LazyViewOperations
from dbt_lazyview.maintenance.settings import read_settings
from dbt_lazyview.maintenance.state import State
from dbt_lazyview.maintenance.status import Status, status_of
from dbt_lazyview.maintenance.tables import Tables
from dbt_lazyview.maintenance.tasks import task_of

AGAIN = (5, 50)  # states that are read again at each look, at least and at most
LOOKS = 12  # within so many looks, if that is not too much


class Watch:
    """The lazy views of a project, by their unique ids."""

    def __init__(self, adapter: LazyViewOperations, names: list[str] | None) -> None:
        self.adapter = adapter
        self.nodes = {node.unique_id: node for node in adapter.lazy_views_named(names)}
        self.groups = view_groups(adapter._nodes())
        self._states: dict[str, State] = {}  # the one read longest ago first

    def look(self) -> Iterator[tuple[Any, Status]]:
        """Every view with what is pending for it now."""
        self.adapter.probes.forget()
        with self.adapter._engine("manager") as engine:
            tables = Tables(engine, read_settings(engine).time_zone, self.adapter.probes)
            again = set(list(self._states)[: _how_many(len(self.nodes))])
            for unique_id, node in self.nodes.items():
                view, known = full_name(engine, node), self._states.get(unique_id)
                if known is None or unique_id in again:
                    status = status_of(tables, view)
                    self._states.pop(unique_id, None)
                    self._states[unique_id] = status.state
                else:
                    status = Status(view, known, task_of(tables, known))
                yield node, status

    def forget(self, unique_id: str) -> None:
        """A view was refreshed: read its state again, and those that moved with it."""
        for each in self._moved_with(unique_id):
            self._states.pop(each, None)

    def turn_key(self, unique_id: str) -> str:
        return self.adapter.turn_key(unique_id, self.groups.get(unique_id))

    def _moved_with(self, unique_id: str) -> Iterable[str]:
        group, moved, waiting = self.groups.get(unique_id), set[str](), [unique_id]
        waiting += [each for each, own in self.groups.items() if group and own == group]
        while waiting:
            each = waiting.pop()
            if each in self.nodes and each not in moved:
                moved.add(each)
                waiting += [parent.unique_id for parent in self.adapter._parents(self.nodes[each])]
        return moved


def _how_many(views: int) -> int:
    """
    How many states are read again at a look.

    Example:
        >>> _how_many(3), _how_many(240), _how_many(10_000)
        (5, 20, 50)
    """
    least, most = AGAIN
    return min(max(least, views // LOOKS), most)
