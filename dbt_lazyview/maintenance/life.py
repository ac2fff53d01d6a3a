"""What happened to a view in the time its history tells of."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.maintenance.advise import Life, Refreshed
from dbt_lazyview.maintenance.history import Commit, effect_of, rows_written
from dbt_lazyview.maintenance.record import Record, UnreadableRecord, from_json
from dbt_lazyview.maintenance.state import load_state
from dbt_lazyview.maintenance.tables import Tables, name_of
from dbt_lazyview.maintenance.tree import state_name

COMMITS = 500  # how far back


@dataclass(frozen=True)
class Histories:
    """The newest commits of tables; those of sources, which many views share, are read once."""

    tables: Tables
    sources: dict[Name, tuple[Commit, ...]] = field(default_factory=dict)

    def of_source(self, name: Name) -> tuple[Commit, ...]:
        if name not in self.sources:
            self.sources[name] = self.tables.newest(name, COMMITS)
        return self.sources[name]


def life_of(histories: Histories, view: Name, deferred_parents: Sequence[str]) -> Life | None:
    """What a view's state and its sources tell; None if it is not built."""
    tables = histories.tables
    state = load_state(tables, state_name(view))
    if state.detail is None or state.definition is None or state.record is None:
        return None
    recorded = _recorded(tables.newest(state.name, COMMITS))
    since = min(commit.timestamp for commit, _ in recorded)
    writes = [
        commit
        for table in state.record.cut
        for commit in histories.of_source(name_of(table))
        if commit.timestamp > since and effect_of([commit]).changed
    ]
    return Life(
        ".".join(view[-2:]), state.definition.policy, state.definition.refresh_mode,
        _refreshes(histories, recorded), len(writes),
        state.detail.files, state.detail.size, deferred_parents, state.definition.goal,
    )  # fmt: skip


def _refreshes(histories: Histories, recorded: Sequence[tuple[Commit, Record]]) -> list[Refreshed]:
    """All refreshes, newest first; each but the oldest with the age of what it folded in."""
    earlier = [*(record for _, record in recorded[1:]), None]
    pairs = zip(recorded, earlier, strict=True)
    return [_refreshed(*each, staleness_of(histories, each, before)) for each, before in pairs]


def staleness_of(histories: Histories, refreshed: tuple[Commit, Record], before: Record | None) -> float | None:
    """How old the oldest change had become that a refresh folded in, in seconds; None where histories do not tell."""
    commit, record = refreshed
    folded_in = [
        each.timestamp
        for table, at in record.cut.items()
        if before and table in before.cut
        for each in histories.of_source(name_of(table))
        if before.cut[table].version < each.version <= at.version and effect_of([each]).changed
    ]
    return max(commit.timestamp - min(folded_in), 0) / 1000 if folded_in else None


def _recorded(commits: Sequence[Commit]) -> list[tuple[Commit, Record]]:
    return [(commit, record) for commit in commits if (record := _record(commit))]


def _record(commit: Commit) -> Record | None:
    try:
        return from_json(commit.metadata)
    except UnreadableRecord:
        return None


def _refreshed(commit: Commit, record: Record, staleness: float | None) -> Refreshed:
    seconds = max(commit.timestamp - record.started, 0) / 1000 if record.started else 0.0
    told = record.changes, rows_written(commit), record.strategy
    return Refreshed(record.kind, record.reason, record.trigger, seconds, commit.timestamp, *told, staleness)
