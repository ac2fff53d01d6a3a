"""From a dbt model to the definition of a lazy view: its configs checked, its docs looked up."""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

from dbt_lazyview.compiler.reasons import ModelError, Problem, Reason
from dbt_lazyview.maintenance.definition import (
    APPLIES,
    APPLY_SHARE,
    AUTO,
    CAPTURES,
    COMPACT_EVERY,
    LATER,
    LIVE,
    MATERIALIZED,
    NOW,
    READS,
    VACUUM_EVERY,
    Definition,
)
from dbt_lazyview.maintenance.durations import seconds_of
from dbt_lazyview.maintenance.limits import limit_of
from dbt_lazyview.maintenance.policies import DEFERRED, POLICIES, SNAPSHOT
from dbt_lazyview.names import quoted

Number = TypeVar("Number", int, float)
DEFAULT_MODE = "auto"
REGISTER = "register"
# Values of each config that this release accepts; the first is the default.
ALLOWED: dict[str, tuple[Any, ...]] = {
    "refresh_mode": (DEFAULT_MODE, "incremental", "full"),
    "policy": POLICIES,
    "read": READS,
    "on_run": ("refresh", REGISTER),
    "exact": (False, True),
    "capture": CAPTURES,
    "file_format": ("delta",),
    "buckets": (None,),  # Delta has none; clustered_by alone clusters by files
    "apply": APPLIES,
}

NUMBERS = {
    "max_changes": (1, "changes", "It says how many changed rows one refresh may fold in at once."),
    "compact_every": (0, "commits", "It says after how many commits a state is compacted; 0: never."),
    "vacuum_every": (0, "commits", "It says after how many commits old files of a state are deleted; 0: never."),
}
# All that a lazy view looks at; those of the last line say how its state is stored.
CONFIGS = (
    *ALLOWED, *NUMBERS, "view_group", "unique_key", "full_refresh_limit", "max_staleness", "apply_share",
    "partition_by", "clustered_by", "tblproperties", "location_root", "on_configuration_change",
)  # fmt: skip
ALIKE = 0.85  # what is that near to one of these, and none of them, is a slip


def check_model(model: Mapping[str, Any]) -> None:
    """Refuse what no lazy view can be made of: all problems at once."""
    problems = [_bad_value(key, model["config"].get(key), allowed) for key, allowed in ALLOWED.items()]
    language = [_python(model["name"])] if model["language"] != "sql" else []
    config = model["config"]
    numbers = [_bad_number(key, config.get(key), *told) for key, told in NUMBERS.items()]
    limit = _bad_limit("full_refresh_limit", config.get("full_refresh_limit"))
    name = _bad_name("view_group", model["config"].get("view_group"))
    live, goal, later = _live_and_still(config), _bad_goal(config), _later_and_full(config)
    share, slips = _bad_share("apply_share", config.get("apply_share")), map(_slip, config)
    if found := (*language, *filter(None, [*problems, *numbers, limit, name, live, goal, later, share, *slips])):
        raise ModelError(tuple(found))


def definition_of(model: Mapping[str, Any], sql: str, is_parent: bool, view_group: str | None = None) -> Definition:
    """What the state of a model shall remember."""
    docs = model["config"].get("persist_docs") or {}
    columns = model["columns"] if docs.get("columns") else {}
    comments = {name.lower(): column["description"] for name, column in columns.items() if column.get("description")}
    return Definition(
        sql,
        model["config"].get("refresh_mode") or DEFAULT_MODE,
        is_parent,
        model.get("description", "") if docs.get("relation") else "",
        comments,
        model["config"].get("policy") or DEFERRED,
        model["config"].get("max_changes"),
        bool(model["config"].get("exact")),
        view_group,
        model["config"].get("read") or MATERIALIZED,
        names_of(model["config"].get("unique_key")),
        model["config"].get("capture") or AUTO,
        _or(model["config"].get("compact_every"), COMPACT_EVERY),
        _or(model["config"].get("vacuum_every"), VACUUM_EVERY),
        model["config"].get("full_refresh_limit"),
        model["unique_id"],
        names_of(model["config"].get("partition_by")),
        names_of(model["config"].get("clustered_by")),
        {str(key): str(value) for key, value in (model["config"].get("tblproperties") or {}).items()},
        model["config"].get("location_root"),
        constraints_of(model),
        model["config"].get("max_staleness"),
        apply=model["config"].get("apply") or NOW,
        apply_share=_or(model["config"].get("apply_share"), APPLY_SHARE),
    )


def _or(value: Number | None, default: Number) -> Number:
    return default if value is None else value


def names_of(value: Any) -> tuple[str, ...]:
    """
    The columns that a config names; one may stand alone.

    Example:
        >>> names_of("id"), names_of(["region", "day"]), names_of(None)
        (('id',), ('region', 'day'), ())
    """
    return (value,) if isinstance(value, str) else tuple(str(column) for column in value or ())


def constraints_of(model: Mapping[str, Any]) -> dict[str, str]:
    """
    The conditions that a contract demands of all rows, by name: what `check` and `not_null` say.

    Example:
        >>> id_ = {"name": "id", "constraints": [{"type": "not_null"}, {"type": "check", "expression": "id > 0"}]}
        >>> constraints_of({"config": {"contract": {"enforced": True}}, "columns": {"id": id_}, "constraints": []})
        {'id_not_null': '`id` IS NOT NULL', 'id_check_2': 'id > 0'}
    """
    if not (model["config"].get("contract") or {}).get("enforced"):
        return {}
    own = _conditions("", model.get("constraints") or (), "")
    columns = [
        _conditions(f"{name}_", each.get("constraints") or (), quoted(name)) for name, each in model["columns"].items()
    ]
    return {name: condition for found in (own, *columns) for name, condition in found}


