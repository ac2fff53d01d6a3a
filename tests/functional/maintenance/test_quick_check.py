"""The quick check: refreshes that share their probes look at each source once, however many views read it."""

from dbt_lazyview.maintenance.plan import Request
from dbt_lazyview.maintenance.probes import Probes
from dbt_lazyview.maintenance.refresh import refresh
from tests.functional.maintenance.lake import Lake

VIEWS = {
    "a": "select s.id, r.country from sales s join regions r on s.region = r.name",
    "b": "select r.country, count(*) as n from sales s join regions r on s.region = r.name group by r.country",
    "c": "select max(id) as newest from sales",
}


def looks(lake: Lake, probes: Probes) -> dict[str, tuple[str, int, int]]:
    """Refresh all views: kind, how often sources were looked at, how often their histories were."""
    found = {}
    for name, sql in VIEWS.items():
        engine = lake.engine(is_embedded=False)
        kind = refresh(engine, lake.target(name, sql), Request(), probes).kind
        about_sources = [sql for sql in engine.ran if sql.startswith("describe ") and "__state" not in sql]
        details = [sql for sql in about_sources if sql.startswith("describe detail")]
        found[name] = (kind, len(details), len([sql for sql in about_sources if sql.startswith("describe history")]))
    return found


def test_each_source_is_looked_at_once(lake, sales):
    lake.run(
        "create table regions (name string, country string) using delta",
        "insert into regions values ('north', 'N'), ('south', 'S')",
    )
    probes = Probes()
    assert looks(lake, probes) == {"a": ("build", 4, 2), "b": ("build", 0, 0), "c": ("build", 0, 0)}
    lake.run("insert into sales values (4, 'north', 1)")
    assert {name: kind for name, (kind, *_) in looks(lake, probes).items()} == dict.fromkeys(VIEWS, "noop")
    probes.forget()  # as after a node that may have written
    assert looks(lake, probes) == {"a": ("incremental", 4, 1), "b": ("incremental", 0, 0), "c": ("incremental", 0, 0)}
    assert looks(lake, probes) == {"a": ("noop", 0, 0), "b": ("noop", 0, 0), "c": ("noop", 0, 0)}
    assert [name for name, sql in VIEWS.items() if lake.differences(name, sql)] == []
