"""The version, and nothing else: dbt imports every module named `dbt_*` in every project."""

__version__ = "0.1.0"
