"""
Find a Java that Spark 4.2 runs on. Needs the standard library only, so that the Makefile can ask it too:
`python -m dbt_lazyview.adapter.java` prints the home folder of one, or says what to type.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

SUPPORTED = (17, 21)

_USUAL_FOLDERS = (
    "/usr/lib/jvm/*",
    "/usr/java/*",
    "/opt/java/*",
    "/opt/jdk*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "/opt/homebrew/opt/openjdk@*/libexec/openjdk.jdk/Contents/Home",
    "/usr/local/opt/openjdk@*/libexec/openjdk.jdk/Contents/Home",
    "~/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "~/.sdkman/candidates/java/*",
    "~/.jdks/*",
    "~/.asdf/installs/java/*",
)

_ONE_COMMAND = (
    ("apt-get", "sudo apt-get update && sudo apt-get install -y openjdk-17-jre-headless"),
    ("dnf", "sudo dnf install -y java-21-openjdk-headless"),
    ("yum", "sudo yum install -y java-17-openjdk-headless"),
    ("zypper", "sudo zypper install -y java-17-openjdk-headless"),
    ("apk", "sudo apk add openjdk17-jre-headless"),
    ("pacman", "sudo pacman -S --noconfirm jre17-openjdk-headless"),
    ("brew", "brew install openjdk@17"),
)


class JavaNotFound(RuntimeError):
    """No Java 17 or 21 on this machine; the message says what to type."""


def find_java_home() -> Path:
    """The home folder of a Java 17 or 21: from JAVA_HOME, then PATH, then the platform's usual folders."""
    for home in _candidates():
        if java_version(home) in SUPPORTED:
            return home
    raise no_java(shutil.which)


def no_java(has: Callable[[str], object]) -> JavaNotFound:
    return JavaNotFound(f"Spark needs Java 17 or 21 and found none. {_what_to_type(has)}")


def java_version(home: Path) -> int | None:
    """The major version of the Java in that folder, or None if there is no usable one."""
    if not _executable(home).is_file():
        return None
    release = home / "release"
    return major_version(release.read_text(errors="replace") if release.is_file() else _ask(home))


def major_version(text: str) -> int | None:
    """
    Read the version out of a `release` file or of what `java -version` prints.

    Example:
        >>> major_version('JAVA_VERSION="17.0.15"'), major_version('openjdk version "21" 2023-09-19'), major_version("")
        (17, 21, None)
    """
    found = re.search(r'(?:JAVA_VERSION=|version )"(?:1\.)?(\d+)', text)
    return int(found.group(1)) if found else None


def _candidates() -> Iterator[Path]:
    if os.environ.get("JAVA_HOME"):
        yield Path(os.environ["JAVA_HOME"])
    on_path = shutil.which("java")
    if on_path:
        yield Path(on_path).resolve().parent.parent
    for pattern in _USUAL_FOLDERS:
        folder = Path(os.path.expanduser(pattern))
        yield from sorted(Path(folder.anchor).glob(str(folder.relative_to(folder.anchor))))


def _executable(home: Path) -> Path:
    return home / "bin" / ("java.exe" if os.name == "nt" else "java")


def _ask(home: Path) -> str:
    try:
        answer = subprocess.run([str(_executable(home)), "-version"], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stderr + answer.stdout


def _what_to_type(has: Callable[[str], object]) -> str:
    for tool, command in _ONE_COMMAND:
        if has(tool):
            return f"Type: {command}"
    if platform.system() == "Darwin":
        return "Install Homebrew, then type: brew install openjdk@17"
    return "Install a Java 17 runtime, or set JAVA_HOME to one."


def main() -> int:
    try:
        print(find_java_home())
    except JavaNotFound as missing:
        print(missing, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
