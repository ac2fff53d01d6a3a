"""What is shown: answers on standard output, all else on standard error; colours only where somebody sees them."""

import json
import os
import re
import sys
from typing import Any, TextIO

from dbt_lazyview.maintenance.status_report import Tone

COLORS = {Tone.HEADING: "1", Tone.FRESH: "32", Tone.PENDING: "33", Tone.WRONG: "31", Tone.DETAIL: "2"}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Screen:
    """The two outputs of a command."""

    def __init__(self, is_quiet: bool = False) -> None:
        self.is_quiet = is_quiet

    def line(self, text: str, tone: Tone | None = None) -> None:
        """A line of the answer."""
        print(painted(harmless(text), tone if has_colors(sys.stdout) else None))

    def json(self, document: Any) -> None:
        print(json.dumps(document, indent=2, default=str))

    def progress(self, text: str) -> None:
        """What is going on, for somebody who waits at a terminal; the next line takes its place."""
        if sys.stderr.isatty() and not self.is_quiet:
            print(f"\r\033[K{harmless(text)}", end="", file=sys.stderr, flush=True)

    def done(self) -> None:
        """Take the progress away."""
        self.progress("")

    def complain(self, text: str) -> None:
        self.done()
        print(painted(harmless(text), Tone.WRONG if has_colors(sys.stderr) else None), file=sys.stderr)


def has_colors(stream: TextIO) -> bool:
    """Whether somebody looks at it who wants colours: https://no-color.org"""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


def painted(text: str, tone: Tone | None) -> str:
    return f"\033[{COLORS[tone]}m{text}\033[0m" if tone else text


def harmless(text: str) -> str:
    """
    Text without what a terminal would obey; names and values come from anywhere.

    Example:
        >>> harmless("a\\x1b[31mb")
        'a\\\\x1b[31mb'
    """
    return _CONTROL.sub(lambda found: f"\\x{ord(found.group()):02x}", text)
