"""Point in time, net effect, valid times, and the other uses of a view delta (B 1.2, 5, 6)."""

from decimal import Decimal

import pytest

from dbt_lazyview.maintenance.errors import RefreshError
from dbt_lazyview.maintenance.public import published
from dbt_lazyview.maintenance.status import status_of
from dbt_lazyview.maintenance.tree import resolve
from dbt_lazyview.maintenance.view_delta.audit import audit
from dbt_lazyview.maintenance.view_delta.compress import compress
from dbt_lazyview.maintenance.view_delta.export import export_changes
from dbt_lazyview.maintenance.view_delta.pinned import consistent
from dbt_lazyview.maintenance.view_delta.prune import prune
from dbt_lazyview.maintenance.view_delta.rolled_copies import roll_copy
from tests.functional.maintenance.deferred_world import Deferred, until
from tests.functional.maintenance.lake import Lake

VIEWS = {
    "deposits": "select account, count(*) as n, sum(amount) as total from accounts where amount > 0 group by account",
    "withdrawals": """
        select account, sum(amount) as total, max(amount) as m
        from accounts where amount < 0 group by account
    """,
    "entries": "select a.account, o.owner, a.amount from accounts as a join owners as o on o.account = a.account",
}


@pytest.fixture
def bank(spark, request):
    """Every commit of `accounts` moves money from one account to another; a window ends after every second one."""
    lake = Lake(spark, f"bank_{request.node.name[:40]}")
    lake.run(
        "create table accounts (account int, amount decimal(10,2)) using delta",
        "insert into accounts values (1, 100), (2, -100)",
        "create table owners (account int, owner string) using delta",
        "insert into owners values (1, 'Ada'), (2, 'Bob'), (3, 'Cyd')",
    )
    world = Deferred(lake, VIEWS, is_parent=True)  # so that their states are merged into
    world.build()
    return world


def transfer(world, amount: int) -> int:
    """A transaction: one commit. Gives its version."""
    world.lake.run(f"insert into accounts values (1, {amount}), (3, -{amount})")
    return world.lake.history("accounts")[0]["version"]


def totals(world, *names) -> list:
    return [world.lake.run(f"select sum(total) from {name}")[0][0] for name in names]


def rewrite_one(world) -> None:
    world.lake.run(
        "update accounts set amount = amount * 2 where account = 3", "delete from accounts where account = 2"
    )


@pytest.mark.long
def test_rolled_to_any_moment(bank):
    """Both views show the same transactions as of one time, between windows too; then the newest again, for nothing."""
    for step in range(3):
        transfer(bank, 10 + step)
        if step == 1:
            rewrite_one(bank)
        else:
            transfer(bank, 20 + step)
        for name in VIEWS:
            bank.refresh(name)
    newest = bank.lake.history("accounts")[0]["version"]
    owners = {"owners": bank.lake.history("owners")[0]["version"]}
    for version in (3, 4, 5, newest):  # the end of a window, two moments inside the next, the end of all
        moment = bank.time_of("accounts", version)
        for name in VIEWS:
            outcome = bank.roll(name, moment, trigger="run")  # applies nothing, so the next one may be earlier
            assert outcome.kind == ("roll" if version < newest else "noop"), (version, name)
            at = {"accounts": version, **(owners if name == "entries" else {})}
            assert bank.differences_at(name, at) == [], (version, name)
        if version < 5:
            assert sum(totals(bank, "deposits", "withdrawals")) == 0, "not the same transactions"
    for name, sql in VIEWS.items():
        engine = bank.lake.engine()
        bank.refresh(name, engine)
        assert not [each for each in engine.ran if each.lower().startswith(("insert", "merge"))]
        assert bank.lake.differences(name, sql) == []


