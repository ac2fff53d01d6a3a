"""Who applies what waits in a view delta."""

from types import SimpleNamespace
from typing import Any

import pytest

from dbt_lazyview.maintenance.policies import CHILD, MANAGER, OPERATION
from dbt_lazyview.maintenance.view_delta.apply import is_due

NODE: Any = SimpleNamespace(target=SimpleNamespace(definition=SimpleNamespace(apply="later")))
NOWHERE: Any = None


@pytest.mark.parametrize("trigger", [OPERATION, CHILD, MANAGER])
def test_applied_by_name_for_readers_of_stored_rows_and_in_idle_time(trigger):
    waiting: Any = SimpleNamespace(unapplied=object())
    nothing: Any = SimpleNamespace(unapplied=None)
    assert is_due(NOWHERE, NODE, waiting, trigger)
    assert not is_due(NOWHERE, NODE, nothing, trigger)
