"""
The history of a state, by need: what a public view, a lazy view over it, an export or a clone still reads stays
readable, longer than Delta would keep it if need be; the rest goes when files are deleted.
"""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.maintenance.definition import Definition
from dbt_lazyview.maintenance.durations import SECONDS, seconds_of
from dbt_lazyview.maintenance.engine import during
from dbt_lazyview.maintenance.history import Commit
from dbt_lazyview.maintenance.public import published
from dbt_lazyview.maintenance.registered import followers_of
from dbt_lazyview.maintenance.retention import KEPT
from dbt_lazyview.maintenance.state import State, load_state
from dbt_lazyview.maintenance.tables import Tables, sql_name
from dbt_lazyview.maintenance.tree import Target, public_name
from dbt_lazyview.maintenance.view_delta.changes import state_at
from dbt_lazyview.maintenance.view_delta.followers import load_follower
from dbt_lazyview.names import PROPERTY_EXPORT

DAY = SECONDS["day"]


@dataclass(frozen=True)
class Reader:
    """Whoever reads an older version of a state."""

    who: str
    version: int


def readers_of(tables: Tables, state: State) -> list[Reader]:
    """All that read a version that has a successor."""
    found = [*_shown(tables, state), *_followers(tables, state), *_exports(tables, state)]
    return [each for each in found if each.version < state.version]


def _shown(tables: Tables, state: State) -> Iterator[Reader]:
    shown = published(tables.engine, public_name(state.name)).shown_version
    if shown is not None:
        yield Reader(sql_name(public_name(state.name)), shown)


def _followers(tables: Tables, state: State) -> Iterator[Reader]:
    """Lazy views over the state, which go on from the version in their record, and clones, which share its files."""
    for name in followers_of(state.detail.properties.items() if state.detail else ()):
        follower = load_follower(tables, name)
        position = follower.record.reads.get(sql_name(state.name)) if follower.record else None
        cloned = _cloned_version(tables, name) if follower.detail and position is None else None
        version = position.version if position else cloned
        if version is not None:
            yield Reader(sql_name(name), version)


def _cloned_version(tables: Tables, name: Name) -> int | None:
    """The version that a table was cloned from, unless all of its rows were written anew since."""
    commits = tables.commits(name, down_to=0)
    is_own = any(_writes_all(each) for each in commits)
    told = commits[-1].parameters.get("sourceVersion") if commits and commits[-1].operation == "CLONE" else None
    return None if is_own or told is None else int(told)


def _writes_all(commit: Commit) -> bool:
    return commit.parameters.get("mode") == "Overwrite" or "REPLACE TABLE" in commit.operation


def _exports(tables: Tables, state: State) -> Iterator[Reader]:
    """Changes that are not exported yet begin with the rows of a version that does not hold them."""
    for name in followers_of(state.delta.detail.properties.items() if state.delta and state.delta.detail else ()):
        follower = load_follower(tables, name)
        is_export = follower.detail is not None and PROPERTY_EXPORT in follower.detail.properties
        if is_export and follower.record and follower.record.epoch == state.epoch:
            before = state_at(tables, state, follower.record.window)
            if before is not None:
                yield Reader(sql_name(name), before.version)


def hold_history(tables: Tables, name: Name, definition: Definition) -> Sequence[Reader]:
    """Let a state keep as much of its history as is read, and no more than its model asks for otherwise."""
    state = load_state(tables, name)
    if state.detail is None or state.newest is None:
        return ()
    readers = readers_of(tables, state)
    oldest = min((each.version for each in readers), default=state.version)
    wanted = kept(definition.tblproperties, _age(tables, state, oldest))
    relation, present = sql_name(name), state.detail.properties
    if gone := [key for key in KEPT if key in present and key not in wanted]:
        tables.engine.execute(tables.engine.render("unset_properties", relation=relation, keys=gone))
    if set_anew := {key: value for key, value in wanted.items() if present.get(key) != value}:
        tables.engine.execute(tables.engine.render("set_properties", relation=relation, properties=set_anew))
    return readers


def prune_history(tables: Tables, target: Target) -> str:
    """Delete files that no version needs which somebody reads, and that are old enough; in words."""
    readers = hold_history(tables, target.state, target.definition)
    with during("delete files of older versions"):
        tables.engine.execute(tables.engine.render("vacuum_table", relation=sql_name(target.state)))
    who = ", ".join(f"version {each.version} by {each.who}" for each in readers)
    return f"history vacuumed; still read: {who}" if who else "history vacuumed"


def _age(tables: Tables, state: State, version: int) -> float:
    """For how many seconds a version has had a successor."""
    if version >= state.version:
        return 0.0
    later = [each for each in tables.commits_between(state.name, version, state.version) if each.version > version]
    return max(time.time() - min(each.timestamp for each in later) / 1000, 0.0) if later else 0.0


def kept(asked: Mapping[str, str], age: float) -> dict[str, str]:
    """
    The properties that keep what is so many seconds old for as long again; what the model asks for, where that does.

    Example:
        >>> kept({}, 2 * 86400), kept({}, 5 * 86400)
        ({}, {'delta.deletedFileRetentionDuration': 'interval 10 days'})
        >>> kept({"delta.deletedFileRetentionDuration": "interval 90 days"}, 20 * 86400)
        {'delta.deletedFileRetentionDuration': 'interval 90 days', 'delta.logRetentionDuration': 'interval 40 days'}
    """
    days = math.ceil(2 * age / DAY)
    own = {key: asked[key] for key in KEPT if key in asked}
    longer = {
        key: f"interval {days} days"
        for key, default in KEPT.items()
        if seconds_of(asked.get(key, default)) < days * DAY
    }
    return {**own, **longer}
