"""The project, loaded by dbt itself: a command asks its adapter inside one invocation of dbt."""

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, TypeVar

from dbt_lazyview.cli.screen import Screen

Answer = TypeVar("Answer")
PASSED_ON = ("project_dir", "profiles_dir", "profile", "target", "vars")


class Impossible(Exception):
    """A command that cannot be carried out, and why."""


def ask(options: Namespace, screen: Screen, question: Callable[[Any], Answer]) -> Answer:
    """Load the project as dbt does, and ask its adapter."""
    arguments = dbt_arguments(options)
    screen.progress("Loading the project …")
    from dbt.cli.main import dbtRunner

    from dbt_lazyview.adapter.answers import OPERATION, Question, asking

    asked = Question(question)
    with asking(asked), redirect_stdout(sys.stderr):
        result = dbtRunner().invoke(["run-operation", OPERATION, *arguments])
    screen.done()
    if isinstance(result.exception, KeyboardInterrupt):
        raise result.exception
    if asked.problem is not None:
        raise Impossible(words_of(asked.problem)) from asked.problem
    if not asked.is_answered:
        raise Impossible(why_not_loaded(result.exception)) from result.exception
    answer: Answer = asked.answer
    return answer


def dbt_arguments(options: Namespace) -> list[str]:
    """What dbt is told: where the project is, silence, and to leave the artifacts of the last run alone."""
    places = {"project_dir": project_folder(options), "profiles_dir": profiles_folder(options)}
    known = {**vars(options), **{name: str(folder) for name, folder in places.items()}}
    given = [(f"--{name.replace('_', '-')}", known.get(name)) for name in PASSED_ON]
    chosen = [word for option, value in given if value is not None for word in (option, value)]
    return [*chosen, "--log-level", "info" if options.verbose else "none", "--no-write-json", "--no-use-colors"]


def project_folder(options: Namespace) -> Path:
    """Where dbt_project.yml is: where the user says, or here, or above here."""
    told = options.project_dir or os.environ.get("DBT_PROJECT_DIR")
    folders = [Path(told)] if told else [Path.cwd(), *Path.cwd().parents]
    return _folder_with("dbt_project.yml", folders, "--project-dir", shown=folders[:1])


def profiles_folder(options: Namespace) -> Path:
    """Where profiles.yml is: where the user says, or where dbt looks for it, or in the project."""
    told = options.profiles_dir or os.environ.get("DBT_PROFILES_DIR")
    folders = [Path(told)] if told else [Path.cwd(), Path.home() / ".dbt", project_folder(options)]
    return _folder_with("profiles.yml", folders, "--profiles-dir", shown=folders)


def _folder_with(file: str, folders: Sequence[Path], option: str, shown: Sequence[Path]) -> Path:
    for folder in folders:
        if (folder / file).is_file():
            return folder
    looked = ", ".join(str(each) for each in dict.fromkeys(shown))
    raise Impossible(f"There is no {file} in {looked}. Say where it is: {option} FOLDER")


def why_not_loaded(problem: BaseException | None) -> str:
    """Why dbt did not come to ask the adapter."""
    from dbt_common.exceptions import UndefinedMacroError

    if isinstance(problem, UndefinedMacroError):
        return "The target of this project is not of `type: lazyview`. Choose another with --target."
    return words_of(problem) if problem is not None else "dbt could not load the project; --verbose shows why."


def words_of(problem: BaseException) -> str:
    return str(getattr(problem, "msg", None) or problem).strip() or type(problem).__name__
