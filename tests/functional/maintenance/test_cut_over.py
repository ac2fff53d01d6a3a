"""Very many changes: everything anew where that is expected to be quicker, unless the view says otherwise."""

from dbt_lazyview.maintenance import cut_over

INSERTS = "insert into sales select id, 'west', id from range(100, 130)"


def test_everything_anew(lake, sales, monkeypatch):
    monkeypatch.setattr(cut_over, "MANY_CHANGES", 20)
    monkeypatch.setattr(cut_over, "CLEARLY", ((1.2, 0),))
    lake.refresh("v", sales)
    lake.refresh("always", sales, refresh_mode="incremental")

    lake.run("insert into sales values (4, 'north', 1)")
    assert lake.refresh("v", sales).kind == "incremental"
    lake.run(INSERTS)
    outcome = lake.refresh("v", sales)
    assert (outcome.kind, outcome.reason) == ("full", "delta_too_large")
    assert lake.refresh("always", sales, refresh_mode="incremental").kind == "incremental"
    assert lake.differences("v", sales) == lake.differences("always", sales) == []

    newest, followed, built = (record for _, record in lake.records("v"))
    assert newest.estimate is not None
    assert newest.estimate.incremental > newest.estimate.full > 0
    assert followed.estimate is built.estimate is None
    assert newest.experience.full == followed.experience.full > 0
