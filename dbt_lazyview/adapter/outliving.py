"""
An adapter that outlives the dbt invocation it was made for, and works beside others in the same process.

dbt knows one adapter of each type at a time, and forgets it at the end of an invocation; rendering a macro asks for it
by the type of the profile. So this one gets a type name of its own, under which nobody else's is looked up or dropped.
A profile of `type: spark` has credentials that cannot be renamed: its adapter outlives its invocation, but no other one
may run beside it.
"""

from typing import Any

from dbt.adapters.factory import FACTORY

NAME = "registered_as"  # attribute of the credentials of such an adapter


def outlive(adapter: Any) -> None:
    """Let an adapter stay usable after its invocation."""
    credentials = adapter.config.credentials
    own = credentials.type
    name = f"{own}_{id(adapter)}"
    with FACTORY.lock:
        FACTORY.plugins[name] = FACTORY.plugins[own]
    setattr(credentials, NAME, name)
    credentials.manager = None  # it does not wait for itself
    keep_registered(adapter)


def keep_registered(adapter: Any) -> None:
    """Let dbt find an adapter that outlives its invocation, whatever other invocations made it forget."""
    credentials = adapter.config.credentials
    if hasattr(credentials, NAME):
        with FACTORY.lock:
            FACTORY.adapters.setdefault(credentials.type, adapter)


def retire(adapter: Any) -> None:
    """Let dbt forget it."""
    credentials = adapter.config.credentials
    with FACTORY.lock:
        FACTORY.plugins.pop(getattr(credentials, NAME, ""), None)
        if FACTORY.adapters.get(credentials.type) is adapter:
            del FACTORY.adapters[credentials.type]
