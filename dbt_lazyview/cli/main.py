"""`lazyview`: reads the command, lets it work, and ends with its exit code."""

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from dbt_lazyview.cli.arguments import parser
from dbt_lazyview.cli.project import Impossible
from dbt_lazyview.cli.screen import Screen

FINE, FOUND, IMPOSSIBLE, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command."""
    options = parser().parse_args(arguments)
    screen = Screen(is_quiet=options.quiet)
    try:
        found = command_named(options.command)(options, screen)
        sys.stdout.flush()
        return FOUND if found else FINE
    except Impossible as problem:
        screen.complain(str(problem))
        return IMPOSSIBLE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE


def command_named(name: str) -> Callable[[Any, Screen], bool]:
    """The function `run` of a command: whether it found what it was asked to tell."""
    run: Callable[[Any, Screen], bool] = import_module(f"dbt_lazyview.cli.{name}").run
    return run


if __name__ == "__main__":
    sys.exit(main())
