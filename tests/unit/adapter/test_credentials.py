"""Two lines are a profile; what the user sets wins."""

import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt_lazyview.adapter.credentials import ANSI, CHANGE_DATA_FEED, LazyViewCredentials
from dbt_lazyview.adapter.session import default_settings


def test_schema_is_enough():
    credentials = LazyViewCredentials(schema="x")
    assert (credentials.type, credentials.method, credentials.folder) == ("lazyview", "session", ".lazyview")
    assert credentials.server_side_parameters == {ANSI: "false", CHANGE_DATA_FEED: "true"}


def test_parameters_of_the_user_win():
    wanted = {ANSI: True, CHANGE_DATA_FEED: "false", "spark.sql.shuffle.partitions": 7}
    credentials = LazyViewCredentials(schema="x", server_side_parameters=wanted)
    assert credentials.server_side_parameters == {
        ANSI: "true",
        CHANGE_DATA_FEED: "false",
        "spark.sql.shuffle.partitions": "7",
    }


def test_other_methods_need_their_host():
    with pytest.raises(DbtRuntimeError, match="host"):
        LazyViewCredentials(schema="x", method="thrift")


def test_everything_written_is_in_the_folder(tmp_path):
    assert default_settings(tmp_path)["spark.sql.warehouse.dir"].startswith(str(tmp_path))
