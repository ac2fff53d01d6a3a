"""Makes dbt find the adapter: for `type: lazyview` it imports `dbt.adapters.lazyview`. The code is in `dbt_lazyview`."""

from dbt_lazyview.plugin import Plugin

__all__ = ["Plugin"]
