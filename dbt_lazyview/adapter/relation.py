"""Names of tables and views, always quoted, compared as Spark compares them."""

from dataclasses import dataclass, field

from dbt.adapters.base.relation import Policy
from dbt.adapters.contracts.relation import ComponentName
from dbt.adapters.spark.relation import SparkQuotePolicy, SparkRelation


@dataclass(frozen=True, eq=False, repr=False)
class LazyViewRelation(SparkRelation):
    """A relation whose schema and identifier are quoted, so that reserved words and leading digits work."""

    quote_policy: Policy = field(default_factory=lambda: SparkQuotePolicy(schema=True, identifier=True))

    def quoted(self, identifier: str) -> str:
        return quote(identifier)

    def _is_exactish_match(self, field: ComponentName, value: str) -> bool:
        """Spark's catalog ignores case, quoted or not."""
        part = self.path.get_lowered_part(field)
        return part is not None and part.strip("`") == value.lower().strip("`")


def quote(identifier: str) -> str:
    """
    Quote one identifier for Spark.

    Example:
        >>> quote("odd`name")
        '`odd``name`'
    """
    return "`" + str(identifier).replace("`", "``") + "`"
