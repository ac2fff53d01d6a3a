"""Some kills; `make kill-test KILLS=200` for more."""

from functools import partial

import pytest

from tests.functional.faults import spark_server
from tests.functional.faults.kill_test import KillTest

pytestmark = pytest.mark.in_process("processes join the JVM of this one; test_thrift_server.py kills a server")

SCENARIOS = ("rewrite", "definition", "group", "build", "manager", "propagate", "apply", "compress")


@pytest.mark.long
def test_clients_are_killed(spark):
    """On a Spark that goes on with what they had asked for; one that dies itself: test_thrift_server.py."""
    servers = partial(spark_server.of_this_process, spark)
    tally = KillTest(servers, SCENARIOS, spark_dies_every=0, judged_every=2).run(24)
    assert tally.faults == []
    assert tally.kills == 24
    assert tally.after_commit >= 5
    assert {name for name, count in tally.inside.items() if count} == set(SCENARIOS)