@pytest.mark.long
def test_books_are_closed_at_midnight_and_the_work_is_done_at_four(bank):
    """Rolling by name applies what is over by then; what came later stays, and before that there is no way back."""
    first = transfer(bank, 1)
    bank.refresh("deposits")
    midnight = transfer(bank, 2)
    bank.refresh("deposits")
    transfer(bank, 3)
    bank.refresh("deposits")
    outcome = bank.roll("deposits", bank.time_of("accounts", midnight))
    assert outcome.kind == "roll"
    assert bank.differences_at("deposits", {"accounts": midnight}) == []
    (_, stored), *_ = bank.lake.records("deposits")
    assert (stored.kind, stored.window) == ("apply", bank.windows("deposits")[1].window)
    assert len(bank.windows("deposits")) == 3
    with pytest.raises(RefreshError, match="already past"):
        bank.roll("deposits", bank.time_of("accounts", first))
    assert bank.wrong_rows("deposits") == []
    bank.refresh("deposits")
    assert bank.lake.differences("deposits", VIEWS["deposits"]) == []


@pytest.mark.long
def test_compressed_to_the_net_effect(bank):
    versions = []
    for step in range(6):
        versions.append(transfer(bank, 1 + step))
        if step == 3:
            rewrite_one(bank)
        for name in VIEWS:
            bank.refresh(name)
    times = [
        each.cut["`spark_catalog`." + f"`{bank.lake.schema}`.`accounts`"].timestamp for each in bank.windows("deposits")
    ]
    for name, sql in VIEWS.items():
        node = resolve(bank.tables(), bank.target(name))
        told = compress(bank.tables(), node, times[1], times[4])
        assert (told.windows, told.ranges) == (3, 1)
        assert bank.lake.differences(name, sql) == []
        assert len(bank.windows(name)) == 4
    with pytest.raises(RefreshError, match="inside a range of its view delta that was compressed") as refused:
        bank.roll("deposits", bank.time_of("accounts", versions[2]), trigger="run")
    assert "LV042" in str(refused.value)
    for version, name in [(versions[1], "deposits"), (versions[1], "withdrawals")]:
        bank.roll(name, bank.time_of("accounts", version), trigger="run")
        assert bank.differences_at(name, {"accounts": version}) == []
    bank.roll("deposits", times[4])
    assert bank.wrong_rows("deposits") == []
    for name, sql in VIEWS.items():
        bank.apply(name)
        assert bank.lake.differences(name, sql) == []


@pytest.mark.long
def test_valid_times_and_what_is_consistent(bank):
    lake = bank.lake
    first = transfer(bank, 5)
    bank.refresh("deposits")
    bank.refresh("withdrawals")
    both = status_of(bank.tables(), bank.target("deposits").name).valid
    assert both.since == bank.time_of("accounts", first)
    assert both.until is None
    second = transfer(bank, 6)
    assert status_of(bank.tables(), bank.target("deposits").name).valid.until == bank.time_of("accounts", second)
    bank.refresh("deposits")
    third = transfer(bank, 7)
    bank.refresh("deposits")
    schema = ("spark_catalog", lake.schema)
    views = {name: (*schema, name) for name in ("deposits", "withdrawals")}
    found = consistent(lake.engine(), views, {"accounts": (*schema, "accounts")})
    assert (found.valid.since, found.valid.until) == (bank.time_of("accounts", first), bank.time_of("accounts", second))
    sums = [lake.run(f"select sum(total) from {found.relations[name]} as v")[0][0] for name in views]
    assert sum(sums) == 0
    assert lake.run(f"select sum(amount) from {found.relations['accounts']}") == [(Decimal(0),)]
    assert lake.run("select sum(total) from deposits") != [(sums[0],)]  # it shows more
    consistent(lake.engine(), views, {}, brings=True)
    assert totals(bank, "deposits", "withdrawals") == sums
    for name in views:
        assert bank.differences_at(name, {"accounts": first}) == []
        bank.refresh(name)
        assert bank.differences_at(name, {"accounts": third}) == []


