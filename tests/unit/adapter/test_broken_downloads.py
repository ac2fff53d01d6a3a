"""The first start on a machine downloads jars, and networks hiccup."""

import pytest

from dbt_lazyview.adapter.session import DOWNLOADS, after_broken_downloads


def launches(log, *told):
    """A launch that fails with one text in its log after the other, and then starts; and how often it was tried."""
    tried = []

    def launch():
        tried.append(True)
        if len(tried) > len(told):
            return "started"
        with log.open("a") as lines:
            lines.write(told[len(tried) - 1])
        raise RuntimeError("gateway exited")

    return launch, tried


def test_a_broken_download_is_tried_again(tmp_path):
    launch, tried = launches(tmp_path / "log", "[download failed: a.jar]", "[download failed: b.jar]")
    assert after_broken_downloads(tmp_path / "log", launch) == "started"
    assert len(tried) == 3


def test_it_ends_some_time(tmp_path):
    launch, tried = launches(tmp_path / "log", *["[download failed: a.jar]"] * 9)
    with pytest.raises(RuntimeError):
        after_broken_downloads(tmp_path / "log", launch)
    assert len(tried) == DOWNLOADS


def test_other_failures_are_told_at_once(tmp_path):
    (tmp_path / "log").write_text("[download failed: a.jar]")  # of an earlier start
    launch, tried = launches(tmp_path / "log", "unresolved dependency: not found")
    with pytest.raises(RuntimeError):
        after_broken_downloads(tmp_path / "log", launch)
    assert len(tried) == 1
