"""The words of the command line."""

import argparse
from pathlib import Path

from dbt_lazyview import __version__

DESCRIPTION = "Look at the lazy views of a dbt project: what is stale, why, and whether it is right; and maintain them."
EXIT_CODES = """exit codes:
  0  fine
  1  something is as you asked to be told: stale beyond a limit, unequal to its query, worth changing
  2  it could not be done; standard error says why
"""


PlainText = argparse.RawDescriptionHelpFormatter


def parser() -> argparse.ArgumentParser:
    """All commands, and the options each of them takes."""
    found = argparse.ArgumentParser(
        prog="lazyview", description=DESCRIPTION, epilog=EXIT_CODES, formatter_class=PlainText
    )
    found.add_argument("--version", action="version", version=f"lazyview {__version__}")
    commands = found.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for add in (_status, _explain, _advise, _report, _verify, _manage):
        add(commands)
    return found


def _command(commands: argparse._SubParsersAction, name: str, summary: str, more: str = "") -> argparse.ArgumentParser:
    command = commands.add_parser(
        name, help=summary, description=summary[0].upper() + summary[1:] + ".", epilog=f"{more}\n{EXIT_CODES}".lstrip(),
        formatter_class=PlainText,
    )  # fmt: skip
    project = command.add_argument_group("as in dbt")
    project.add_argument("--project-dir", metavar="FOLDER", help="with dbt_project.yml; else this one, or one above")
    project.add_argument(
        "--profiles-dir", metavar="FOLDER", help="with profiles.yml; else this one, ~/.dbt, the project"
    )
    project.add_argument("--profile", metavar="NAME", help="the profile to use")
    project.add_argument("--target", "-t", metavar="NAME", help="the target of the profile")
    project.add_argument("--vars", metavar="YAML", help="variables of the project")
    screen = command.add_argument_group("what is shown")
    screen.add_argument("--json", action="store_true", help="JSON on standard output, and nothing else")
    screen.add_argument("--quiet", "-q", action="store_true", help="only what is wrong")
    screen.add_argument("--verbose", "-v", action="store_true", help="what dbt says, too, on standard error")
    return command


def _views(command: argparse.ArgumentParser) -> None:
    command.add_argument("models", nargs="*", metavar="VIEW", help="names of lazy views; all if left out")


def _status(commands: argparse._SubParsersAction) -> None:
    command = _command(commands, "status", "what is pending for each view, and what was done to it last")
    _views(command)
    command.add_argument("--max-age", metavar="TIME", help="exit 1 if a pending change is older: 90s, '15 min', 2h, 1d")
    command.add_argument("--max-pending-rows", metavar="ROWS", type=int, help="exit 1 if more changed rows are pending")


def _explain(commands: argparse._SubParsersAction) -> None:
    more = "example:\n  echo 'select count(*) as n from shop.orders' | lazyview explain\n"
    command = _command(commands, "explain", "how a view, or a query on standard input, is maintained", more)
    command.add_argument("model", nargs="?", metavar="VIEW", help="a lazy view, built or not; else read a query")


def _advise(commands: argparse._SubParsersAction) -> None:
    command = _command(commands, "advise", "what the history of each view suggests to change")
    _views(command)
    command.add_argument("--exit-code", action="store_true", help="exit 1 if there is something to change")


def _report(commands: argparse._SubParsersAction) -> None:
    command = _command(commands, "report", "write one HTML page with all of it, for any browser, without a network")
    _views(command)
    command.add_argument("--output", "-o", metavar="FILE", type=Path, default=Path("lazyview.html"))


def _verify(commands: argparse._SubParsersAction) -> None:
    summary = "compare views with their queries, over the versions of the sources that they stand for"
    command = _command(commands, "verify", summary)
    _views(command)
    command.add_argument("--sample", metavar="PERCENT", type=percent, help="compare only so many of the groups")
    command.add_argument("--seed", metavar="NUMBER", type=int, help="which groups; else others each time")
    command.add_argument("--rows", metavar="COUNT", type=count, default=5, help="rows to show of each side (5)")


def _manage(commands: argparse._SubParsersAction) -> None:
    summary = "refresh views in idle time, until a signal comes"
    command = _command(commands, "manage", summary, "Every decision is a line of JSON on standard output.\n")
    _views(command)
    command.add_argument("--every", metavar="TIME", default="5 s", help="how often to look (5 s)")
    command.add_argument("--budget", metavar="PERCENT", type=percent, default=50.0, help="of the time, at most (50%%)")
    command.add_argument("--patience", metavar="TIME", default="1 day", help="goal of views without one (1 day)")
    command.add_argument("--combine", metavar="TIME", default="5 s", help="let changes queue up for so long (5 s)")
    command.add_argument("--settle", metavar="TIME", default="1 min", help="quiet time before a view delta is applied")
    command.add_argument("--status-url", metavar="URL", help="UI of the Spark server, to see whether it is busy")
    command.add_argument(
        "--busy-above", metavar="PERCENT", type=percent, default=50.0, help="of its cores; then sleep (50%%)"
    )
    command.add_argument("--host-load", metavar="PERCENT", type=percent, help="sleep if this machine's load is above")
    command.add_argument("--metrics-port", metavar="PORT", type=int, help="on 127.0.0.1, for Prometheus")
    command.add_argument("--metrics-file", metavar="FILE", type=Path, help="the same as a file")
    command.add_argument("--once", action="store_true", help="stop when nothing is pending")


def percent(text: str) -> float:
    """
    A share of more than nothing.

    Example:
        >>> percent("2.5%"), percent("100")
        (2.5, 100.0)
    """
    found = float(text.removesuffix("%"))
    if not 0 < found <= 100:
        raise argparse.ArgumentTypeError("a percentage is more than 0 and at most 100")
    return found


def count(text: str) -> int:
    if int(text) < 0:
        raise argparse.ArgumentTypeError("a number of rows is not negative")
    return int(text)
