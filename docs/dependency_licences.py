"""
Lists what is installed with dbt-lazyview, and under which licences: `python -m docs.dependency_licences` writes
docs/dependencies.md from the metadata of the packages themselves.
"""

from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PAGE = Path(__file__).resolve().parent / "dependencies.md"
ROOT = "dbt-lazyview"
CLASSIFIER = "License :: OSI Approved :: "
HEAD = """# Licences of dependencies
dbt-lazyview is under Apache-2.0. Installing it installs these packages, each under the licence that it states itself;
`python -m docs.dependency_licences` writes this list. PySpark and Delta Lake bring Java libraries of their own; PySpark
lists their licences in its folder `licenses`.

| package | licence |
|---|---|
"""


def installed_with(root: str = ROOT) -> dict[str, Distribution]:
    """Every package that this one needs, directly or not, without extras that nobody asks for."""
    found: dict[str, Distribution] = {}
    waiting = [(root, frozenset[str]())]
    seen = set(waiting)
    while waiting:
        name, extras = waiting.pop()
        for needed in _needs(distribution(name), extras):
            step = (canonicalize_name(needed.name), frozenset(needed.extras))
            if step not in seen and (package := _package(step[0])):
                found[step[0]] = package
                seen.add(step)
                waiting.append(step)
    return found


def _needs(package: Distribution, extras: frozenset[str]) -> list[Requirement]:
    needs = [Requirement(each) for each in package.requires or ()]
    return [each for each in needs if any(_applies(each, extra) for extra in ("", *extras))]


def _applies(need: Requirement, extra: str) -> bool:
    return need.marker is None or need.marker.evaluate({"extra": extra})


def _package(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:  # needed elsewhere only
        return None


def licence_of(package: Distribution) -> str:
    """What a package says of itself: an expression, a classifier, or a short text."""
    metadata = package.metadata
    classifiers = [each.removeprefix(CLASSIFIER) for each in metadata.get_all("Classifier") or [] if CLASSIFIER in each]
    text = (metadata.get("License") or "").strip()
    short = text if "\n" not in text and len(text) < 60 else ""
    return metadata.get("License-Expression") or short or ", ".join(classifiers) or "see the package"


def main() -> None:
    rows = [f"| {name} | {licence_of(package)} |" for name, package in sorted(installed_with().items())]
    PAGE.write_text(HEAD + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
