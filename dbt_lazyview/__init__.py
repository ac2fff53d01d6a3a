"""
The version, and where dbt looks for plugins; nothing is loaded before it is asked for: dbt imports every module named
`dbt_*` in every project.
"""

from typing import Any

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name == "plugins":  # dbt asks for it
        from dbt_lazyview.spark_profiles import LazyViewsForSpark

        return [LazyViewsForSpark]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
