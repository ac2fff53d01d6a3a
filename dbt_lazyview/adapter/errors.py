"""Spark's error messages without the Java around them."""

import re

_STACK_FRAME = re.compile(r"^\s*(at [\w.$/<>]+[(]|\.\.\. \d+ (more|common frames)|Suppressed: )")
_PLAN_AFTER_POSITION = re.compile(r"(; line \d+ pos \d+);?\n.*", re.DOTALL)
_PREAMBLE = re.compile(r"^An error occurred while calling \S+\.\n: ")
# A thrift server says what went wrong after the name of its own exception, a code, and the name of Spark's exception.
_SERVER = re.compile(r"^(?:[\w.*:]*HiveSQLException:? ?)+(?:Error running query: )?(?:\[[\w.]+\] (?=[\w.$]+: ))?")
_EXCEPTION = re.compile(r"^[\w.$]+(?:Exception|Error): (?=\[)")
_CAUSE = "Caused by: "


def readable(message: str) -> str:
    """
    Keep what was said and the innermost cause; drop stack traces and logical plans.

    Example:
        >>> print(readable("Job aborted.\\n\\tat org.X.f(X.scala:1)\\nCaused by: E: disk full\\n\\tat a.B.c(B.java:2)"))
        Job aborted.
        Caused by: E: disk full
    """
    text = _PLAN_AFTER_POSITION.sub(r"\1", _without_server(_PREAMBLE.sub("", message)).split("\nJVM stacktrace:")[0])
    lines = [line for line in text.splitlines() if line.strip() and not _STACK_FRAME.match(line)]
    said = [line for line in lines if not line.startswith(_CAUSE) and line != "Driver stacktrace:"]
    causes = [line for line in lines if line.startswith(_CAUSE) and not _is_said(line, said)]
    return "\n".join([*said, *causes[-1:]])


def _without_server(message: str) -> str:
    """
    What a thrift server was told by Spark.

    Example:
        >>> _without_server("org.a.HiveSQLException: Error running query: [BAD.X] org.b.CException: [BAD.X] It is bad.")
        '[BAD.X] It is bad.'
        >>> _without_server("org.b.CException: [BAD.X] It is bad.")
        'org.b.CException: [BAD.X] It is bad.'
    """
    inside = _SERVER.sub("", message)
    return message if inside == message else _EXCEPTION.sub("", inside)


def _is_said(cause: str, said: list[str]) -> bool:
    """Whether the first line already ends with it."""
    return bool(said) and cause.removeprefix(_CAUSE).partition(": ")[2] == said[0]


def words_of(problem: Exception) -> str:
    """What a driver's exception says; a lost connection is told by the error inside it."""
    status = getattr(problem.args[0], "status", None) if problem.args else None
    words = str(getattr(status, "errorMessage", None) or getattr(problem, "msg", None) or problem)
    inner = getattr(problem, "inner", None)
    told = f"{words}: {inner}" if inner else words
    return told if told.strip() else type(problem).__name__
