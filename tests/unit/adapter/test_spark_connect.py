"""Spark Connect is refused by name, without telling its address, in which a token may be."""

import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt_lazyview.adapter.session import refuse_connect

ADDRESS = "sc://spark.internal:15002/;token=do-not-tell"


def test_in_the_profile():
    with pytest.raises(DbtRuntimeError, match=r"spark\.remote is set.*method: thrift") as refused:
        refuse_connect({"spark.remote": ADDRESS})
    assert "do-not-tell" not in str(refused.value)


def test_in_the_environment(monkeypatch):
    monkeypatch.setenv("SPARK_REMOTE", ADDRESS)
    with pytest.raises(DbtRuntimeError, match="SPARK_REMOTE is set"):
        refuse_connect({})


def test_neither(monkeypatch):
    monkeypatch.delenv("SPARK_REMOTE", raising=False)
    refuse_connect({"spark.master": "local"})
