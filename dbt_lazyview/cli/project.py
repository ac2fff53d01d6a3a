"""The project, loaded by dbt itself: a command asks its adapter inside one invocation of dbt."""

import sys
from argparse import Namespace
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any, TypeVar

from dbt_lazyview.cli.screen import Screen

Answer = TypeVar("Answer")
PASSED_ON = ("project_dir", "profiles_dir", "profile", "target", "vars")


class Impossible(Exception):
    """A command that cannot be carried out, and why."""


def ask(options: Namespace, screen: Screen, question: Callable[[Any], Answer]) -> Answer:
    """Load the project as dbt does, and ask its adapter."""
    screen.progress("Loading the project …")
    from dbt.cli.main import dbtRunner

    from dbt_lazyview.adapter.answers import OPERATION, Question, asking

    asked = Question(question)
    with asking(asked), redirect_stdout(sys.stderr):
        result = dbtRunner().invoke(["run-operation", OPERATION, *dbt_arguments(options)])
    screen.done()
    if asked.problem is not None:
        raise Impossible(words_of(asked.problem)) from asked.problem
    if not asked.is_answered:
        raise Impossible(why_not_loaded(result.exception)) from result.exception
    answer: Answer = asked.answer
    return answer


def dbt_arguments(options: Namespace) -> list[str]:
    """
    What dbt is told: the user's choice of a project, silence, and to leave the artifacts of the last run alone.

    Example:
        >>> dbt_arguments(Namespace(target="prod", verbose=False))
        ['--target', 'prod', '--log-level', 'none', '--no-write-json', '--no-use-colors']
    """
    given = [(f"--{name.replace('_', '-')}", getattr(options, name, None)) for name in PASSED_ON]
    chosen = [word for option, value in given if value is not None for word in (option, value)]
    return [*chosen, "--log-level", "info" if options.verbose else "none", "--no-write-json", "--no-use-colors"]


def why_not_loaded(problem: BaseException | None) -> str:
    """Why dbt did not come to ask the adapter."""
    from dbt_common.exceptions import UndefinedMacroError

    if isinstance(problem, UndefinedMacroError):
        return "The target of this project is not of `type: lazyview`. Choose another with --target."
    return words_of(problem) if problem is not None else "dbt could not load the project; --verbose shows why."


def words_of(problem: BaseException) -> str:
    return str(getattr(problem, "msg", None) or problem).strip() or type(problem).__name__
