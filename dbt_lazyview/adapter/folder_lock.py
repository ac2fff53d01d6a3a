"""One process at a time on a folder: the embedded metastore cannot be shared."""

import os
import time
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: Derby's own lock has to do there
    fcntl = None  # type: ignore[assignment]

PATIENCE_SECONDS = 60


class FolderInUse(RuntimeError):
    """Another live process holds the folder; the message names it."""


def lock_folder(folder: Path) -> int:
    """
    Take the folder's lock and return its file descriptor.

    The JVM inherits the descriptor, so the lock lives until the JVM is gone too. A JVM that outlives its
    process by a second, as at the end of every run, is waited for; a process that is alive is not.
    """
    descriptor = os.open(folder / "process.lock", os.O_RDWR | os.O_CREAT, 0o644)
    give_up = time.monotonic() + PATIENCE_SECONDS
    while not _try_lock(descriptor):
        owner = _owner(descriptor)
        if _is_alive(owner) or time.monotonic() > give_up:
            os.close(descriptor)
            raise in_use(folder, owner)
        time.sleep(0.1)
    os.truncate(descriptor, 0)
    os.pwrite(descriptor, str(os.getpid()).encode(), 0)
    return descriptor


def in_use(folder: Path, owner: int | None) -> FolderInUse:
    return FolderInUse(
        f"{folder} is in use by process {owner or 'unknown'}: wait until it ends, give this run another `folder` "
        "in its profile, or use a thrift server (method: thrift) for several processes at once."
    )


def _try_lock(descriptor: int) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _owner(descriptor: int) -> int | None:
    text = os.pread(descriptor, 32, 0).decode()
    return int(text) if text.isdigit() else None


def _is_alive(process: int | None) -> bool:
    if process is None:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
