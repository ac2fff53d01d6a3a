"""dbt's own tests of an adapter: sample_mode."""

from dbt.tests.adapter.sample_mode.test_sample_mode import BaseSampleModeTest


class TestSampleModeTest(BaseSampleModeTest):
    pass
