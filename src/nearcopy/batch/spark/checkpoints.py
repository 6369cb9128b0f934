"""Checkpoints: every stage of a Spark job is a table in a folder that all machines can access.

An interrupted job is resumed behind the last complete stage. A stage records the one before it, so
that a stage made from something else is made again.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import StructType

from nearcopy.batch.local.column_files import read_json, write_json
from nearcopy.errors import BadCorpus

Note = dict[str, Any]


class HadoopNotes:
    """Notes on the cluster's file system, through the JVM of the driver."""

    def __init__(self, spark: SparkSession, folder: str) -> None:
        java: Any = spark._jvm
        self._java, self._folder = java, folder
        home = java.org.apache.hadoop.fs.Path(folder)
        self._files = home.getFileSystem(spark._jsc.hadoopConfiguration())

    def _path(self, name: str) -> Any:
        return self._java.org.apache.hadoop.fs.Path(f"{self._folder}/{name}")

    def read(self, name: str) -> Note | None:
        """The note of that name, if any."""
        path = self._path(f"{name}.json")
        if not self._files.exists(path):
            return None
        stream = self._files.open(path)
        try:
            text = self._java.org.apache.commons.io.IOUtils.toString(stream, "UTF-8")
        finally:
            stream.close()
        note: Note = json.loads(text)
        return note

    def write(self, name: str, note: Note) -> None:
        """Write a note atomically."""
        beside, path = self._path(f".{name}.part"), self._path(f"{name}.json")
        out = self._files.create(beside, True)
        out.write(bytearray(json.dumps(note).encode()))
        out.hsync()
        out.close()
        self._files.delete(path, False)
        self._files.rename(beside, path)

    def remove(self) -> None:
        """Remove the folder and all in it."""
        self._files.delete(self._java.org.apache.hadoop.fs.Path(self._folder), True)


def path_exists(spark: SparkSession, path: str) -> bool:
    """Whether a file or a folder exists."""
    if not hasattr(spark, "_jsc"):
        return Path(path).exists()
    java: Any = spark._jvm
    location = java.org.apache.hadoop.fs.Path(path)
    return bool(location.getFileSystem(spark._jsc.hadoopConfiguration()).exists(location))


class LocalNotes:
    """Notes on the local disk, for Spark Connect sessions, which have no JVM at hand."""

    def __init__(self, folder: str) -> None:
        if "://" in folder and not folder.startswith("file:"):
            raise BadCorpus(f"{folder} cannot be written from here: name a local folder")
        self._folder = Path(folder.removeprefix("file://"))

    def read(self, name: str) -> Note | None:
        """The note of that name, if any."""
        note: Note | None = read_json(self._folder / f"{name}.json")
        return note

    def write(self, name: str, note: Note) -> None:
        """Write a note atomically."""
        self._folder.mkdir(parents=True, exist_ok=True)
        write_json(self._folder / f"{name}.json", note)

    def remove(self) -> None:
        """Remove the folder and all in it."""
        shutil.rmtree(self._folder)


def open_notes(spark: SparkSession, folder: str) -> HadoopNotes | LocalNotes:
    """The small JSON files beside the tables in a folder."""
    return HadoopNotes(spark, folder) if hasattr(spark, "_jsc") else LocalNotes(folder)


class Stage(NamedTuple):
    """A table, the number of its rows, and one more measure."""

    table: DataFrame
    rows: int
    measure: int | None

    @property
    def signature(self) -> tuple[int, int | None]:
        """What distinguishes its rows from others."""
        return self.rows, self.measure


class Checkpoints:
    """The stages of one job."""

    def __init__(self, spark: SparkSession, folder: str, identity: Note) -> None:
        self.spark, self.folder = spark, folder.rstrip("/")
        self._notes = open_notes(spark, self.folder)
        earlier = self._notes.read("job")
        if earlier is not None and earlier != identity:
            raise BadCorpus(
                f"{folder} holds an interrupted job on other rows or with other settings: "
                "finish that, remove the folder, or name another"
            )
        if earlier is None:
            self._notes.write("job", identity)
        self._last = ""

    def table(self, name: str, make: Callable[[], DataFrame]) -> DataFrame:
        """The table of a stage, read if it is complete, else made."""
        return self.stage(name, make).table

    def stage(self, name: str, make: Callable[[], DataFrame], measure: str = "0") -> Stage:
        """The table of a stage with its row count; `measure` is an SQL aggregate."""
        self._describe_job(name)
        note = self._notes.read(name)
        if note is None or note["after"] != self._last or not self._is_complete(name, note):
            note = self._write_stage(name, make(), measure)
        self._last = note["id"]
        return Stage(self._table(name, note), note["rows"], note["measure"])

    def _describe_job(self, name: str) -> None:
        """Show the stage in Spark's web interface."""
        if hasattr(self.spark, "_jsc"):
            self.spark.sparkContext.setJobDescription(f"nearcopy: {name}")

    def _write_stage(self, name: str, table: DataFrame, measure: str) -> Note:
        observation = Observation()
        counts = (F.count("*").alias("rows"), F.expr(measure).alias("measure"))
        observed = table.observe(observation, *counts)
        observed.write.mode("overwrite").option("compression", "zstd").parquet(self._path(name))
        note: Note = {"after": self._last, "id": uuid4().hex, "schema": table.schema.json()}
        note |= observation.get
        self._notes.write(name, note)
        return note

    def _is_complete(self, name: str, note: Note) -> bool:
        from pyspark.errors import PySparkException

        try:
            return bool(self._table(name, note).count() == note["rows"])
        except PySparkException:  # it does not exist
            return False

    def _table(self, name: str, note: Note) -> DataFrame:
        schema = StructType.fromJson(json.loads(note["schema"]))
        return self.spark.read.schema(schema).parquet(self._path(name))

    def _path(self, name: str) -> str:
        return f"{self.folder}/{name}"
