"""What a piece of work costs Spark: seconds, jobs, rows and bytes."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

T = TypeVar("T")


@dataclass(frozen=True)
class Cost:
    """Of one piece of work."""

    seconds: float
    jobs: int
    rows_read: int
    bytes_read: int
    bytes_written: int

    def as_dict(self) -> dict[str, float]:
        return asdict(self)


class Meter:
    """Measures work on one Spark, which does nothing else meanwhile."""

    def __init__(self, session: SparkSession) -> None:
        self._context = session.sparkContext._jsc.sc()

    def cost(self, work: Callable[[], T]) -> tuple[T, Cost]:
        scheduler = self._context.dagScheduler()
        jobs, stages = scheduler.numTotalJobs(), scheduler.nextStageId()
        started = time.perf_counter()
        result = work()
        seconds = time.perf_counter() - started
        self._context.listenerBus().waitUntilEmpty()
        ran = [self._stage(number) for number in range(stages, scheduler.nextStageId())]
        sums = [sum(each[column] for each in ran) for column in range(3)]
        return result, Cost(round(seconds, 3), scheduler.numTotalJobs() - jobs, *sums)

    def _stage(self, number: int) -> tuple[int, int, int]:
        try:
            stage: Any = self._context.statusStore().lastStageAttempt(number)
        except Py4JJavaError:  # planned, and never run
            return 0, 0, 0
        return stage.inputRecords(), stage.inputBytes(), stage.outputBytes()
