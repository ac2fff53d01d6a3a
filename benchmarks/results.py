"""Measured points, kept in a file as they come: a run that is cut off goes on where it was."""

import json
import os
import platform
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

PACKAGES = ("pyspark", "delta-spark", "dbt-core", "sqlglot")


class Results:
    """Points by section and name."""

    def __init__(self, path: Path, anew: bool) -> None:
        self.path = path
        self.points: dict[str, dict[str, Any]] = {}
        if path.exists() and not anew:
            self.points = json.loads(path.read_text())["points"]

    def point(self, section: str, name: str, measure: Callable[[], Any]) -> Any:
        """A point as measured before, or now."""
        known = self.points.setdefault(section, {})
        if name not in known:
            known[name] = measure()
            self.save()
        return known[name]

    def save(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        told = {"machine": machine(), "versions": {each: version(each) for each in PACKAGES}, "points": self.points}
        self.path.write_text(json.dumps(told, indent=1) + "\n")


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "cores": os.cpu_count(),
        "memory_gib": round(memory),
        "system": platform.system(),
        "python": platform.python_version(),
    }
