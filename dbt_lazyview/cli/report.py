"""`lazyview report`."""

import time
from argparse import Namespace
from pathlib import Path
from typing import Any

from dbt_lazyview.cli.project import Impossible, ask
from dbt_lazyview.cli.screen import Screen


def run(options: Namespace, screen: Screen) -> bool:
    """Write the page, or its document to standard output."""
    document = ask(options, screen, lambda adapter: collect(adapter, options.models, screen))
    if options.json:
        screen.json(document)
        return False
    write(options.output, document)
    if not screen.is_quiet:
        screen.line(f"Written: {options.output}")
    return False


def write(path: Path, document: dict[str, Any]) -> None:
    from dbt_lazyview.report.page import page

    try:
        path.write_text(page(document), encoding="utf-8")
    except OSError as problem:
        raise Impossible(f"{path} cannot be written: {problem.strerror}.") from problem


def collect(adapter: Any, models: list[str], screen: Screen) -> dict[str, Any]:
    """Everything that is known about the views."""
    from dbt_lazyview.report.document import Seen, document
    from dbt_lazyview.report.lineage import lineage

    nodes = adapter.lazy_views_named(models or None)
    statuses = {node.unique_id: status for node, status in adapter.statuses(nodes)}
    seen = []
    for number, (node, life) in enumerate(adapter.lives(nodes), start=1):
        name = f"{node.schema}.{node.alias}"
        screen.progress(f"{number} of {len(nodes)}: {name}")
        seen.append(Seen(node.unique_id, name, node.description, statuses[node.unique_id], life))
    config, manifest = adapter.config, adapter.get_macro_resolver()
    everything = {**manifest.nodes, **manifest.sources, **manifest.exposures}
    now = round(time.time() * 1000)
    return document(config.project_name, config.target_name, seen, lineage(nodes, everything), now)
