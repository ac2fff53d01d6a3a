"""dbt reads the adapter's version here."""

from dbt_lazyview import __version__ as version

__all__ = ["version"]
