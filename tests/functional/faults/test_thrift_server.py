"""A thrift server, all of Spark, that dies between a commit and what follows, and returns: nothing to be repaired."""

import os
import signal

import pytest

from dbt_lazyview.maintenance.errors import RefreshError
from tests.functional.maintenance.conftest import SALES
from tests.functional.maintenance.lake import Lake
from tests.functional.servers.processes import free_port
from tests.functional.servers.thrift import ThriftSession, thrift_server

pytest.importorskip("pyhive")


@pytest.mark.usefixtures("spark")  # which finds the jars
def test_dies_and_returns(tmp_path):
    port = free_port()
    with thrift_server(tmp_path, port) as group:
        lake = Lake(ThriftSession(port), "thrift")
        lake.run(
            "create table sales (id int, region string, amount decimal(10,2)) using delta",
            "insert into sales values (1, 'north', 10), (2, 'south', 20), (3, null, 5)",
        )
        lake.refresh("v", SALES)
        lake.run("insert into sales values (4, 'north', 1)")
        engine = lake.engine()
        engine.after["insert overwrite"] = lambda: os.killpg(group, signal.SIGKILL)
        with pytest.raises(RefreshError, match=r"`thrift`\.`v` was not refreshed: ") as failed:
            lake.refresh("v", SALES, engine)
        assert "The step that failed: write the state. Spark did not answer any more" in str(failed.value)
    with thrift_server(tmp_path, port):
        lake = Lake(ThriftSession(port), "thrift")
        assert lake.refresh("v", SALES).kind == "noop", "what was committed is not applied twice"
        assert lake.differences("v", SALES) == []
