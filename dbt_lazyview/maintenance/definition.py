"""What a state remembers of its model, as table properties: enough to refresh it without dbt's project."""

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from dbt_lazyview.compiler.catalog import Catalog, Name
from dbt_lazyview.compiler.compile import compile_view
from dbt_lazyview.compiler.view import View
from dbt_lazyview.maintenance.durations import seconds_of
from dbt_lazyview.maintenance.history import CHANGE_FEED
from dbt_lazyview.maintenance.logs import Log
from dbt_lazyview.maintenance.logs import from_json as log_from_json
from dbt_lazyview.maintenance.policies import DEFERRED
from dbt_lazyview.names import PROPERTY_DEFINITION, PROPERTY_FINGERPRINT, PROPERTY_FORMAT, RECORD_FORMAT

MATERIALIZED, LIVE = "materialized", "live"
READS = (MATERIALIZED, LIVE)
NOW, LATER = "now", "later"
APPLIES = (NOW, LATER)
APPLY_SHARE = 0.1
AUTO, DIFF, FULL = "auto", "diff", "full"
CAPTURES = (AUTO, DIFF, FULL)
COMPACT_EVERY, VACUUM_EVERY = 20, 100
CHUNK = 3500  # the metastore keeps about 4000 characters of a property


@dataclass(frozen=True)
class Definition:
    """A model's SQL and the configs a refresh depends on."""

    sql: str
    refresh_mode: str = "auto"
    is_parent: bool = False  # other lazy views read its change feed
    comment: str = ""
    column_comments: Mapping[str, str] = field(default_factory=dict)
    policy: str = DEFERRED
    max_changes: int | None = None  # folded in at once; None: what fits into memory
    exact: bool = False  # sums of floating-point numbers are never added to
    view_group: str | None = None  # shows one cut together with the other views of that name
    read: str = MATERIALIZED  # or live: what is pending is merged in when it is read
    unique_key: tuple[str, ...] = ()  # no two rows of the view have the same values in these columns
    capture: str = AUTO  # what to do about sources without a change feed: nothing, compare their rows, recompute
    compact_every: int = COMPACT_EVERY  # commits of the state; 0: never
    vacuum_every: int = VACUUM_EVERY
    full_refresh_limit: str | None = None  # of the sources; beyond it, a full refresh has to be asked for
    model: str = ""  # the id of its dbt node
    partition_by: tuple[str, ...] = ()  # columns of the view; of the state, as the following
    clustered_by: tuple[str, ...] = ()
    tblproperties: Mapping[str, str] = field(default_factory=dict)
    location_root: str | None = None
    constraints: Mapping[str, str] = field(default_factory=dict)  # name -> condition that all rows of the view keep
    max_staleness: str | float | None = None  # how old a change may get before the view shows it: a goal
    logs: Mapping[str, Log] = field(default_factory=dict)  # of sources that tell their own changes, by quoted name
    apply: str = NOW  # or later: a refresh appends the view's own change to a table beside the state
    apply_share: float = APPLY_SHARE  # of the state's rows; what waits beside it is applied once it is more

    @property
    def goal(self) -> float | None:
        """The same in seconds."""
        return None if self.max_staleness is None else seconds_of(self.max_staleness)


def compiled(definition: Definition, name: Name, catalog: Catalog) -> View:
    """The view of a definition; with auxiliary states where refreshes, and not only readers, follow its sources."""
    is_followed = definition.refresh_mode != "full" and definition.read != LIVE
    return compile_view(definition.sql, catalog, definition.exact, owner=name if is_followed else None)


def to_properties(definition: Definition, fingerprint: str) -> dict[str, str]:
    """The properties of a state, in chunks the metastore can hold."""
    packed = b64encode(zlib.compress(json.dumps(asdict(definition)).encode(), 9)).decode()
    chunks = [packed[start : start + CHUNK] for start in range(0, len(packed), CHUNK)]
    return {
        **definition.tblproperties,
        CHANGE_FEED: "true",
        PROPERTY_FORMAT: str(RECORD_FORMAT),
        PROPERTY_FINGERPRINT: fingerprint,
        PROPERTY_DEFINITION: str(len(chunks)),
        **{f"{PROPERTY_DEFINITION}.{number}": chunk for number, chunk in enumerate(chunks)},
    }


def from_properties(properties: Mapping[str, str]) -> Definition:
    """
    The definition a state remembers.

    Example:
        >>> from_properties(to_properties(Definition("select 1"), "f")).sql
        'select 1'
    """
    count = int(properties[PROPERTY_DEFINITION])
    packed = "".join(properties[f"{PROPERTY_DEFINITION}.{number}"] for number in range(count))
    content = json.loads(zlib.decompress(b64decode(packed)))
    known = {name: content[name] for name in Definition.__dataclass_fields__ if name in content}
    lists = {name: tuple(value) for name, value in known.items() if isinstance(value, list)}
    logs = {name: log_from_json(log) for name, log in known.get("logs", {}).items()}
    return Definition(**{**known, **lists, "logs": logs})


def read_definition(properties: Mapping[str, str]) -> Definition | None:
    """The definition a state remembers, None if it cannot be read: a newer release or somebody else wrote it."""
    if int(properties[PROPERTY_FORMAT]) > RECORD_FORMAT:
        return None
    try:
        return from_properties(properties)
    except (KeyError, ValueError, zlib.error):
        return None


def is_state(properties: Mapping[str, str]) -> bool:
    """Whether a table is the state of a lazy view."""
    return PROPERTY_FORMAT in properties
