"""A folder belongs to one live process."""

import os
import subprocess
import sys

import pytest

from dbt_lazyview.adapter import folder_lock

HOLD = """
import subprocess, sys, time
from pathlib import Path
from dbt_lazyview.adapter.folder_lock import lock_folder
descriptor = lock_folder(Path(sys.argv[1]))
child = subprocess.Popen(["sleep", sys.argv[2]], pass_fds=[descriptor], stdout=subprocess.DEVNULL)
print("held", flush=True)
time.sleep(float(sys.argv[3]))
"""


@pytest.fixture
def holder(tmp_path):
    """Start a process that holds the folder; a child of it keeps the lock for a while, as the JVM does."""
    started = []

    def hold(child_seconds, own_seconds):
        process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(tmp_path), str(child_seconds), str(own_seconds)], stdout=subprocess.PIPE
        )
        started.append(process)
        assert process.stdout.readline() == b"held\n"
        return process

    yield hold
    for process in started:
        process.kill()
        process.wait()


def test_a_live_process_is_named(tmp_path, holder):
    process = holder(child_seconds=3, own_seconds=60)
    with pytest.raises(folder_lock.FolderInUse, match=f"is in use by process {process.pid}:"):
        folder_lock.lock_folder(tmp_path)


def test_the_jvm_of_a_dead_process_is_waited_for(tmp_path, holder):
    holder(child_seconds=1, own_seconds=0).wait()
    os.close(folder_lock.lock_folder(tmp_path))


def test_a_free_folder_is_taken_again(tmp_path):
    for _ in range(2):
        os.close(folder_lock.lock_folder(tmp_path))
