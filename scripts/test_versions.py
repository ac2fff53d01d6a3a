"""
The tests at the lowest and at the highest end of the supported versions, each in an environment of its own:

    python scripts/test_versions.py [lowest] [highest] [--tests tests/unit]

The lowest end has the lowest version of every dependency that pyproject.toml allows, on the oldest Python; the highest
has what pip chooses, on the newest. Environments are kept in build/versions.
"""

import argparse
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from packaging.requirements import Requirement

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10; a dependency of our build has it
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
TESTS = [
    "tests/unit",
    "tests/golden",
    "tests/functional/adapter",
    "tests/functional/lazy",
    "tests/functional/type_spark",
]
SHOWN = ("dbt-core", "dbt-adapters", "dbt-spark", "pyspark", "delta-spark", "sqlglot")


@dataclass(frozen=True)
class End:
    """One end of what is supported."""

    name: str
    python: str
    is_pinned: bool

    @property
    def folder(self) -> Path:
        return ROOT / "build" / "versions" / self.name


ENDS = {each.name: each for each in (End("lowest", "3.10", True), End("highest", "3.12", False))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ends", nargs="*", choices=[[], *ENDS], help="all of them unless named")
    parser.add_argument("--tests", nargs="+", default=TESTS, help="what pytest is told")
    arguments = parser.parse_args()
    failed = [name for name in arguments.ends or ENDS if not holds(ENDS[name], arguments.tests)]
    sys.exit(f"Tests failed at: {', '.join(failed)}" if failed else 0)


def holds(end: End, tests: list[str]) -> bool:
    """Whether the tests pass at an end."""
    python = environment(end)
    run(python, "-m", "pip", "install", "--quiet", "-e", f"{ROOT}[dev]", *(lowest() if end.is_pinned else ()))
    found = subprocess.run([python, "-m", "pip", "freeze"], capture_output=True, text=True, check=True).stdout
    told = [line for line in found.splitlines() if re.split("==| @", line)[0].replace("_", "-") in SHOWN]
    print(f"==> {end.name}: Python {end.python}, {', '.join(told)}", flush=True)
    return subprocess.run([python, "-m", "pytest", "-q", *tests], cwd=ROOT).returncode == 0


def environment(end: End) -> str:
    """The interpreter of an environment, which is made where there is none."""
    python = end.folder / "bin" / "python"
    if not python.exists():
        run(interpreter(end.python), "-m", "venv", end.folder)
    return str(python)


def interpreter(version: str) -> str:
    """A Python of a version: on the path, or where pyenv keeps them."""
    kept = sorted(Path("~/.pyenv/versions").expanduser().glob(f"{version}.*/bin/python"))
    found = next((str(each) for each in [which(f"python{version}"), *kept] if each and _works(each)), None)
    return found or sys.exit(f"There is no Python {version} here: install it, for example with pyenv.")


def lowest() -> list[str]:
    """The lowest allowed version of every dependency."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = [Requirement(each) for each in project["dependencies"]]
    return [f"{_named(each)}=={low}" for each in needed if (low := _lowest(each))]


def _lowest(requirement: Requirement) -> str | None:
    return next((each.version for each in requirement.specifier if each.operator in (">=", "==")), None)


def _named(requirement: Requirement) -> str:
    return requirement.name + (f"[{','.join(requirement.extras)}]" if requirement.extras else "")


def _works(python: str | Path) -> bool:
    return subprocess.run([str(python), "--version"], capture_output=True).returncode == 0


def run(*command: object) -> None:
    subprocess.run([str(each) for each in command], check=True)


if __name__ == "__main__":
    main()
