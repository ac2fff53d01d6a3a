"""What commits of a Delta table say, read from their files inside the process."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from dbt_lazyview.adapter.logs import CommitFile, Logs
from dbt_lazyview.maintenance.remembering import Remembered

# Actions, as Delta calls them.
ADDED, REMOVED, CHANGES = "add", "remove", "cdc"  # about files
INFO, TABLE, PROTOCOL = "commitInfo", "metaData", "protocol"
_WANTED = tuple(f'{{"{each}"' for each in (ADDED, REMOVED, CHANGES, INFO, TABLE, PROTOCOL))
MOST_BYTES = 4 * 2**20  # of a commit that is read
SMALL = 2**16  # bytes of a commit that is worth remembering: several want to know of it in one refresh

Action = Mapping[str, Any]  # what it says, by its name
_SMALL_ONES: Remembered[list[Action]] = Remembered(most=200)  # they never say anything else


class NotTold(Exception):
    """Not everything that was committed can be read."""


def commits(logs: Logs, log: Any, oldest: int, newest: int) -> list[list[Action]]:
    """The actions of each commit, oldest first."""
    files = logs.commit_files(log, oldest, newest)
    if [each.version for each in files] != list(range(oldest, newest + 1)):
        raise NotTold
    configuration = log.newDeltaHadoopConf()
    return [_actions(log, each, configuration) for each in files]


def _actions(log: Any, file: CommitFile, configuration: Any) -> list[Action]:
    if file.size > MOST_BYTES:
        raise NotTold
    read = partial(_read, log, file, configuration)
    return _SMALL_ONES.get(file.key, read) if file.size <= SMALL else read()


def _read(log: Any, file: CommitFile, configuration: Any) -> list[Action]:
    lines = log.store().read(file.path, configuration).mkString("\n").split("\n")  # and at no other end of line
    return [json.loads(line) for line in lines if line.startswith(_WANTED)]


def of_kind(actions: list[Action], kind: str) -> list[dict[str, Any]]:
    return [each[kind] for each in actions if kind in each]


def of_files(actions: list[Action], kind: str) -> list[dict[str, Any]]:
    """Those that rows came or went with; what only moves rows from file to file says so."""
    return [each for each in of_kind(actions, kind) if kind == CHANGES or each["dataChange"]]
