"""How a state is stored: what configs may ask for, and which conditions stand on its rows."""

import pytest

from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.reasons import ModelError
from dbt_lazyview.maintenance.configuration import changed_configs, with_configs_of
from dbt_lazyview.maintenance.definition import Definition, from_properties, to_properties
from dbt_lazyview.maintenance.storage import check_storage, checked_conditions, refuse_move, storage_of
from tests.unit.compiler.paper_catalog import PaperCatalog

CATALOG = PaperCatalog({"sales": ["id int", "region string", "day date", "amount int"]})
BY_DAY = "select day as on_day, region, sum(amount) as revenue from sales group by day, region"
STATE = ("x", "v__state")


def view(sql):
    return compile_view(sql, CATALOG)


def test_columns_are_those_of_the_state():
    definition = Definition(BY_DAY, partition_by=("ON_DAY",), location_root="s3://bucket/", tblproperties={"a": "b"})
    check_storage(definition, view(BY_DAY))
    storage = storage_of(definition, view(BY_DAY), STATE)
    (partition,) = storage.partitions
    assert partition.strip("`") in [column.name for column in view(BY_DAY).layout.columns]
    assert (storage.clusters, storage.location) == ((), "s3://bucket/x/v__state")
    assert storage.properties["a"] == "b"
    assert from_properties(storage.properties) == definition


def test_a_property_of_ours_is_not_overruled():
    definition = Definition("select 1 as a", tblproperties={"delta.enableChangeDataFeed": "false"})
    assert to_properties(definition, "f")["delta.enableChangeDataFeed"] == "true"


@pytest.mark.parametrize(
    ("configs", "words"),
    [
        ({"partition_by": ("region",)}, ["region string", "NULL", "clustered_by", "LV006"]),
        ({"partition_by": ("revenue",)}, ["revenue is not stored as it is", "on_day, region"]),
        ({"clustered_by": ("nope",)}, ["nope is not stored as it is"]),
        ({"clustered_by": ("region",), "partition_by": ("on_day",)}, ["both set"]),
        ({"constraints": {"c": "revenue >"}}, ["cannot be read"]),
    ],
)
def test_what_is_refused(configs, words):
    with pytest.raises(ModelError) as problem:
        check_storage(Definition(BY_DAY, **configs), view(BY_DAY))
    assert [word for word in words if word not in str(problem.value)] == []


def test_a_limit_decides_when_the_view_is_read():
    with pytest.raises(ModelError, match="LIMIT"):
        check_storage(Definition(BY_DAY, constraints={"c": "revenue > 0"}), view(BY_DAY + " order by 1 limit 3"))


def test_what_delta_does_not_do_to_a_table():
    clustered, moved = Definition(BY_DAY, clustered_by=("region",)), Definition(BY_DAY, location_root="/b")
    with pytest.raises(ModelError, match="location_root changed"):
        refuse_move(STATE, Definition(BY_DAY, location_root="/a"), moved)
    with pytest.raises(ModelError, match="partition_by changed"):
        refuse_move(STATE, clustered, Definition(BY_DAY, partition_by=("on_day",)))
    refuse_move(STATE, clustered, Definition(BY_DAY))
    refuse_move(STATE, None, moved)


def test_constraints_are_conditions_on_what_is_stored():
    shown = view(BY_DAY + " having sum(amount) > 10")
    conditions = checked_conditions(Definition(BY_DAY, constraints={"Paid": "revenue >= on_day"}), shown)
    stored = [column.quoted for column in shown.layout.columns]
    (text,) = conditions.values()
    assert list(conditions) == ["paid"]
    assert "revenue" not in text
    assert any(column in text for column in stored)
    assert "".join(text.split()).startswith("COALESCE(NOT("), "rows that are hidden need not keep it"


def test_a_view_without_a_plan_has_constraints_too():
    volatile = view("select id, rand() as luck from sales")
    assert checked_conditions(Definition("", constraints={"c": "luck < 1"}), volatile) == {"c": "`c_2` < 1"}


def test_configs_that_changed():
    stored = Definition("select 1", policy="snapshot", compact_every=3)
    wanted = Definition("select 2", comment="new", partition_by=("a",))
    assert changed_configs(stored, wanted) == ("compact_every", "partition_by")
    kept = with_configs_of(stored, wanted)
    assert (kept.sql, kept.comment, kept.policy) == ("select 2", "new", "deferred")
    assert (kept.compact_every, kept.partition_by) == (3, ())
