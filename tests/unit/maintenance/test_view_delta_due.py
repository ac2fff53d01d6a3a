"""Who applies what waits in a view delta."""

from types import SimpleNamespace
from typing import Any

from dbt_lazyview.maintenance.policies import MANAGER, OPERATION
from dbt_lazyview.maintenance.view_delta.apply import is_due

NODE: Any = SimpleNamespace(target=SimpleNamespace(definition=SimpleNamespace(apply="later")))
NOWHERE: Any = None
WAITING: Any = SimpleNamespace(unapplied=object())
NOTHING: Any = SimpleNamespace(unapplied=None)


def test_applied_by_name_and_for_readers_of_stored_rows():
    assert is_due(NOWHERE, NODE, WAITING, OPERATION)
    assert is_due(NOWHERE, NODE, WAITING, MANAGER, is_needed=True)
    assert not is_due(NOWHERE, NODE, NOTHING, OPERATION, is_needed=True)