@pytest.mark.long
def test_copies_exports_audits_and_what_is_kept_for_them(bank):
    lake, schema = bank.lake, ("spark_catalog", bank.lake.schema)
    first = transfer(bank, 5)
    for name in VIEWS:
        bank.refresh(name)
        export_changes(lake.engine(), bank.target(name), (*schema, f"{name}_changes"))
    second = transfer(bank, 6)
    transfer(bank, 7)
    for name in VIEWS:
        bank.refresh(name)
    rewrite_one(bank)
    for name in VIEWS:
        bank.apply(name)
        told = export_changes(lake.engine(), bank.target(name), (*schema, f"{name}_changes"))
        assert told.kind == "changes"
        assert exported(lake, name) == lake.run(f"select * from {name} order by all"), name

    def copy(name: str, copied: str, version: int) -> str:
        moment = until(bank.time_of("accounts", version))
        return roll_copy(lake.engine(), bank.target(name), (*schema, copied), moment).kind

    def copy_is_right(name: str, copied: str, version: int) -> bool:
        owners = {"owners": 1} if name == "entries" else {}
        return Copied(bank, copied, name).differences_at(copied, {"accounts": version, **owners}) == []

    with pytest.raises(RefreshError, match="already past"):
        copy("deposits", "monthly", first)  # all is applied, and no copy was there before
    fourth = transfer(bank, 8)
    fifth = transfer(bank, 9)
    for name in VIEWS:
        bank.refresh(name)
    for name in VIEWS:
        assert copy(name, f"{name}_monthly", fourth) == "copied"  # between two windows
        assert copy_is_right(name, f"{name}_monthly", fourth)
        assert copy(name, f"{name}_daily", fifth) == "copied"
        assert copy_is_right(name, f"{name}_daily", fifth)
    told = audit(lake.engine(), bank.target("withdrawals"), {"account": 3}, bank.time_of("accounts", second), None)
    assert [each["lv_change_type"] for each in told.changes][-2:] == ["update_preimage", "update_postimage"]
    assert (
        sum(each["lv_weight"] for each in told.rows) == 4
    )  # four transfers, and updates that take out what they put in
    assert {each["changed"] for each in told.rows} == {"accounts"}
    sixth = transfer(bank, 10)
    rewrite_one(bank)
    for name, sql in VIEWS.items():
        bank.apply(name)
        needed = prune(bank.tables(), resolve(bank.tables(), bank.target(name)))
        assert needed.rows > 0
        assert copy_is_right(name, f"{name}_monthly", fourth)
        assert copy(name, f"{name}_daily", sixth) == "shown"  # a point after the window it is at
        assert copy_is_right(name, f"{name}_daily", sixth)
        assert copy(name, f"{name}_monthly", fifth) == "rolled"
        assert copy_is_right(name, f"{name}_monthly", fifth)
        told = export_changes(lake.engine(), bank.target(name), (*schema, f"{name}_changes"))
        assert told.kind == "changes"
        assert exported(lake, name) == lake.run(f"select * from {name} order by all"), name
        assert lake.differences(name, sql) == []
    kinds = {kind for (kind,) in lake.run("select distinct lv_change_type from deposits_changes")}
    assert {"insert", "update_preimage", "update_postimage"} <= kinds
    assert ("delete",) in lake.run("select distinct lv_change_type from entries_changes")
    bank.refresh("deposits", full_refresh=True)
    transfer(bank, 11)
    bank.refresh("deposits")
    told = export_changes(lake.engine(), bank.target("deposits"), (*schema, "deposits_changes"))
    assert told.kind == "difference"
    assert exported(lake, "deposits") == lake.run("select * from deposits order by all")
    assert copy("deposits", "deposits_daily", lake.history("accounts")[0]["version"]) == "copied"


