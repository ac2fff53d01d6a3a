"""The document behind the page: `status` as JSON, with history, advice and lineage."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from dbt_lazyview import __version__
from dbt_lazyview.compiler.reasons import Reason
from dbt_lazyview.maintenance.advise import Life, Refreshed, advise
from dbt_lazyview.maintenance.errors import WHAT_HAPPENED
from dbt_lazyview.maintenance.status import Status
from dbt_lazyview.maintenance.status_report import facts, moment, tone_of

FORMAT = 1


@dataclass(frozen=True)
class Seen:
    """One view as the report sees it; `life` is None where it is not built."""

    id: str
    name: str
    description: str
    status: Status
    life: Life | None


def document(
    project: str, target: str, seen: Sequence[Seen], lineage: Sequence[dict[str, Any]], now: int
) -> dict[str, Any]:
    """Everything the page shows; `now` in epoch milliseconds."""
    views = [_view(each, now) for each in seen]
    return {
        "format": FORMAT,
        "version": __version__,
        "made_at": moment(now),
        "project": project,
        "target": target,
        "views": views,
        "lineage": list(lineage),
        "reasons": _reasons(views),
    }


def _view(seen: Seen, now: int) -> dict[str, Any]:
    life = seen.life
    return {
        **facts(seen.status, now),
        "id": seen.id,
        "name": seen.name,
        "description": seen.description,
        "condition": tone_of(seen.status).value,
        "is_known": seen.status.is_known,
        "refreshes": [_refreshed(each) for each in life.refreshes] if life else [],
        "source_writes": life.writes if life else 0,
        "state_files": life.files if life else 0,
        "goals_kept": life.kept_goals.count(True) if life else 0,
        "goals_missed": life.kept_goals.count(False) if life else 0,
        "advice": [asdict(each) for each in advise(life)] if life else [],
    }


def _refreshed(each: Refreshed) -> dict[str, Any]:
    return {**asdict(each), "at": moment(each.at)}


def _reasons(views: Iterable[dict[str, Any]]) -> dict[str, dict[str, str]]:
    """Code and meaning of every reason that some view has, by its word."""
    used = {word for view in views for word in _words(view) if word}
    known = {reason.word: reason for reason in Reason}
    return {
        word: {"code": known[word].code, "meaning": WHAT_HAPPENED.get(known[word], word.replace("_", " "))}
        for word in sorted(used & set(known))
    }


def _words(view: dict[str, Any]) -> list[str | None]:
    of_sources = [source["obstacle"] for source in view["sources"]]
    return [view["distrust"], view["last_reason"], *of_sources, *(each["reason"] for each in view["refreshes"])]
