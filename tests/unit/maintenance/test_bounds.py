"""Which tables are worth a look at the changes before they are read."""

import pytest

from dbt_lazyview.maintenance.bounds import LARGE_BYTES, LARGE_FILES, is_large
from dbt_lazyview.maintenance.tables import Detail


@pytest.mark.parametrize(
    ("size", "files", "large"),
    [(LARGE_BYTES, LARGE_FILES, True), (LARGE_BYTES - 1, LARGE_FILES, False), (LARGE_BYTES, LARGE_FILES - 1, False)],
)
def test_large_by_size_and_files(size: int, files: int, large: bool) -> None:
    assert is_large(Detail("delta", "", 0, "", {}, size, files)) == large


def test_an_unknown_table_is_not_large() -> None:
    assert not is_large(None)
