"""Makes dbt find the adapter: for `type: lazyview` it imports `dbt.adapters.lazyview`. Its code is `dbt_lazyview`."""

from dbt_lazyview.plugin import Plugin

__all__ = ["Plugin"]
