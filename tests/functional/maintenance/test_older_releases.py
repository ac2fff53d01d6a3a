"""States outlive releases: one as the first release wrote it, with the fields it knew, is gone on from."""

import json
import zlib
from base64 import b64encode
from dataclasses import asdict

from dbt_lazyview.names import SETTING_USER_METADATA

RECORD = (
    "task", "token", "kind", "onto", "cut", "reads", "settings", "fingerprint", "reason", "strategy", "changes",
    "format",
)  # fmt: skip
POSITION = ("version", "timestamp", "id", "feed", "schema")
DEFINITION = {"refresh_mode": "auto", "is_parent": False, "comment": "Sales.", "column_comments": {}}


def as_first_written(record):
    """The record with the fields of format 1 as it was first."""
    content = {name: asdict(record)[name] for name in RECORD}
    for tables in ("cut", "reads"):
        content[tables] = {
            table: {name: position[name] for name in POSITION} for table, position in content[tables].items()
        }
    return json.dumps({"lazyview": content})


def properties(sql, fingerprint):
    packed = b64encode(zlib.compress(json.dumps({"sql": sql, **DEFINITION}).encode(), 9)).decode()
    return {
        "delta.enableChangeDataFeed": "true", "lazyview.format": "1", "lazyview.fingerprint": fingerprint,
        "lazyview.definition": "1", "lazyview.definition.0": packed,
    }  # fmt: skip


def test_goes_on_from_a_state_of_the_first_release(lake, sales):
    lake.refresh("v", sales)
    version, record = lake.records("v")[0]
    told = ", ".join(f"'{key}' = '{value}'" for key, value in properties(sales, record.fingerprint).items())
    rows = lake.run(f"select * from v__state version as of {version}")
    lake.run("create table kept using delta as select * from v__state", "drop table v__state")
    lake.session.conf.set(SETTING_USER_METADATA, as_first_written(record))
    lake.run(f"create table v__state using delta tblproperties ({told}) as select * from kept")
    lake.session.conf.unset(SETTING_USER_METADATA)
    assert sorted(map(str, lake.run("select * from v__state"))) == sorted(map(str, rows))

    assert lake.refresh("v", sales).kind == "noop"
    lake.run("insert into sales values (4, 'north', 1)", "delete from sales where id = 2")
    assert lake.refresh("v", sales).kind == "incremental"
    assert lake.differences("v", sales) == []
    newest = lake.records("v")[0][1]
    assert newest.task == record.task + 1
    assert newest.trigger == "run", "what the release of today records"
