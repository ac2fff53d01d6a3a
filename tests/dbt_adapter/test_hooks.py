"""dbt's own tests of an adapter: hooks."""

import pytest
from dbt.tests.adapter.hooks import fixtures
from dbt.tests.adapter.hooks.test_model_hooks import (
    BaseDuplicateHooksInConfigs,
    BaseHookRefs,
    BaseHooksRefsOnSeeds,
    BasePrePostModelHooks,
    BasePrePostModelHooksInConfig,
    BasePrePostModelHooksInConfigKwargs,
    BasePrePostModelHooksInConfigWithCount,
    BasePrePostModelHooksOnSeeds,
    BasePrePostModelHooksOnSeedsPlusPrefixed,
    BasePrePostModelHooksOnSeedsPlusPrefixedWhitespace,
    BasePrePostModelHooksOnSnapshots,
    BasePrePostSnapshotHooksInConfigKwargs,
)
from dbt.tests.adapter.hooks.test_run_hooks import BaseAfterRunHooks, BasePrePostRunHooks


class TargetOfSpark:
    """The test compares what hooks see of the profile with PostgreSQL's; this is ours."""

    def check_hooks(self, state, project, host, count=1):
        seen = self.get_ctx_vars(state, count=count, project=project)
        for each in seen if isinstance(seen, list) else [seen]:
            told = {name: each[f"target_{name}"] for name in ("name", "schema", "type", "threads")}
            assert told == {"name": "default", "schema": project.test_schema, "type": "lazyview", "threads": 2}
            assert each["test_state"] == state
            assert each["run_started_at"]
            assert each["invocation_id"]
            assert each["thread_id"].startswith("Thread-") or each["thread_id"] == "MainThread"


class TestPrePostModelHooks(TargetOfSpark, BasePrePostModelHooks):
    pass


class TestPrePostModelHooksOfLazyViews(TargetOfSpark, BasePrePostModelHooks):
    @pytest.fixture(scope="class")
    def models(self):
        return {"hooks.sql": "{{ config(materialized='lazy_view') }}" + fixtures.models__hooks}


class TestHookRefs(TargetOfSpark, BaseHookRefs):
    pass


class TestPrePostModelHooksOnSeeds(BasePrePostModelHooksOnSeeds):
    pass


class TestHooksRefsOnSeeds(BaseHooksRefsOnSeeds):
    pass


class TestPrePostModelHooksOnSeedsPlusPrefixed(BasePrePostModelHooksOnSeedsPlusPrefixed):
    pass


class TestPrePostModelHooksOnSeedsPlusPrefixedWhitespace(BasePrePostModelHooksOnSeedsPlusPrefixedWhitespace):
    pass


class TestPrePostModelHooksOnSnapshots(BasePrePostModelHooksOnSnapshots):
    pass


class TestPrePostModelHooksInConfig(TargetOfSpark, BasePrePostModelHooksInConfig):
    pass


class TestPrePostModelHooksInConfigWithCount(TargetOfSpark, BasePrePostModelHooksInConfigWithCount):
    pass


class TestPrePostModelHooksInConfigKwargs(TargetOfSpark, BasePrePostModelHooksInConfigKwargs):
    pass


class TestPrePostSnapshotHooksInConfigKwargs(BasePrePostSnapshotHooksInConfigKwargs):
    pass


class TestDuplicateHooksInConfigs(BaseDuplicateHooksInConfigs):
    pass


class TestPrePostRunHooks(TargetOfSpark, BasePrePostRunHooks):
    def get_ctx_vars(self, state, project, count=1):
        return super().get_ctx_vars(state, project)

    def assert_used_schemas(self, project):
        (schemas,) = project.run_sql("select * from {schema}.schemas", fetch="all")
        (pairs,) = project.run_sql("select * from {schema}.db_schemas", fetch="all")
        assert (schemas[0], tuple(pairs)) == (project.test_schema, ("None", project.test_schema))

    @pytest.fixture(scope="class")
    def project_config_update(self):
        config = BasePrePostRunHooks.project_config_update.__wrapped__(self)
        return {**config, "on-run-end": [each.replace(" text", " string") for each in config["on-run-end"]]}


class TestAfterRunHooks(BaseAfterRunHooks):
    pass
