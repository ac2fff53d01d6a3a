"""
An adapter that outlives the dbt invocation it was made for, and works beside others in the same process.

dbt knows one adapter of each type at a time, and forgets it at the end of an invocation; rendering a macro asks for it
by the type of the profile. So this one gets a type name of its own, under which nobody else's is looked up or dropped.
"""

from typing import Any

from dbt.adapters.factory import FACTORY

from dbt_lazyview.adapter.credentials import TYPE


def outlive(adapter: Any) -> None:
    """Let an adapter stay usable after its invocation."""
    name = f"{TYPE}_{id(adapter)}"
    with FACTORY.lock:
        FACTORY.plugins[name] = FACTORY.plugins[TYPE]
    adapter.config.credentials.registered_as = name
    adapter.config.credentials.manager = None  # it does not wait for itself
    keep_registered(adapter)


def keep_registered(adapter: Any) -> None:
    """Let dbt find an adapter that outlives its invocation, whatever other invocations made it forget."""
    name = adapter.config.credentials.type
    if name != TYPE:
        with FACTORY.lock:
            FACTORY.adapters.setdefault(name, adapter)


def retire(adapter: Any) -> None:
    """Let dbt forget it."""
    name = adapter.config.credentials.type
    if name != TYPE:
        with FACTORY.lock:
            FACTORY.plugins.pop(name, None)
            FACTORY.adapters.pop(name, None)
