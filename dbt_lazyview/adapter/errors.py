"""Spark's error messages without the Java around them."""

import re

_STACK_FRAME = re.compile(r"^\s*(at [\w.$/]+[(]|\.\.\. \d+ (more|common frames))")
_PLAN_AFTER_POSITION = re.compile(r"(; line \d+ pos \d+);?\n.*", re.DOTALL)
_PREAMBLE = re.compile(r"^An error occurred while calling \S+\.\n: ")
_CAUSE = "Caused by: "


def readable(message: str) -> str:
    """
    Keep what was said and the innermost cause; drop stack traces and logical plans.

    Example:
        >>> print(readable("Job aborted.\\n\\tat org.X.f(X.scala:1)\\nCaused by: E: disk full\\n\\tat a.B.c(B.java:2)"))
        Job aborted.
        Caused by: E: disk full
    """
    text = _PLAN_AFTER_POSITION.sub(r"\1", _PREAMBLE.sub("", message).split("\nJVM stacktrace:")[0])
    lines = [line for line in text.splitlines() if line.strip() and not _STACK_FRAME.match(line)]
    said = [line for line in lines if not line.startswith(_CAUSE) and line != "Driver stacktrace:"]
    causes = [line for line in lines if line.startswith(_CAUSE)]
    return "\n".join([*said, *causes[-1:]])


def words_of(problem: Exception) -> str:
    """What a driver's exception says; a lost connection is told by the error inside it."""
    status = getattr(problem.args[0], "status", None) if problem.args else None
    words = str(getattr(status, "errorMessage", None) or getattr(problem, "msg", None) or problem)
    inner = getattr(problem, "inner", None)
    told = f"{words}: {inner}" if inner else words
    return told if told.strip() else type(problem).__name__
