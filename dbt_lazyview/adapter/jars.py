"""Remember where Delta's jars were resolved to, so that only the first start on a machine resolves them."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote, urlparse


def remembered_jars(packages: str) -> list[str]:
    """The files these packages were resolved to last time, or nothing if one of them is gone."""
    try:
        files = json.loads(_memory().read_text()).get(packages, [])
    except (OSError, ValueError):
        return []
    return files if all(Path(file).is_file() for file in files) else []


def remember_jars(packages: str, jars: Iterable[str]) -> None:
    """Note the resolved files; a home folder that cannot be written only costs time at the next start."""
    files = [unquote(urlparse(jar).path) for jar in jars if jar]
    try:
        _memory().parent.mkdir(parents=True, exist_ok=True)
        _memory().write_text(json.dumps({packages: files}, indent=2))
    except OSError:
        pass


def cache_folder() -> Path:
    """Where is kept, for all projects of a user, what would only cost time if it were lost."""
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "dbt-lazyview"


def _memory() -> Path:
    return cache_folder() / "jars.json"
