"""What was asked for and is not there: what there is instead."""

from collections.abc import Iterable

from dbt_common.exceptions import DbtRuntimeError

from dbt_lazyview.maintenance.policies import POLICIES


def unknown_views(unknown: Iterable[str], known: Iterable[str]) -> DbtRuntimeError:
    return DbtRuntimeError(f"No lazy view of this project is called {_all(unknown)}. Lazy views: {_all(known)}.")


def unknown_group(group: str, known: Iterable[str]) -> DbtRuntimeError:
    return DbtRuntimeError(f"No lazy view of this project is in a view group {group}. View groups: {_all(known)}.")


def unknown_policy(policy: str) -> DbtRuntimeError:
    return DbtRuntimeError(f"{policy} is no policy of lazy views: {', '.join(POLICIES)}.")


def unknown_format(form: str) -> DbtRuntimeError:
    return DbtRuntimeError(f"format: {form} is not known; it is table or json.")


def _all(names: Iterable[str]) -> str:
    return ", ".join(sorted(set(names))) or "none"