def _conditions(prefix: str, constraints: Iterable[Mapping[str, Any]], column: str) -> Iterator[tuple[str, str]]:
    for number, each in enumerate(constraints, 1):
        if each["type"] == "check" and each.get("expression"):
            yield each.get("name") or f"{prefix}check_{number}", each["expression"]
        for name in [column] if column else map(quoted, each.get("columns") or ()):
            if each["type"] == "not_null":
                yield each.get("name") or f"{name.strip('`')}_not_null", f"{name} IS NOT NULL"


def _bad_value(key: str, value: Any, allowed: tuple[Any, ...]) -> Problem | None:
    if value is None or value in allowed:
        return None
    choice = " or ".join("nothing" if each is None else str(each) for each in allowed)
    return Problem(
        Reason.INVALID_CONFIG, f"{key}: {value} is not a value of a lazy view.",
        f"This release knows for {key}: {choice}.", f"Set {key} to {choice}, or leave it out.",
    )  # fmt: skip


def _slip(key: str) -> Problem | None:
    """A config that dbt would hand over without a word, and nobody would look at."""
    meant = get_close_matches(key, CONFIGS, n=1, cutoff=ALIKE)
    if key in CONFIGS or not meant:
        return None
    return Problem(
        Reason.INVALID_CONFIG, f"{key} is not a config of a lazy view.",
        f"It would be ignored; {meant[0]} is one.", f"Write {meant[0]}; a config of your own belongs under meta.",
    )  # fmt: skip


def _bad_number(key: str, value: Any, least: int, what: str, why: str) -> Problem | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= least):
        return None
    return Problem(
        Reason.INVALID_CONFIG, f"{key}: {value} is not a number of {what}.",
        why, f"Set {key} to {least} or more, or leave it out.",
    )  # fmt: skip


def _bad_limit(key: str, value: Any) -> Problem | None:
    try:
        _ = None if value is None else limit_of(value)
    except ValueError as problem:
        return Problem(
            Reason.INVALID_CONFIG, f"{key}: {problem}",
            "A full refresh that nobody asked for fails if the sources are larger than that.",
            f"Set {key} to a number of rows or bytes, or leave it out.",
        )  # fmt: skip
    return None


def _bad_name(key: str, value: Any) -> Problem | None:
    if value is None or (isinstance(value, str) and value.strip()):
        return None
    return Problem(
        Reason.INVALID_CONFIG, f"{key}: {value!r} is not a name.",
        "Views with the same name in it show one cut together.", f"Set {key} to a name, or leave it out.",
    )  # fmt: skip


def _live_and_still(config: Mapping[str, Any]) -> Problem | None:
    """A snapshot stands for a moment, a group for a cut; what is live is always somewhere else."""
    group = config.get("view_group")
    still = f"policy: {SNAPSHOT}" if config.get("policy") == SNAPSHOT else f"view_group: {group}" if group else ""
    if config.get("read") != LIVE or not still:
        return None
    return Problem(
        Reason.INVALID_CONFIG, f"read: {LIVE} does not go with {still}.",
        "A live view shows its sources as they are now, the other one asks for a moment that stays.",
        f"Leave out read: {LIVE}, or the other one.",
    )  # fmt: skip


def _bad_goal(config: Mapping[str, Any]) -> Problem | None:
    """A goal is a length of time, and nothing for a view that stays where it is until it is asked for."""
    goal, why = config.get("max_staleness"), "It says how old a change may get before the view shows it."
    if goal is None:
        return None
    try:
        is_positive = seconds_of(goal) > 0
    except ValueError:
        is_positive = False
    if not is_positive:
        return Problem(
            Reason.INVALID_CONFIG, f"max_staleness: {goal} is not a length of time.",
            why, "Set max_staleness to a time such as 90 s, 15 minutes or 1 day, or leave it out.",
        )  # fmt: skip
    if config.get("policy") != SNAPSHOT:
        return None
    return Problem(
        Reason.INVALID_CONFIG, f"max_staleness does not go with policy: {SNAPSHOT}.",
        f"{why} A snapshot shows the moment of its last refresh until it is asked for another.",
        "Leave out max_staleness, or choose another policy.",
    )  # fmt: skip


def _later_and_full(config: Mapping[str, Any]) -> Problem | None:
    """A view delta is what changes do to a view: there is none of a view that is not kept by changes."""
    if config.get("apply") != LATER or config.get("refresh_mode") != "full":
        return None
    return Problem(
        Reason.INVALID_CONFIG, f"apply: {LATER} does not go with refresh_mode: full.",
        "With it, a refresh keeps what changes did to the view, and its readers fold that in.",
        f"Leave out apply: {LATER}, or the other one.",
    )  # fmt: skip


def _bad_share(key: str, value: Any) -> Problem | None:
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool) and value >= 0):
        return None
    return Problem(
        Reason.INVALID_CONFIG, f"{key}: {value} is not a share.",
        "It says how many rows may wait in the view delta before they are applied, as a share of the stored rows.",
        f"Set {key} to 0 or more, such as 0.1, or leave it out.",
    )  # fmt: skip


def _python(name: str) -> Problem:
    return Problem(
        Reason.PYTHON_MODEL, f"Model {name} is written in Python.",
        "A lazy view is maintained by reasoning about its SQL.", "Write it in SQL, or use materialized: table.",
    )  # fmt: skip
