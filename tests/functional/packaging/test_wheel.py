"""The wheel has what it needs, and a newcomer's project runs from it alone."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.in_process("installs the wheel and starts an embedded Spark from it")

ROOT = Path(__file__).parents[3]

PROJECT = {
    "dbt_project.yml": "name: newcomer\nprofile: newcomer\n",
    "profiles.yml": "newcomer: {target: dev, outputs: {dev: {type: lazyview, schema: x}}}\n",
    "models/one.sql": "{{ config(materialized='table') }} select 1 as id\n",
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture
def newcomer(tmp_path):
    for name, text in PROJECT.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_contents(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for needed in (
        "dbt/adapters/lazyview/__init__.py",
        "dbt/adapters/lazyview/__version__.py",
        "dbt_lazyview/plugin.py",
        "dbt_lazyview/compiler/compile.py",
        "dbt_lazyview/include/dbt_project.yml",
        "dbt_lazyview/include/macros/adapters/seed.sql",
    ):
        assert needed in names
    assert "dbt/__init__.py" not in names  # `dbt` is shared by many packages
    assert "dbt/adapters/__init__.py" not in names
    assert not [name for name in names if name.startswith(("tests", "integration_tests", "adapter_shim"))]
    assert [name for name in names if name.endswith("licenses/LICENSE")]


def test_every_macro_of_the_checkout_is_in_the_wheel(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for macro in (ROOT / "macros").rglob("*.sql"):
        assert f"dbt_lazyview/include/{macro.relative_to(ROOT)}" in names


def test_a_project_runs_from_a_clean_environment(wheel, newcomer, tmp_path_factory):
    venv = tmp_path_factory.mktemp("clean") / "venv"
    run(sys.executable, "-m", "venv", venv)
    run(venv / "bin" / "pip", "install", "--quiet", "--no-compile", wheel)  # most of it is never imported
    outcome = run(venv / "bin" / "dbt", "run", "--profiles-dir", ".", cwd=newcomer)
    assert "PASS=1" in outcome
    assert "WARN " not in outcome, "Spark's log belongs into its file"
    assert {"metastore_db", "warehouse", "spark.log"} <= {path.name for path in (newcomer / ".lazyview").iterdir()}
    left = {path.name for path in newcomer.iterdir()}
    assert left <= {"dbt_project.yml", "profiles.yml", "models", ".lazyview", "target", "logs", ".user.yml"}


def run(*command, cwd=None):
    """Run a program without this checkout on its path; its output, or a failure that shows it."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment["CI"] = "true"  # nothing of these folders is kept for later
    done = subprocess.run([str(c) for c in command], cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr
