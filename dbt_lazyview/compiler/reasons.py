"""Reason codes: why a view was refreshed in full, or was refused. Each has a section in docs/reasons.md."""

from dataclasses import dataclass
from enum import Enum


class Reason(Enum):
    """Code and word of every reason; the word is what records and `adapter_response` carry."""

    # The model cannot be accepted at all.
    PARSE_ERROR = "LV001"
    UNKNOWN_RELATION = "LV002"
    INVALID_QUERY = "LV003"
    NOT_DELTA = "LV004"
    RESERVED_NAME = "LV005"
    INVALID_CONFIG = "LV006"
    PYTHON_MODEL = "LV007"
    DUPLICATE_COLUMN = "LV008"
    POLICY_CONFLICT = "LV009"

    # The query has no incremental plan: auto refreshes in full, incremental refuses.
    UNSUPPORTED = "LV010"
    NON_DETERMINISTIC = "LV012"
    RECURSIVE = "LV013"
    SOURCE_UNVERSIONED = "LV014"

    # A refresh had to be full.
    FIRST_BUILD = "LV020"
    FULL_REFRESH_REQUESTED = "LV021"
    REFRESH_MODE_FULL = "LV022"
    DEFINITION_CHANGED = "LV023"
    SETTINGS_CHANGED = "LV024"
    STATE_MISSING = "LV025"
    STATE_CHANGED = "LV026"
    RECORD_MISSING = "LV027"
    RECORD_FORMAT = "LV028"
    SOURCE_RECREATED = "LV030"
    SOURCE_SCHEMA_CHANGED = "LV031"
    CHANGE_FEED_MISSING = "LV032"
    HISTORY_GONE = "LV033"
    DELTA_TOO_LARGE = "LV034"

    # A refresh failed.
    REFRESH_FAILED = "LV040"
    LOST_RACE = "LV041"
    POINT_UNREACHABLE = "LV042"
    GROUP_STAYS = "LV043"
    KEY_VIOLATED = "LV044"
    FULL_REFRESH_TOO_LARGE = "LV045"
    CONSTRAINT_VIOLATED = "LV046"
    CONFIGURATION_CHANGED = "LV047"
    LOG_UNUSABLE = "LV049"

    # Nothing had to be done.
    CHANGES_IRRELEVANT = "LV050"

    @property
    def code(self) -> str:
        return self.value

    @property
    def word(self) -> str:
        return self.name.lower()


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a model: what, where in its SQL, why, what to do."""

    reason: Reason
    what: str
    why: str
    remedy: str
    line: int | None = None  # 1-based, in the compiled model
    column: int | None = None  # 1-based, first character
    length: int = 1
    source_line: str = ""

    def render(self) -> str:
        """The problem as text, with a caret under the construct."""
        where = []
        if self.line is not None:
            where = [f"  line {self.line} of the compiled model:", f"      {self.source_line}"]
            if self.column is not None:
                where.append("      " + " " * (self.column - 1) + "^" * self.length)
        tail = [
            f"  {self.why}",
            f"  {self.remedy}",
            f"  See docs/reasons.md#{self.reason.code.lower()} [{self.reason.code}]",
        ]
        return "\n".join([f"{self.what}", *where, *tail])


class ModelError(Exception):
    """The model cannot be built: all its problems at once."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        super().__init__("\n".join(problem.render() for problem in problems))