@pytest.mark.long
def test_what_waits_is_counted_and_what_is_shown_stays_readable(bank):
    """Compressing and pruning write new versions of the view delta; Delta does not keep the one before for long."""

    def waits() -> int:
        return status_of(bank.tables(), bank.target("deposits").name).state.waiting

    assert waits() == 0
    for amount in (5, 6, 7):
        transfer(bank, amount)
        bank.refresh("deposits")
        rows = bank.lake.run("select count(*) from deposits__delta where lv_record is null")[0][0]
        assert waits() == rows > 0
    node = resolve(bank.tables(), bank.target("deposits"))
    assert compress(bank.tables(), node, None, None).windows == 3
    assert shown_delta_version(bank, "deposits") == bank.lake.history("deposits__delta")[0]["version"]
    assert bank.lake.differences("deposits", VIEWS["deposits"]) == []
    bank.apply("deposits")
    assert waits() == 0
    transfer(bank, 8)
    bank.refresh("deposits")
    assert prune(bank.tables(), node).rows > 0
    assert shown_delta_version(bank, "deposits") == bank.lake.history("deposits__delta")[0]["version"]
    assert bank.lake.differences("deposits", VIEWS["deposits"]) == []


def shown_delta_version(world, name: str) -> int:
    return int(published(world.lake.engine(), world.target(name).name).shown_delta.split(":")[0])


@pytest.mark.long
def test_a_copy_that_went_back_behind_what_was_pruned_is_copied_anew(bank):
    lake, copied = bank.lake, ("spark_catalog", bank.lake.schema, "daily")

    def copy() -> str:
        return roll_copy(lake.engine(), bank.target("deposits"), copied, None).kind

    transfer(bank, 5)
    bank.refresh("deposits")
    assert copy() == "copied"
    transfer(bank, 6)
    bank.refresh("deposits")
    assert copy() == "rolled"
    bank.apply("deposits")
    assert prune(bank.tables(), resolve(bank.tables(), bank.target("deposits"))).rows > 0
    lake.run("restore table daily__state to version as of 0")
    transfer(bank, 7)
    newest = transfer(bank, 8)
    bank.refresh("deposits")
    assert copy() == "copied"
    assert Copied(bank, "daily", "deposits").differences_at("daily", {"accounts": newest}) == []


class Copied(Deferred):
    """A copy, compared with the query of its view."""

    def __init__(self, world: Deferred, copied: str, name: str) -> None:
        super().__init__(world.lake, {copied: world.views[name]})


def exported(lake: Lake, name: str) -> list:
    """What an exported change table adds up to."""
    columns = ", ".join(row[0] for row in lake.run(f"describe {name}"))
    return lake.run(f"""
        select {columns} from (
            select {columns}, sum(if(lv_change_type in ('insert', 'update_postimage'), 1, -1)) as w
            from {name}_changes group by {columns}
        ) lateral view explode(sequence(1, cast(w as int))) c as copy where w > 0 order by all
    """)


@pytest.mark.long
def test_dependents_and_changes_of_mind(bank):
    """A lazy view over one with a view delta reads what it shows; and a model may want no view delta any more."""
    lake = bank.lake
    child = "select count(*) as accounts, sum(total) as total from deposits"
    assert lake.refresh("richest", child).kind == "build"
    for amount in (5, 6):
        transfer(bank, amount)
        bank.refresh("deposits")
        outcome = lake.refresh("richest", child)
        assert outcome.kind == "incremental"
        assert lake.differences("richest", child) == []
        assert lake.differences("richest", child.replace("from deposits", f"from ({VIEWS['deposits']})")) == []
    transfer(bank, 7)
    bank.refresh("deposits")
    lake.refresh("deposits", VIEWS["deposits"])  # apply: now
    assert lake.differences("deposits", VIEWS["deposits"]) == []
    transfer(bank, 8)
    assert lake.refresh("deposits", VIEWS["deposits"]).strategy == "overwrite"
    assert lake.differences("deposits", VIEWS["deposits"]) == []
    transfer(bank, 9)
    assert bank.refresh("deposits").strategy == "append"
    assert lake.differences("deposits", VIEWS["deposits"]) == []
    changed = VIEWS["deposits"].replace("count(*) as n", "max(amount) as most")
    transfer(bank, 10)
    assert lake.refresh("deposits", changed, apply="later").reason == "definition_changed"
    transfer(bank, 11)
    assert lake.refresh("deposits", changed, apply="later").strategy == "append"
    assert lake.differences("deposits", changed) == []
