"""
The classes of Spark in the form that a JVM maps into memory: to load them from 300 jars is two fifths of its start. The
first run on a machine, once it is over, has a process of low priority write such an archive, and later runs of any
project use it. The JVM itself sees to it that an archive fits its jars, and else goes on without.
"""

import atexit
import hashlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from pyspark.find_spark_home import _find_spark_home

from dbt_lazyview.adapter.jars import cache_folder

WRITER = "dbt_lazyview.adapter.write_class_archive"
UNUSED_SECONDS = 30 * 24 * 3600
_SUFFIX = ".jsa"
_OWN_CHOICE = re.compile(r"-Xshare:|Archive|SharedSpaces")


def archive_of(java_home: Path, class_path: Iterable[str], own_options: str = "") -> Path | None:
    """
    Where the classes of Spark and of these jars are kept for this Java; None where the user's own options choose an
    archive.
    """
    if _OWN_CHOICE.search(own_options):
        return None
    jars = [*Path(_find_spark_home(), "jars").glob("*.jar"), *map(Path, class_path)]
    try:
        return cache_folder() / f"classes-{_fingerprint(java_home, jars)}{_SUFFIX}"
    except OSError:  # a jar that is gone
        return None


def use(archive: Path, packages: str) -> str:
    """
    The option by which a JVM uses an archive; none where it is not there yet, which is seen to after this run, and
    none where it is empty: this Java cannot write one.
    """
    try:
        os.utime(archive)
        return f'"-XX:SharedArchiveFile={archive}"' if archive.stat().st_size else ""
    except OSError:
        _write_after_this_run(packages)
        return ""


def recorded_to(archive: Path) -> str:
    """The options by which a JVM writes an archive as it ends; of classes that it leaves out it would tell a lot."""
    return f'"-XX:ArchiveClassesAtExit={archive}" -Xlog:cds=off -Xlog:cds+dynamic=off'


def forget_unused(folder: Path) -> None:
    """Each takes 200 MB: those of jars that nobody starts any more go."""
    for archive in folder.glob(f"*{_SUFFIX}"):
        with suppress(OSError):
            if archive.stat().st_mtime < time.time() - UNUSED_SECONDS:
                archive.unlink()


def _fingerprint(java_home: Path, jars: Iterable[Path]) -> str:
    """What an archive is good for: one Java, and jars as they are."""
    release = java_home / "release"
    about = [str(java_home.resolve()), release.read_text(errors="replace") if release.is_file() else ""]
    for jar in sorted(jars):
        found = jar.stat()
        about.append(f"{jar} {found.st_size} {found.st_mtime_ns}")
    return hashlib.sha256("\n".join(about).encode()).hexdigest()[:16]


def _write_after_this_run(packages: str) -> None:
    """Elsewhere a process does not so easily outlive the one that started it; machines of CI are new each time."""
    if os.name == "posix" and not os.environ.get("CI"):
        atexit.register(_begin_to_write, packages)


def _begin_to_write(packages: str) -> None:
    """Leave the work to a process of its own; a machine that does not allow that only starts Spark more slowly."""
    command = [sys.executable, "-m", WRITER, packages]
    nowhere = subprocess.DEVNULL
    with suppress(OSError):
        subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True, cwd="/")
