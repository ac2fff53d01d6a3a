"""
Lazy views for profiles with `type: spark`. dbt makes a plugin of every installed package named `dbt_*` that has some,
after it has read the profile and before it makes the adapter: then the adapter of dbt-spark can still learn our macros
and methods. Decision 11 says why it is done in this way.
"""

from typing import Any

from dbt.adapters.factory import FACTORY, AdapterContainer
from dbt.plugins.manager import dbtPlugin
from dbt_common.context import get_invocation_context

SPARK, LAZYVIEW = "spark", "lazyview"


class LazyViewsForSpark(dbtPlugin):
    """What dbt finds."""

    def initialize(self) -> None:
        if SPARK in get_invocation_context().adapter_types:
            teach_lazy_views(FACTORY)


def teach_lazy_views(adapters: AdapterContainer) -> None:
    """Let dbt-spark's adapter have our methods, and its macros be followed by ours; everything else stays its own."""
    from dbt_lazyview.adapter.impl import SparkAdapterWithLazyViews

    adapters.load_plugin(LAZYVIEW)  # which loads dbt-spark's, as it comes
    with adapters.lock:
        adapters.plugins[SPARK] = _with_lazy_views(adapters.plugins[SPARK], SparkAdapterWithLazyViews)


def _with_lazy_views(plugin: Any, adapter: type[Any]) -> Any:
    return type(plugin)(
        adapter=adapter,
        credentials=plugin.credentials,
        include_path=plugin.include_path,
        dependencies=[*plugin.dependencies, LAZYVIEW],
        project_name=plugin.project_name,
    )
