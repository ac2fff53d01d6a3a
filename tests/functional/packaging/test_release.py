"""What is published: the same bytes from the same checkout, and nothing that the index would refuse."""

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.in_process("builds wheels: no Spark")

ROOT = Path(__file__).parents[3]


def run(*command: object) -> str:
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def builds(tmp_path_factory) -> list[list[Path]]:
    """Wheel and source distribution, twice."""
    folders = [tmp_path_factory.mktemp(name) for name in ("one", "other")]
    for folder in folders:
        run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    return [sorted(folder.iterdir()) for folder in folders]


def test_builds_are_reproducible(builds):
    one, other = ([(each.name, hashlib.sha256(each.read_bytes()).hexdigest()) for each in files] for files in builds)
    assert [name.rsplit(".", 1)[1] for name, _ in one] == ["whl", "gz"]
    assert one == other


def test_the_index_would_take_them(builds):
    assert run(sys.executable, "-m", "twine", "check", "--strict", *builds[0]).count("PASSED") == 2
