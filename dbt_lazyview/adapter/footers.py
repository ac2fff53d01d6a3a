"""The footers of Parquet files: between which values a column lies, without reading a row."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from pyspark.sql import SparkSession

from dbt_lazyview.adapter.logs import java_class
from dbt_lazyview.maintenance.statistics import Ends


class Footers:
    """Of the files of one table."""

    def __init__(self, session: SparkSession, log: Any) -> None:
        self._folder, self._configuration = log.dataPath(), log.newDeltaHadoopConf()
        self._path = java_class(session, "org.apache.hadoop.fs.Path")
        self._file = java_class(session, "org.apache.parquet.hadoop.util.HadoopInputFile")
        self._reader = java_class(session, "org.apache.parquet.hadoop.ParquetFileReader")

    def ends(self, path: str, column: str) -> Iterator[Ends | None]:
        """The ends of a column, as texts, in each part of a file that has values in it; None where it is not told."""
        place = self._path(self._folder, unquote(path))  # the log writes paths as in the web
        reader = self._reader.open(self._file.fromPath(place, self._configuration))
        try:
            for block in _each(reader.getFooter().getBlocks()):
                yield from _in_block(block, column)
        finally:
            reader.close()


def _in_block(block: Any, column: str) -> Iterator[Ends | None]:
    found = [each for each in _each(block.getColumns()) if each.getPath().toDotString() == column]
    if not found:
        yield None
        return
    told = found[0].getStatistics()
    if told is not None and told.hasNonNullValue():
        yield told.minAsString(), told.maxAsString()
    elif told is None or told.getNumNulls() < found[0].getValueCount():  # NULLs alone have no ends
        yield None


def _each(found: Any) -> list[Any]:
    """What a list of Java holds. Python's own way to walk through it ends with an exception, which takes 10 ms."""
    return [found.get(number) for number in range(found.size())]
