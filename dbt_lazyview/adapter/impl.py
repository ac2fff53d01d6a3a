"""The adapter: dbt-spark's, with Delta by default and lazy views."""

from dataclasses import dataclass
from typing import Any

from dbt.adapters.spark.impl import SparkAdapter, SparkConfig

from dbt_lazyview.adapter.answers import LazyViewAnswers
from dbt_lazyview.adapter.connections import LazyViewConnectionManager
from dbt_lazyview.adapter.documentation import LazyViewDocumentation
from dbt_lazyview.adapter.relation import LazyViewRelation, quote
from dbt_lazyview.adapter.triggers import LazyViewTriggers
from dbt_lazyview.adapter.view_deltas import ViewDeltaOperations

STORED = ("table", "incremental", "seed", "snapshot")


@dataclass
class LazyViewConfig(SparkConfig):
    """The configs of dbt-spark; tables are Delta unless the model says otherwise."""

    file_format: str = "delta"


class LazyViewAdapter(LazyViewAnswers, ViewDeltaOperations, LazyViewTriggers, LazyViewDocumentation, SparkAdapter):
    """`type: lazyview`."""

    Relation = LazyViewRelation
    ConnectionManager = LazyViewConnectionManager
    AdapterSpecificConfigs = LazyViewConfig

    def quote(self, identifier: str) -> str:
        return quote(identifier)

    def parse_columns_from_information(self, relation: Any) -> list[Any]:
        """None: SHOW TABLE EXTENDED has no columns of a Delta table, and odd type names; so DESCRIBE is asked."""
        return []

    def pre_model_hook(self, config: Any) -> Any:
        default_to_delta(config.model.config)
        return super().pre_model_hook(config)


class SparkAdapterWithLazyViews(LazyViewAnswers, LazyViewTriggers, SparkAdapter):
    """
    `type: spark` where lazy views may be: dbt-spark's adapter and what they need. dbt looks for the module of an
    adapter by what stands before `Adapter` in the name of its class.
    """


def default_to_delta(config: Any) -> None:
    """
    Fill in the file format of a stored node. dbt-spark's materializations ask the node's config, not the adapter's
    defaults, so it has to be there before they run.

    Example:
        >>> config = {"materialized": "snapshot"}
        >>> default_to_delta(config)
        >>> config["file_format"]
        'delta'
    """
    if config.get("materialized") in STORED and config.get("file_format") is None:
        config["file_format"] = LazyViewConfig.file_format
