"""The starter project for three days: every mart a lazy view by one line, equal to its query each evening."""

import pytest
from dbt.tests.util import run_dbt

from tests.functional.lazy.starter import MARTS, NAMES, STAGING, Shop, live_through


class TestStarterProject:
    days = 3

    @pytest.fixture(scope="class")
    def shop(self):
        return Shop()

    @pytest.fixture(scope="class")
    def seeds(self, shop):
        return shop.seeds()

    @pytest.fixture(scope="class")
    def models(self):
        return {"staging": STAGING, "marts": MARTS}

    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"models": {"test": {"marts": {"+materialized": "lazy_view"}}}}

    @pytest.mark.long
    def test_every_evening_the_marts_equal_their_queries(self, project, shop):
        run_dbt(["build"])
        told = live_through(project, shop, self.days)
        assert [set(each) for each in told] == [set(NAMES)] * self.days
        assert {kind for each in told for kind in each.values()} <= {"incremental", "noop"}
