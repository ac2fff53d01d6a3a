"""The object by which dbt knows the adapter `lazyview`."""

from pathlib import Path

from dbt.adapters.base import AdapterPlugin

from dbt_lazyview.adapter.credentials import LazyViewCredentials
from dbt_lazyview.adapter.impl import LazyViewAdapter


def _package_folder() -> Path:
    """The folder with `dbt_project.yml` and `macros`: inside the installed wheel, or the root of a checkout."""
    here = Path(__file__).parent
    installed = here / "include"
    return installed if installed.is_dir() else here.parent


Plugin = AdapterPlugin(
    adapter=LazyViewAdapter,
    credentials=LazyViewCredentials,
    include_path=str(_package_folder()),
    dependencies=["spark"],
    project_name="dbt_lazyview",
)
