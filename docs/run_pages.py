"""
Runs the pages: `python docs/run_pages.py` writes the files of the tutorial, runs its commands and then those of the
pages after it in a new folder, and rewrites what they printed, so that no page shows what no program printed:

    <!-- run: <command> --> … <!-- end -->     what it prints
    <!-- fails: <command> --> … <!-- end -->   the same of a command that has to fail, with its exit code
    <!-- do: <command> -->                     nothing is shown of it
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent
PAGES = [DOCS / name for name in ("tutorial.md", "operations.md", "command-line.md", "manager.md")]
FILE = re.compile(r'```\w+ title="([^"]+)"\n(.*?)```\n', re.DOTALL)
COMMAND = re.compile(r"<!-- do: (.+?) -->\n")
SHOWN = re.compile(r"<!-- (run|fails): (.+?) -->\n.*?<!-- end -->\n", re.DOTALL)
LOGGED = re.compile(r"^\d\d:\d\d:\d\d ? ?(.*)$")
RESULTS = re.compile(r" of \d+ (?:OK|PASS|ERROR|FAIL)|Done\.")
PREAMBLE = re.compile(r"Running with dbt=|Registered adapter:|Found \d|Starting Spark|Concurrency:|, after \d.*: |^$")
TIMES = re.compile(r"\b\d+(?:\.\d+)? ?(?:s|min|h)\b(?: \d+ (?:s|min)\b)?")
IN_COLUMNS = re.compile(f"(?:{TIMES.pattern})(?=  )")
MOMENTS = re.compile(r'"\d{4}-\d\d-\d\dT[^"]+"|(?<=seconds": )[-\d.]+')
COLORS = re.compile(r"\x1b\[[0-9;]*m")


def carried_out(page: str, folder: Path) -> str:
    """The page with what its commands print now; files and commands in the order of the page."""
    steps = sorted([found for each in (FILE, COMMAND, SHOWN) for found in each.finditer(page)], key=re.Match.start)
    done, at = [], 0
    for step in steps:
        done += [page[at : step.start()], _carried_out(step, folder)]
        at = step.end()
    return "".join([*done, page[at:]])


def _carried_out(step: re.Match[str], folder: Path) -> str:
    if step.re is FILE:
        return written(step, folder)
    if step.re is SHOWN:
        return run(step.group(1), step.group(2), folder)
    output(step.group(1), folder)
    return step.group()


def written(step: re.Match[str], folder: Path) -> str:
    path = folder / step.group(1)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(step.group(2))
    return step.group()


def run(how: str, command: str, folder: Path) -> str:
    """The command and what it printed."""
    code, printed = output(command, folder, fails=how == "fails")
    told = f"\n$ echo $?\n{code}" if how == "fails" else ""
    return f"<!-- {how}: {command} -->\n```console\n$ {command}\n{shown(printed)}{told}\n```\n<!-- end -->\n"


def output(command: str, folder: Path, fails: bool = False) -> tuple[int, str]:
    """The exit code, and what is seen at a terminal."""
    print(f"$ {command}", flush=True)
    scripts = str(Path(sys.executable).parent)
    environment = {
        **os.environ,
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
        "NO_COLOR": "1",
        "COLUMNS": "120",
    }
    seen = subprocess.STDOUT if fails else subprocess.PIPE
    done = subprocess.run(
        command, shell=True, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=seen, text=True
    )
    if bool(done.returncode) is not fails:
        sys.exit(f"{command} {'should have failed' if fails else 'failed'}:\n{done.stdout}{done.stderr or ''}")
    return done.returncode, done.stdout.replace(str(folder), "shop")


def shown(output: str) -> str:
    """
    What a reader wants to see: of dbt's log its result lines, or else what an operation says; of everything else all;
    no times, they are the machine's.

    Example:
        >>> print(shown("10:00:00  Running with dbt=1\\n10:00:01  1 of 1 OK created x [noop: nothing new in 1.25s]\\n"))
        1 of 1 OK created x [noop: nothing new in …]
        >>> print(shown("10:00:00  Running with dbt=1\\n10:00:01  1 of 2 shop.sales: noop, 0.3 s\\n"))
        1 of 2 shop.sales: noop, …
        >>> print(shown("when   took    state\\n4 min  19.6 s  1.6 kB"))
        when   took    state
        …      …       1.6 kB
        >>> print(shown("shop.sales: equals its query, 1 min 3 s"))
        shop.sales: equals its query, …
        >>> print(shown('{"at": "2026-11-01T04:00:05.120+00:00", "seconds": 1.9, "commits": 7}'))
        {"at": …, "seconds": …, "commits": 7}
    """
    lines = [line.rstrip() for line in COLORS.sub("", output).strip().splitlines()]
    logged = [LOGGED.sub(r"\1", line) for line in lines if not _is_preamble(line)]
    results = [line for line in logged if RESULTS.search(line)]
    if results:
        return "\n".join(TIMES.sub("…", line.strip()) for line in results)
    return "\n".join(map(without_times, logged)).strip()


def _is_preamble(line: str) -> bool:
    found = LOGGED.match(line)
    return found is not None and PREAMBLE.search(found.group(1).strip()) is not None


def without_times(line: str) -> str:
    """
    A line without times, in columns as wide as they were; but for those that are examples.

    Example:
        >>> without_times("write for example 90 s, 15 min, 2 hours or 1 day.")
        'write for example 90 s, 15 min, 2 hours or 1 day.'
    """
    if "for example" in line:
        return line
    in_columns = IN_COLUMNS.sub(lambda found: "…".ljust(len(found.group())), line)
    return MOMENTS.sub("…", TIMES.sub("…", in_columns)).rstrip()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for page in PAGES:
            page.write_text(carried_out(page.read_text(), Path(folder)))


if __name__ == "__main__":
    main()
