"""
Hooks of the site: pages that stand outside `docs/` are part of it, and links between files of the repository lead to
the pages made of them. What is no page is copied, so that a link to it works too.
"""

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    "README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}  # fmt: skip
COPIED = "checkout"  # where files that are no pages go
LINK = re.compile(r"(?<!!)\[([^\]\n]*)\]\(([^)\s:#]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages outside `docs/`, and every file that some page links to."""
    for source, page in PAGES.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    for path in sorted({target for file in files.documentation_pages() for target in _targets(file)}):
        if site_path(path).startswith(COPIED) and (ROOT / path).is_file():
            files.append(File.generated(config, site_path(path), abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links as they lead from page to page."""
    return LINK.sub(lambda link: _led(link, repository_path(page.file.src_uri), page.file.src_uri), markdown)


def repository_path(page: str) -> str:
    """
    The file that a page is made of.

    Example:
        >>> repository_path("index.md"), repository_path("operators/scan.md")
        ('README.md', 'docs/operators/scan.md')
    """
    outside = {made: source for source, made in PAGES.items()}
    return outside.get(page, f"docs/{page}")


def site_path(path: str) -> str:
    """
    Where a file of the repository is in the site; a folder is its README.

    Example:
        >>> site_path("docs/limits.md"), site_path("SECURITY.md"), site_path("docs/operators"), site_path("tests/a.sql")
        ('limits.md', 'security.md', 'operators/README.md', 'checkout/tests/a.sql.txt')
    """
    if (ROOT / path).is_dir():
        path = f"{path}/README.md"
    if path in PAGES:
        return PAGES[path]
    if path.startswith("docs/") and not path.endswith(".py"):
        return path.removeprefix("docs/")
    return f"{COPIED}/{path}.txt"


def _targets(file: File) -> list[str]:
    source = repository_path(file.src_uri)
    return [_resolved(link.group(2), source) for link in LINK.finditer((ROOT / source).read_text())]


def _resolved(target: str, source: str) -> str:
    """The path in the repository that a link in a file leads to."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), target))


def _led(link: re.Match[str], source: str, page: str) -> str:
    words, target, anchor = link.groups()
    path = _resolved(target, source)
    made_of = site_path(path)
    if (ROOT / path).is_dir() and not (ROOT / path / "README.md").is_file():
        return words  # a folder without a page
    return f"[{words}]({posixpath.relpath(made_of, posixpath.dirname(page) or '.')}{anchor or ''})"
