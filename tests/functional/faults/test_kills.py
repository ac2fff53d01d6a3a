"""Twenty kills; `make kill-test KILLS=200` for more."""

from functools import partial

from tests.functional.faults import spark_server
from tests.functional.faults.kill_test import KillTest

SCENARIOS = ("overwrite", "merge", "full", "definition", "group", "build")  # the others take longer


def test_clients_are_killed(spark):
    """On a Spark that goes on with what they had asked for."""
    tally = KillTest(partial(spark_server.of_this_process, spark), SCENARIOS, spark_dies_every=0).run(19)
    assert tally.faults == []
    assert tally.kills == 19
    assert tally.after_commit >= 5


def test_all_of_spark_is_killed(tmp_path):
    tally = KillTest(partial(spark_server.running, tmp_path), ["overwrite"], spark_dies_every=1).run(1)
    assert tally.faults == []
    assert (tally.kills, tally.with_spark, tally.after_commit) == (1, 1, 1)
