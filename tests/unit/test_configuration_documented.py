"""docs/configuration.md has every config of a lazy view and every key of the profile, and none that is not there."""

import re
from dataclasses import fields
from pathlib import Path

from dbt.adapters.spark.connections import SparkCredentials

from dbt_lazyview.adapter.credentials import LazyViewCredentials
from dbt_lazyview.adapter.models import ALLOWED, CONFIGS
from dbt_lazyview.maintenance.logs import Log

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "configuration.md").read_text()
STORAGE = (ROOT / "docs" / "dbt.md").read_text()
OF_DBT = ("schema", "method", "threads", "server_side_parameters")  # keys of dbt-spark that the page explains


def table(page: str, heading: str) -> list[str]:
    """The first column of the table under a heading."""
    section = re.split(r"^#{2,3} ", page.split(f"# {heading}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    rows = re.findall(r"^\| (`.+?`) \|", section, re.MULTILINE)
    return [key for row in rows for key in re.findall(r"`(\w+)`", row)]


def test_configs_of_a_lazy_view():
    stored = table(STORAGE, "How the state is stored")
    elsewhere = {*stored, "file_format", "buckets", "on_configuration_change"}
    assert sorted({*table(PAGE, "A lazy view"), *elsewhere}) == sorted(CONFIGS)
    for key in elsewhere:
        assert f"`{key}`" in STORAGE


def test_the_readme_names_no_other():
    readme = (ROOT / "README.md").read_text()
    assert set(table(readme, "Configuration")) - {"materialized"} <= set(CONFIGS)


def test_all_values_are_there():
    for key, values in ALLOWED.items():
        for value in (each for each in values if each not in (None, "delta")):
            assert re.search(rf"^\|(?: `{key}`)? \|.*`{str(value).lower()}`", PAGE, re.MULTILINE), f"{key}: {value}"


def test_keys_of_the_profile():
    own = {each.name for each in fields(LazyViewCredentials)} - {each.name for each in fields(SparkCredentials)}
    assert sorted(table(PAGE, "The profile")) == sorted({*own, *OF_DBT, "poll_interval"})


def test_keys_of_a_log():
    values = ("inserts", "updates", "deletes")
    assert sorted({*table(PAGE, "Sources with a log"), *values}) == sorted(each.name for each in fields(Log))
    assert [each for each in values if f"`{each}`" not in PAGE] == []
