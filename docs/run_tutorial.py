"""
Runs the tutorial: `python docs/run_tutorial.py` writes its files, runs its commands in a new folder, and rewrites what
stands between `<!-- run: <command> -->` and `<!-- end -->`, so that no page shows what no program printed.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).resolve().parent / "tutorial.md"
FILE = re.compile(r'```\w+ title="([^"]+)"\n(.*?)```\n', re.DOTALL)
RUN = re.compile(r"<!-- run: (.+?) -->\n(.*?)<!-- end -->\n", re.DOTALL)
RESULTS = re.compile(r"^\d\d:\d\d:\d\d  (.*(?: of \d+ (?:OK|PASS|ERROR|FAIL)|Done\.).*)$", re.MULTILINE)
TIMES = re.compile(r"\b\d+(?:\.\d+)? ?(?:s|min|h)\b(?: \d+ (?:s|min)\b)?")
COLORS = re.compile(r"\x1b\[[0-9;]*m")


def carried_out(page: str, folder: Path) -> str:
    """The page with what its commands print now; files and commands in the order of the page."""
    steps = sorted([*FILE.finditer(page), *RUN.finditer(page)], key=re.Match.start)
    done, at = [], 0
    for step in steps:
        done.append(page[at : step.start()])
        done.append(written(step, folder) if step.re is FILE else run(step.group(1), folder))
        at = step.end()
    return "".join([*done, page[at:]])


def written(step: re.Match[str], folder: Path) -> str:
    path = folder / step.group(1)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(step.group(2))
    return step.group()


def run(command: str, folder: Path) -> str:
    """The command and what it printed."""
    print(f"$ {command}", flush=True)
    scripts = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command} failed:\n{done.stdout}{done.stderr}")
    return f"<!-- run: {command} -->\n```console\n$ {command}\n{shown(done.stdout)}\n```\n<!-- end -->\n"


def shown(output: str) -> str:
    """
    What a reader wants to see: of dbt's log its result lines, of everything else all; no times, they are the machine's.

    Example:
        >>> print(shown("10:00:00  Running with dbt=1\\n10:00:01  1 of 1 OK created x [noop: nothing new in 1.25s]\\n"))
        1 of 1 OK created x [noop: nothing new in …]
        >>> print(shown("when   took    state\\n4 min  19.6 s  1.6 kB"))
        when   took    state
        …      …       1.6 kB
        >>> print(shown("shop.sales: equals its query, 1 min 3 s"))
        shop.sales: equals its query, …
    """
    plain = COLORS.sub("", output).strip()
    results = RESULTS.findall(plain)
    if results:
        return "\n".join(TIMES.sub("…", line.strip()) for line in results)
    padded = TIMES.sub(lambda found: "…".ljust(len(found.group())), plain)
    return "\n".join(line.rstrip() for line in padded.splitlines())


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        page = carried_out(PAGE.read_text(), Path(folder))
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
