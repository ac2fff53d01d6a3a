"""Statements that read tables and feeds from files which are known, instead of letting Delta look for them."""

from collections.abc import Iterator
from contextlib import contextmanager

from dbt_lazyview.adapter.feeds import feeds_replaced
from dbt_lazyview.adapter.logs import Logs
from dbt_lazyview.adapter.pinned import pins_replaced


@contextmanager
def read_from_files(logs: Logs, statement: str) -> Iterator[str]:
    """The statement with other words for the same rows, as long as this lasts."""
    with feeds_replaced(logs, statement) as without_feeds, pins_replaced(logs, without_feeds) as shorter:
        yield shorter
