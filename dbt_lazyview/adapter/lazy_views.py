"""What macros may ask the adapter about lazy views."""

from dbt.adapters.base.meta import AdapterMeta


class LazyViewMethods(metaclass=AdapterMeta):
    """The `@available` methods and hooks of lazy views; a base class of the adapter (the metaclass makes dbt see them)."""
