"""What a piece of work costs Spark: seconds, jobs, rows and bytes."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
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
        self._jvm: Any = session.sparkContext._jvm

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

    def seconds(self, work: Callable[[], Any]) -> float:
        return self.cost(work)[1].seconds

    def memory(self) -> dict[str, float]:
        """What the driver may use, and the most it used so far: of its heap, and of the machine's memory in all."""
        runtime = self._jvm.java.lang.Runtime.getRuntime()
        process = self._jvm.java.lang.ProcessHandle.current().pid()
        return {"heap_limit_gib": _gib(runtime.maxMemory()), "resident_peak_gib": _gib(_resident_peak(process))}

    def _stage(self, number: int) -> tuple[int, int, int]:
        try:
            stage: Any = self._context.statusStore().lastStageAttempt(number)
        except Py4JJavaError:  # planned, and never run
            return 0, 0, 0
        return stage.inputRecords(), stage.inputBytes(), stage.outputBytes()


def _gib(count: int) -> float:
    return round(count / 2**30, 2)


def _resident_peak(process: int) -> int:
    """Bytes, by what Linux tells of a process; 0 elsewhere."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)
