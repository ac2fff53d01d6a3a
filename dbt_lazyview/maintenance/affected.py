"""Files of a state: those that may hold rows which a change is about, by what is known of its keys."""

from dataclasses import dataclass

from dbt_lazyview.compiler.catalog import Name
from dbt_lazyview.compiler.plan import Extent


@dataclass(frozen=True)
class Affected:
    """
    Of a table at a version, the files with keys within extents. A change that only has such keys leaves all other
    files as they are; where there are none, all of its rows are new.
    """

    name: Name
    version: int
    keys: tuple[Extent, ...]
    files: int
    bytes: int
    of: int  # files of the table
