"""
The page docs/benchmarks/README.md and its plots, from the measured points alone.

    python -m benchmarks.page    # writes them anew
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks import page_papers, page_product, words
from benchmarks.reading import File, load_files
from benchmarks.targets import targets
from benchmarks.text import Written, table

NAME = "README.md"
FOLDER = Path(__file__).resolve().parent.parent / "docs" / "benchmarks"


def written(files: Mapping[float, File]) -> Written:
    """The page, and its plots by name."""
    parts = [
        Written(words.INTRODUCTION),
        Written(_measured_on(files)),
        Written(_targets(files)),
        *page_product.sections(files),
        *page_papers.sections(files),
    ]
    text = "\n".join(part.text.strip("\n") + "\n" for part in parts if part.text)
    return Written(text, {name: plot for part in parts for name, plot in part.plots.items()})


def write(folder: Path = FOLDER) -> None:
    """Write the page beside the files it is made of; plots that it has no more are deleted."""
    page = written(load_files(folder))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / NAME).write_text(page.text)
    for old in folder.glob("*.svg"):
        old.unlink()
    for name, plot in page.plots.items():
        (folder / name).write_text(plot)


def summary(folder: Path = FOLDER) -> str:
    """Targets and what was reached, for the screen."""
    rows = [(row.what, row.asked, row.reached, row.verdict.strip("*")) for row in targets(load_files(folder))]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join(lines)


def _measured_on(files: Mapping[float, File]) -> str:
    """A row for each day and machine."""
    rows = [row for scale, each in files.items() for row in _origins(scale, each)]
    return "## Measured on\n" + table(["points", "when", "machine", "versions"], rows) if rows else ""


def _origins(scale: float, file: File) -> Iterator[list[str]]:
    for number, each in enumerate(file["origins"]):
        sections = [told for name in file["points"] if (told := _measured_there(file, name, number))]
        if sections:
            machine, versions = each["machine"], each["versions"]
            where = (
                f"{machine['cores']} cores ({machine['processor']}), {machine['memory_gib']} GiB, {machine['system']}"
            )
            software = ", ".join(f"{name} {version}" for name, version in versions.items())
            points = f"[SF{scale:g}](sf{scale:g}.json): {', '.join(sections)}"
            yield [points, each["measured"], where, f"Python {machine['python']}, {software}"]


def _measured_there(file: File, section: str, origin: int) -> str:
    """A section, if any of its points were; how many, if not all of them."""
    origins = list(file["origin_of"][section].values())
    count = origins.count(origin)
    return section if count == len(origins) else f"{section} ({count} of {len(origins)})" if count else ""


def _targets(files: Mapping[float, File]) -> str:
    rows = [[row.what, row.asked, row.reached, row.verdict] for row in targets(files)]
    return "## Targets\n" + table(["what", "target", "reached", ""], rows)


if __name__ == "__main__":
    write()
