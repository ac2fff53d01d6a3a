"""Measured points, kept in a file as they come: a run that is cut off goes on where it was."""

import json
import os
import platform
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

PACKAGES = ("dbt-lazyview", "pyspark", "delta-spark", "dbt-core", "dbt-spark", "sqlglot")


class Results:
    """Points by section and name, and what they were measured on."""

    def __init__(self, path: Path, scale: float) -> None:
        self.path, self.scale = path, scale
        self.points: dict[str, dict[str, Any]] = {}
        self.seconds: dict[str, float] = {}  # that each section took, set-up included
        self.runs: dict[str, float] = {}  # seconds of whole runs, quick and long
        self.origins: list[dict[str, Any]] = []  # when and on what points were measured
        self.origin_of: dict[str, dict[str, int]] = {}  # which of them, by section and name
        if path.exists():
            known = json.loads(path.read_text())
            self.points, self.seconds, self.runs = known["points"], known["seconds"], known["runs"]
            self.origins, self.origin_of = known["origins"], known["origin_of"]

    def has(self, section: str, name: str) -> bool:
        return name in self.points.get(section, {})

    def put(self, section: str, name: str, point: Any) -> None:
        """Keep a point, unless it is known."""
        if not self.has(section, name):
            self.replace(section, name, point)
            self.save()

    def replace(self, section: str, name: str, point: Any) -> None:
        """Let a point be what was measured now."""
        self.points.setdefault(section, {})[name] = point
        here = origin()
        if here not in self.origins:
            self.origins.append(here)
        self.origin_of.setdefault(section, {})[name] = self.origins.index(here)

    def point(self, section: str, name: str, measure: Callable[[], Any]) -> Any:
        """A point as measured before, or now."""
        if not self.has(section, name):
            self.put(section, name, measure())
        return self.points[section][name]

    def took(self, section: str, seconds: float) -> None:
        """A section, or a part of it before the run was cut off, took so long."""
        self.seconds[section] = round(self.seconds.get(section, 0) + seconds, 1)
        self.save()

    def whole_run(self, kind: str, seconds: float) -> None:
        """All sections were measured in one go, beginning with none."""
        self.runs[kind] = round(seconds)
        self.save()

    def forget(self, names: Mapping[str, Iterable[str]]) -> None:
        """Forget points, by their sections and names."""
        for section, forgotten in names.items():
            known, gone = self.points.pop(section, {}), set(forgotten)
            left = {name: point for name, point in known.items() if name not in gone}
            origins = self.origin_of.pop(section, {})
            if left:
                self.points[section] = left
                self.origin_of[section] = {name: origins[name] for name in left}
            else:
                self.seconds.pop(section, None)

    def save(self) -> None:
        """Written beside and put in place, so that no run that is cut off leaves half a file."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        beside = self.path.with_suffix(".part")
        beside.write_text(json.dumps(self.as_dict(), indent=1) + "\n")
        beside.replace(self.path)

    def as_dict(self) -> dict[str, Any]:
        return {
            "scale": self.scale,
            "origins": self.origins,
            "runs": self.runs,
            "seconds": self.seconds,
            "points": self.points,
            "origin_of": self.origin_of,
        }


def origin() -> dict[str, Any]:
    """When and on what it is that is measured now."""
    versions = {each: version(each) for each in PACKAGES}
    return {"measured": date.today().isoformat(), "machine": machine(), "versions": versions}


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "cores": os.cpu_count(),
        "processor": _processor(),
        "memory_gib": round(memory),
        "system": platform.system(),
        "python": platform.python_version(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:  # not Linux
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
