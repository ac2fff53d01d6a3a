"""What a piece of work costs the driver: time, jobs and tasks, and memory at its peak and kept."""

import time
from collections.abc import Callable
from typing import Any, TypeVar

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

T = TypeVar("T")
COLUMNS = ("seconds", "jobs", "tasks", "MB of driver at peak", "MB kept")
MEGABYTE = 1_000_000


class Driver:
    """Measures work on one Spark, which does nothing else meanwhile."""

    def __init__(self, session: SparkSession) -> None:
        self._context = session.sparkContext._jsc.sc()
        self._jvm: Any = session.sparkContext._jvm

    def cost(self, work: Callable[[], T]) -> tuple[T, dict[str, Any]]:
        scheduler = self._context.dagScheduler()
        jobs, stages = scheduler.numTotalJobs(), scheduler.nextStageId()
        before = self._kept()
        self._forget_peak()
        started = time.perf_counter()
        result = work()
        seconds = time.perf_counter() - started
        peak = self._peak()
        self._context.listenerBus().waitUntilEmpty()
        ran = [self._tasks(number) for number in range(stages, scheduler.nextStageId())]
        numbers = (seconds, scheduler.numTotalJobs() - jobs, sum(ran), peak, self._kept() - before)
        return result, {name: round(number, 2) for name, number in zip(COLUMNS, numbers, strict=True)}

    @staticmethod
    def heading() -> tuple[str, str]:
        words = ("", *COLUMNS, "applied by")
        return f"| {' | '.join(words)} |", f"|{'---|' * len(words)}"

    @staticmethod
    def line(name: str, point: dict[str, Any]) -> str:
        words = (name, *(f"{point[column]:,.4g}" for column in COLUMNS), point["strategy"])
        return f"| {' | '.join(words)} |"

    def _tasks(self, stage: int) -> int:
        try:
            return int(self._context.statusStore().lastStageAttempt(stage).numCompleteTasks())
        except Py4JJavaError:  # planned, and never run
            return 0

    def _kept(self) -> float:
        """Memory in use that nobody can throw away."""
        self._jvm.java.lang.System.gc()
        runtime = self._jvm.java.lang.Runtime.getRuntime()
        return float(runtime.totalMemory() - runtime.freeMemory()) / MEGABYTE

    def _pools(self) -> list[Any]:
        pools = self._jvm.java.lang.management.ManagementFactory.getMemoryPoolMXBeans()
        return [each for each in pools if each.getType().name() == "HEAP"]

    def _forget_peak(self) -> None:
        for pool in self._pools():
            pool.resetPeakUsage()

    def _peak(self) -> float:
        """An upper bound: garbage that was not collected counts, and the pools may peak at different moments."""
        return sum(float(each.getPeakUsage().getUsed()) for each in self._pools()) / MEGABYTE
