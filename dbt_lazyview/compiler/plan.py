"""What crosses from the compiler to the macros: frozen steps, each rendered by the macro it names."""

from dataclasses import dataclass
from typing import ClassVar

from dbt_lazyview.compiler.catalog import Column, Name
from dbt_lazyview.names import AUXILIARY_ALIAS, quoted


@dataclass(frozen=True)
class Source:
    """A Delta table the view reads, once however many places read it."""

    name: Name
    alias: str  # short name its relations carry in maintenance SQL
    columns: tuple[str, ...]  # the columns the view uses, in table order
    at: str = ""  # where the query itself names a moment: it never changes
    is_versioned: bool = True  # otherwise it can only be read as it is

    @property
    def sql(self) -> str:
        return ".".join(quoted(part) for part in self.name)

    @property
    def is_auxiliary(self) -> bool:
        """Whether it is a state that only this view reads."""
        return self.alias.startswith(AUXILIARY_ALIAS)

    @property
    def quoted_columns(self) -> tuple[str, ...]:
        return tuple(quoted(column) for column in self.columns)


@dataclass(frozen=True)
class Span:
    """Versions of a source whose change feed is read in one go, both ends included."""

    first: int
    last: int | None  # None: whatever is there when it is read


@dataclass(frozen=True)
class Extent:
    """The least and the greatest value of a column, or numbers beyond them; whole numbers, or dates as text."""

    column: str
    low: int | str
    high: int | str

    def is_apart_from(self, other: "Extent") -> bool:
        """
        Whether no value can be in both.

        Example:
            >>> old, new = Extent("k", 1, 9), Extent("k", 10, 12)
            >>> new.is_apart_from(old), old.is_apart_from(new), old.is_apart_from(Extent("j", 9, 11))
            (True, True, False)
        """
        if isinstance(self.low, int) != isinstance(other.low, int):
            return False
        return _is_less(self.high, other.low) or _is_less(other.high, self.low)


def _is_less(one: int | str, other: int | str) -> bool:
    return one < other if isinstance(one, int) and isinstance(other, int) else str(one) < str(other)


@dataclass(frozen=True)
class Window:
    """What happened to one source between the old cut and the new one: versions (after, upto]."""

    after: int
    upto: int
    changed: bool  # some commit in the window may have changed rows
    insert_only: bool = False  # every commit in the window only added rows
    rows: int | None = None  # changed rows by the commits' own metrics, where all of them tell
    feed_rows: int | None = None  # rows of its feed, about: more than changed, where the table was rewritten
    location: str = ""  # path of the table: deltas are read by path
    is_open: bool = False  # up to whatever is there when it is read
    spans: tuple[Span, ...] = ()  # where the feed cannot be read in one go
    by_diff: bool = False  # from the rows at both ends, for want of a feed
    bytes: int = 0  # of the source; 0: not known
    before: tuple[Extent, ...] = ()  # of rows before the window, of columns for which that is known
    came: tuple[Extent, ...] = ()  # the same, of rows that came in it; only where it only added rows

    @property
    def feeds(self) -> tuple[Span, ...]:
        """What of the feed is read. An open window begins with the last version seen: there may be no later one."""
        whole = Span(self.after, None) if self.is_open else Span(self.after + 1, self.upto)
        return self.spans or (whole,)


@dataclass(frozen=True)
class Bound:
    """Literals between which the values of a column lie, those that are not NULL."""

    column: str
    low: str
    high: str

    @property
    def quoted(self) -> str:
        return quoted(self.column)


@dataclass(frozen=True)
class Among:
    """Whole numbers among which the values of a column are, those that are not NULL."""

    column: str
    values: tuple[int, ...]

    @property
    def quoted(self) -> str:
        return quoted(self.column)


@dataclass(frozen=True)
class ReadSource:
    """A source as of one version; where only rows within bounds matter, others may be left out."""

    macro: ClassVar[str] = "source_at_version"
    name: str
    source: Source
    version: int | None  # None: as it is when it is read
    bounds: tuple[Bound, ...] = ()

    @property
    def at(self) -> str:
        has_version = self.version is not None and self.source.is_versioned
        return self.source.at or (f"version as of {self.version}" if has_version else "")


@dataclass(frozen=True)
class CaptureDelta:
    """The signed changes of a source in a window, condensed unless the window only added rows."""

    macro: ClassVar[str] = "source_delta"
    name: str
    source: Source
    window: Window
    condense: bool


@dataclass(frozen=True)
class DeltaColumn:
    """A column of a delta."""

    delta: CaptureDelta
    column: str

    @property
    def quoted(self) -> str:
        return quoted(self.column)


