"""`lazyview advise`."""

from argparse import Namespace
from typing import Any

from dbt_lazyview.cli.project import ask
from dbt_lazyview.cli.screen import Screen
from dbt_lazyview.maintenance.advise import Advice, advise
from dbt_lazyview.maintenance.status_report import Tone


def run(options: Namespace, screen: Screen) -> bool:
    """Show what histories suggest; whether they suggest anything, if that was asked."""
    found = ask(options, screen, lambda adapter: advice(adapter, options.models))
    if options.json:
        screen.json([{"view": view, "advice": [vars(each) for each in told]} for view, told in found.items()])
    else:
        show(found, screen)
    return bool(options.exit_code) and any(found.values())


def advice(adapter: Any, models: list[str]) -> dict[str, list[Advice]]:
    views = adapter.lazy_views_named(models or None)
    lives = ((f"{node.schema}.{node.alias}", life) for node, life in adapter.lives(views))
    return {view: advise(life) if life else [] for view, life in lives}


def show(found: dict[str, list[Advice]], screen: Screen) -> None:
    for view, told in found.items():
        for each in told:
            screen.line(f"{view}: {each.what}", Tone.PENDING)
            screen.line(f"  because {each.why}", Tone.DETAIL)
        if not told and not screen.is_quiet:
            screen.line(f"{view}: nothing to change")
