"""Breaking any one rule makes the random tests fail, within a few queries."""

import pytest

from dbt_lazyview.compiler.operators import RULES
from tests.property.exploration import explore
from tests.property.mutations import MUTATIONS, Mutation

SEEDS = 40
BATCHES = 5


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_is_found(mutation: Mutation, monkeypatch: pytest.MonkeyPatch) -> None:
    mutation.apply(monkeypatch)
    failures = (explore(seed, mutation.case, BATCHES).failure for seed in range(SEEDS))
    assert any(failure is not None and failure.kind == "wrong rows" for failure in failures)


def test_every_rule_is_broken_in_some_way() -> None:
    assert {node.__name__ for node in RULES} <= {mutation.name.split(":")[0] for mutation in MUTATIONS}