@dataclass(frozen=True)
class Range:
    """
    Only those values of a column matter to a refresh that are among the values of these columns of deltas. The column
    is one that a step reads of a source, or a key of the state where there is no step.
    """

    step: str
    source: Source | None
    column: str
    deltas: tuple[DeltaColumn, ...]
    type: str = ""


@dataclass(frozen=True)
class RelevantDelta:
    """The changes of a source that may touch a view: condensed on the columns it uses, by the filters above it."""

    delta: CaptureDelta
    predicate: str  # empty: every change


@dataclass(frozen=True)
class RestoreSource:
    """A source before the window: its new rows plus its negated delta (V, expression 12)."""

    macro: ClassVar[str] = "source_before"
    name: str
    source: Source
    new: str
    delta: str


@dataclass(frozen=True)
class StateColumn:
    """A stored column; how a change `d` is folded into a row `t`, and how rows of equal key combine."""

    name: str
    is_key: bool
    merged: str = ""  # expression over t.<name> and d.<name>: the new value of a matched row
    combined: str = ""  # aggregate over rows of state and change with equal key

    @property
    def quoted(self) -> str:
        return quoted(self.name)


@dataclass(frozen=True)
class Unapplied:
    """Windows of a view delta, a table beside the state: those of one epoch numbered in (after, upto], or one alone."""

    relation: str
    version: int | None  # None: as it is when it is read
    epoch: str
    after: int
    upto: int
    point: str = ""  # the epoch of one more window, which leads to a moment between two others


@dataclass(frozen=True)
class StateRead:
    """Where the state stands while a refresh is planned: its quoted relation and the version that was loaded."""

    relation: str
    version: int | None  # None: as it is when it is read
    unapplied: Unapplied | None = None  # what is to be folded in, so that these are the rows of the view


@dataclass(frozen=True)
class ReadState:
    """The view's own stored rows before the refresh."""

    macro: ClassVar[str] = "state_at_version"
    name: str
    state: StateRead
    columns: tuple[StateColumn, ...]


@dataclass(frozen=True)
class Derive:
    """A relation computed from earlier ones."""

    macro: ClassVar[str] = "derived_relation"
    name: str
    query: str


@dataclass(frozen=True)
class Sum:
    """A relation that is a sum of terms: each is one addend of a maintenance expression, tagged with its SSN."""

    macro: ClassVar[str] = "maintenance_terms"
    name: str
    terms: tuple["Term", ...]


@dataclass(frozen=True)
class Term:
    """One addend: a query that gives the columns of its sum and `lv_weight`."""

    ssn: int
    changed: str  # the occurrence read as delta, for explain
    query: str


@dataclass(frozen=True)
class ReadStaged:
    """A relation that was computed once, before the statement."""

    macro: ClassVar[str] = "staged_relation"
    name: str
    relation: str


Step = ReadSource | CaptureDelta | RestoreSource | ReadState | ReadStaged | Derive | Sum


@dataclass(frozen=True)
class Stage:
    """A relation computed once, under the name of a temporary view, because several places read it: the last step."""

    relation: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class StateLayout:
    """The columns of `<model>__state`; `keys` identify a row, `lv_count` says how many input rows stand behind it."""

    columns: tuple[StateColumn, ...]
    is_global: bool = False  # one row always, over empty input too

    @property
    def keys(self) -> tuple[StateColumn, ...]:
        return tuple(column for column in self.columns if column.is_key)

    @property
    def values(self) -> tuple[StateColumn, ...]:
        return tuple(column for column in self.columns if not column.is_key)


@dataclass(frozen=True)
class BuildPlan:
    """Everything computed from the sources at one cut: `query` over `steps` gives the rows of the state."""

    steps: tuple[Step, ...]
    query: str
    layout: StateLayout


@dataclass(frozen=True)
class RefreshPlan:
    """
    One refresh from changes. `change` names the relation to fold in:
    in mode `add` its rows hold differences per key; in mode `replace` they hold the new row of every affected key,
    with `lv_count` 0 (or NULL) where the key is gone. `stages` come first, in order.
    """

    stages: tuple[Stage, ...]
    steps: tuple[Step, ...]
    change: str
    mode: str  # "add" | "replace"
    layout: StateLayout
    ranges: tuple[Range, ...] = ()  # what may be bounded
    bounds: tuple[Bound, ...] = ()  # of keys of the state
    among: Among | None = None  # a key of the state, where the change has few values of it


@dataclass(frozen=True)
class PublicView:
    """The public relation: `query` over the state, which stands in it under the name given to `public_query`."""

    columns: tuple[Column, ...]
    query: str
