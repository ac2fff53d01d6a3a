"""`lazyview manage`."""

import signal
import sys
from argparse import Namespace
from types import FrameType

from dbt_lazyview.cli.project import Impossible
from dbt_lazyview.cli.screen import Screen
from dbt_lazyview.maintenance.durations import seconds_of
from dbt_lazyview.manager.schedule import Rules
from dbt_lazyview.manager.service import Service, Settings

SIGNALS = (signal.SIGTERM, signal.SIGINT)


def run(options: Namespace, screen: Screen) -> bool:
    """Maintain views until a signal comes; whether some refresh failed."""
    service = Service(settings_of(options), sys.stdout)

    def stop(_number: int, _frame: FrameType | None) -> None:
        if service.stopping.is_set():
            raise KeyboardInterrupt  # somebody does not want to wait
        service.stop()

    def listen() -> None:
        """Again before each step: Spark takes the keyboard's signal for itself when it starts."""
        for number in SIGNALS:
            if signal.getsignal(number) is not stop:
                signal.signal(number, stop)

    listen()
    return not service.run(before_step=listen)


def settings_of(options: Namespace) -> Settings:
    return Settings(
        options,
        options.models or None,
        Rules(
            every=_seconds("every", options.every),
            patience=_seconds("patience", options.patience),
            combine=_seconds("combine", options.combine),
            share=options.budget / 100,
            settle=0.0 if options.once else _seconds("settle", options.settle),
        ),
        options.metrics_port,
        options.metrics_file,
        options.status_url,
        options.busy_above / 100,
        None if options.host_load is None else options.host_load / 100,
        options.once,
    )


def _seconds(name: str, text: str) -> float:
    try:
        return seconds_of(text)
    except ValueError as problem:
        raise Impossible(f"--{name}: {problem}") from problem
