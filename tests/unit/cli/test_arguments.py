"""The words of the command line, and the exit codes for what cannot be done."""

import io
import re
from importlib import import_module
from pathlib import Path

import pytest

from dbt_lazyview.cli import main as cli
from dbt_lazyview.cli.arguments import parser
from dbt_lazyview.cli.project import Impossible, dbt_arguments


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with its profiles, and the folder of somebody who has none at home."""
    for name in ("DBT_PROJECT_DIR", "DBT_PROFILES_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    folder = tmp_path / "project"
    (folder / "models").mkdir(parents=True)
    (folder / "dbt_project.yml").touch()
    (folder / "profiles.yml").touch()
    monkeypatch.chdir(tmp_path)
    return folder


def test_options_of_dbt_are_passed_on(project):
    words = ["status", "a", "b", "--project-dir", "project", "--profiles-dir", "project", "-t", "prod", "--vars", "{}"]
    options = parser().parse_args(words)
    assert options.models == ["a", "b"]
    told = dbt_arguments(options)
    assert told[:8] == [
        "--project-dir", "project", "--profiles-dir", "project", "--target", "prod", "--vars", "{}",
    ]  # fmt: skip
    assert told[-4:] == ["--log-level", "none", "--no-write-json", "--no-use-colors"]


def test_dbt_speaks_only_when_asked(project):
    assert "info" in dbt_arguments(parser().parse_args(["advise", "--verbose", "--project-dir", "project"]))


def test_the_project_is_found_from_below(project, monkeypatch):
    monkeypatch.chdir(project / "models")
    told = dbt_arguments(parser().parse_args(["status"]))
    assert told[:4] == ["--project-dir", str(project), "--profiles-dir", str(project)]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["status"], "There is no dbt_project.yml in {here}. Say where it is: --project-dir FOLDER"),
        (["status", "--project-dir", "project", "--profiles-dir", "x"], "There is no profiles.yml in x."),
    ],
)
def test_no_project(words, said, project, tmp_path, capsys):
    assert cli.main(words) == cli.IMPOSSIBLE
    assert said.format(here=tmp_path) in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [[], ["refresh"], ["verify", "--sample", "0"], ["verify", "--sample", "101"], ["verify", "--rows", "-1"]]
)
def test_unknown_words_are_refused(words, capsys):
    with pytest.raises(SystemExit) as refused:
        parser().parse_args(words)
    assert refused.value.code == cli.IMPOSSIBLE
    assert "usage: lazyview" in capsys.readouterr().err


@pytest.mark.parametrize(("found", "code"), [(True, cli.FOUND), (False, cli.FINE)])
def test_exit_code_of_what_was_found(found, code, monkeypatch):
    monkeypatch.setattr(cli, "command_named", lambda name: lambda options, screen: found)
    assert cli.main(["status"]) == code


def test_what_cannot_be_done_is_said_on_standard_error(monkeypatch, capsys):
    def refuse(options, screen):
        raise Impossible("No lazy view is called x.")

    monkeypatch.setattr(cli, "command_named", lambda name: refuse)
    assert cli.main(["status", "x", "--json"]) == cli.IMPOSSIBLE
    assert capsys.readouterr() == ("", "No lazy view is called x.\n")


def test_a_length_of_time_that_is_none(capsys):
    assert cli.main(["status", "--max-age", "soon"]) == cli.IMPOSSIBLE
    assert "soon is not a length of time" in capsys.readouterr().err


@pytest.mark.parametrize(("typed", "said"), [("", "There is no query on standard input."), (";", "There is no query")])
def test_explain_without_a_query(typed, said, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert cli.main(["explain"]) == cli.IMPOSSIBLE
    assert said in capsys.readouterr().err


def test_the_command_is_installed_under_its_name():
    project = (Path(__file__).parents[3] / "pyproject.toml").read_text()
    module, function = re.search(r'^lazyview = "([\w.]+):(\w+)"$', project, re.MULTILINE).groups()
    assert getattr(import_module(module), function) is cli.main
