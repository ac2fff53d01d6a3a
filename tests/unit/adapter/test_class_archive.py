"""Which archive of classes a start of Spark uses, and when one is written."""

import atexit
import os
import time
from pathlib import Path

import pytest

from dbt_lazyview.adapter import class_archive
from dbt_lazyview.adapter.class_archive import UNUSED_SECONDS, archive_of, forget_unused, use


@pytest.fixture
def jar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    jar = tmp_path / "spark.jar"
    jar.write_text("classes")
    return jar


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """What is to be done at the end of the run."""
    calls = list[tuple[object, ...]]()
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(atexit, "register", lambda *call: calls.append(call))
    return calls


def test_an_archive_is_of_one_java_and_of_jars_as_they_are(jar: Path, tmp_path: Path) -> None:
    before = archive_of(tmp_path, [str(jar)], "")
    assert before == archive_of(tmp_path, [str(jar)], "-Xmn1g")
    assert before != archive_of(tmp_path / "other", [str(jar)], "")
    jar.write_text("other classes")
    assert before != archive_of(tmp_path, [str(jar)], "")


@pytest.mark.parametrize("own", ["-Xshare:off", "-XX:SharedArchiveFile=own.jsa", "-XX:-UseSharedSpaces"])
def test_the_users_own_choice_counts(jar: Path, tmp_path: Path, own: str) -> None:
    assert archive_of(tmp_path, [str(jar)], own) is None


def test_a_jar_that_is_gone(jar: Path, tmp_path: Path) -> None:
    jar.unlink()
    assert archive_of(tmp_path, [str(jar)], "") is None


def test_what_is_not_there_is_written_after_the_run(tmp_path: Path, asked: list[tuple[object, ...]]) -> None:
    archive = tmp_path / "classes.jsa"
    assert use(archive, "delta") == ""
    assert asked == [(class_archive._begin_to_write, "delta")]


def test_nothing_is_written_where_machines_are_new_each_time(
    tmp_path: Path, asked: list[tuple[object, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    assert use(tmp_path / "classes.jsa", "delta") == ""
    assert not asked


def test_what_is_there_is_used(tmp_path: Path, asked: list[tuple[object, ...]]) -> None:
    archive = tmp_path / "classes.jsa"
    archive.write_text("classes")
    assert use(archive, "delta") == f'"-XX:SharedArchiveFile={archive}"'
    assert not asked


def test_a_java_that_wrote_none_is_not_asked_again(tmp_path: Path, asked: list[tuple[object, ...]]) -> None:
    archive = tmp_path / "classes.jsa"
    archive.touch()
    assert use(archive, "delta") == ""
    assert not asked


def test_unused_archives_go(tmp_path: Path) -> None:
    used, unused = tmp_path / "classes-1.jsa", tmp_path / "classes-2.jsa"
    for each in (used, unused):
        each.touch()
    long_ago = time.time() - UNUSED_SECONDS - 60
    os.utime(unused, (long_ago, long_ago))
    forget_unused(tmp_path)
    assert list(tmp_path.iterdir()) == [used]
