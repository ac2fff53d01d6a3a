"""Configs of a lazy view: all that is wrong with them is told at once."""

from dataclasses import fields

import pytest
from dbt.artifacts.resources.v1.model import ModelConfig

from dbt_lazyview.adapter.models import check_model, definition_of
from dbt_lazyview.compiler.reasons import ModelError


def model(**configs):
    return {"name": "m", "unique_id": "model.shop.m", "language": "sql", "config": configs, "columns": {}}


def test_housekeeping_configs():
    told = model(compact_every=0, vacuum_every=7, full_refresh_limit="5 GB")
    check_model(told)
    definition = definition_of(told, "select 1", is_parent=False)
    assert (definition.compact_every, definition.vacuum_every, definition.full_refresh_limit) == (0, 7, "5 GB")
    assert definition.model == "model.shop.m"
    default = definition_of(model(), "select 1", is_parent=False)
    assert (default.compact_every, default.vacuum_every, default.full_refresh_limit) == (20, 100, None)


def test_all_problems_at_once():
    with pytest.raises(ModelError) as wrong:
        check_model(model(compact_every=-1, vacuum_every="daily", full_refresh_limit="much", max_changes=0))
    assert len(wrong.value.problems) == 4
    assert "full_refresh_limit: much is not a limit: write for example 50 GB or 10000000 rows." in str(wrong.value)


@pytest.mark.parametrize("slip", ["refresh_mod", "unique_keys", "partitioned_by", "view_groups"])
def test_a_config_that_nobody_would_look_at(slip):
    with pytest.raises(ModelError, match=f"{slip} is not a config of a lazy view"):
        check_model(model(**{slip: "x"}))


def test_configs_of_dbt_and_of_others_are_no_slips():
    known = {each.name: None for each in fields(ModelConfig)}
    check_model(model(**known, **{"pre-hook": [], "post-hook": [], "owner": "sales", "snowflake_warehouse": "x"}))
