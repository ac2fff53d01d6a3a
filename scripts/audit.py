"""
Known vulnerabilities of what is installed beside the Python that runs this. Ends with 0 if there are none, with 1 if
there are some, and with 3 if the service that knows them could not be asked about everything: that is no answer.
"""

import argparse
import json
import os
import subprocess
import sys
import venv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

TOOL = "pip-audit>=2.9,<3"
OURS = "dbt-lazyview"
NONE, SOME, NOT_ASKED = 0, 1, 3


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--may-be-offline", action="store_true", help="tell that nobody could be asked, and end with 0")
    arguments = parser.parse_args()
    verdict, told = judge(report(Path(sys.prefix) / "audit"))
    print(told)
    return NONE if verdict == NOT_ASKED and arguments.may_be_offline else verdict


def report(folder: Path) -> Mapping[str, Any] | None:
    """What the tool found, None if it got no answer; it has an environment of its own, to change nothing in ours."""
    if not folder.exists():
        venv.create(folder, with_pip=True)
    python = str(folder / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", TOOL], check=True)
    audited = {**os.environ, "PIPAPI_PYTHON_LOCATION": sys.executable}
    command = [python, "-m", "pip_audit", "--format", "json", "--progress-spinner", "off"]
    found = subprocess.run(command, env=audited, capture_output=True, text=True, check=False)
    if not found.stdout.strip():
        print(found.stderr, file=sys.stderr)
        return None
    return json.loads(found.stdout)


def judge(found: Mapping[str, Any] | None) -> tuple[int, str]:
    """The verdict, and its words. A package that the service does not know was not audited, whatever the tool says."""
    packages = [each for each in found["dependencies"] if each["name"] != OURS] if found else []
    bad = [f"{each['name']} {each['version']}: {flaw['id']}" for each in packages for flaw in each.get("vulns", ())]
    unknown = [each["name"] for each in packages if "skip_reason" in each]
    if bad:
        return SOME, "\n".join(["Known vulnerabilities:", *bad])
    if unknown or not packages:
        about = f"{len(unknown)} of {len(packages)} packages" if packages else "anything"
        return NOT_ASKED, f"NOT AUDITED: the service that knows vulnerabilities could not be asked about {about}."
    return NONE, f"{len(packages)} packages: no known vulnerability."


if __name__ == "__main__":
    sys.exit(main())
