"""Work: what is begun and not done, a stage a table, in a folder that all machines see.

Where a driver was stopped it goes on behind the last stage that is whole. A stage is known by the
one before it, so that what was made from something else is made anew.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from uuid import uuid4

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import StructType

from nearcopy.batch.local.durable import read_json, write_json
from nearcopy.errors import BadCorpus

Note = dict[str, Any]


class Notes(Protocol):
    """Small files beside the tables."""

    def read(self, name: str) -> Note | None:
        """What was noted under a name."""

    def write(self, name: str, note: Note) -> None:
        """Notes something; it is there whole, or not at all."""

    def remove(self) -> None:
        """Removes the folder with all that is in it."""


class HadoopNotes:
    """On whatever a cluster keeps its files, through the driver's own machine of Java."""

    def __init__(self, spark: SparkSession, folder: str) -> None:
        java: Any = spark._jvm
        self._java, self._folder = java, folder
        home = java.org.apache.hadoop.fs.Path(folder)
        self._files = home.getFileSystem(spark._jsc.hadoopConfiguration())

    def _path(self, name: str) -> Any:
        return self._java.org.apache.hadoop.fs.Path(f"{self._folder}/{name}")

    def read(self, name: str) -> Note | None:
        """What was noted under a name."""
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
        """Notes something; it is there whole, or not at all."""
        beside, path = self._path(f".{name}.part"), self._path(f"{name}.json")
        out = self._files.create(beside, True)
        out.write(bytearray(json.dumps(note).encode()))
        out.hsync()
        out.close()
        self._files.delete(path, False)
        self._files.rename(beside, path)

    def remove(self) -> None:
        """Removes the folder with all that is in it."""
        self._files.delete(self._java.org.apache.hadoop.fs.Path(self._folder), True)


def is_there(spark: SparkSession, path: str) -> bool:
    """Whether there is a file or a folder at a path."""
    if not hasattr(spark, "_jsc"):
        return Path(path).exists()
    java: Any = spark._jvm
    place = java.org.apache.hadoop.fs.Path(path)
    return bool(place.getFileSystem(spark._jsc.hadoopConfiguration()).exists(place))


class LocalNotes:
    """On this machine's disk, for sessions that have no machine of Java at hand."""

    def __init__(self, folder: str) -> None:
        if "://" in folder and not folder.startswith("file:"):
            raise BadCorpus(f"{folder} cannot be written to from here: name a folder of a disk")
        self._folder = Path(folder.removeprefix("file://"))

    def read(self, name: str) -> Note | None:
        """What was noted under a name."""
        note: Note | None = read_json(self._folder / f"{name}.json")
        return note

    def write(self, name: str, note: Note) -> None:
        """Notes something; it is there whole, or not at all."""
        self._folder.mkdir(parents=True, exist_ok=True)
        write_json(self._folder / f"{name}.json", note)

    def remove(self) -> None:
        """Removes the folder with all that is in it."""
        import shutil

        shutil.rmtree(self._folder)


def notes_in(spark: SparkSession, folder: str) -> Notes:
    """The notes of a folder."""
    local = not hasattr(spark, "_jsc")
    return LocalNotes(folder) if local else HadoopNotes(spark, folder)


class Stage(NamedTuple):
    """A table, how many rows it has, and what else was measured."""

    table: DataFrame
    rows: int
    mark: int | None

    @property
    def marks(self) -> tuple[int, int | None]:
        """What tells it from others."""
        return self.rows, self.mark


class Work:
    """The stages of one job."""

    def __init__(self, spark: SparkSession, folder: str, identity: Note) -> None:
        self.spark, self.folder = spark, folder.rstrip("/")
        self._notes = notes_in(spark, self.folder)
        begun = self._notes.read("job")
        if begun is not None and begun != identity:
            raise BadCorpus(
                f"{folder} holds work on other rows or with other settings: "
                "finish that, remove the folder, or name another"
            )
        if begun is None:
            self._notes.write("job", identity)
        self._last = ""

    def stage(self, name: str, make: Callable[[], DataFrame]) -> DataFrame:
        """What a stage has made: read where it is there and whole, else made now."""
        return self.staged(name, make).table

    def staged(self, name: str, make: Callable[[], DataFrame], mark: str = "0") -> Stage:
        """The same, with what was counted while it was made; `mark` is one more such measure."""
        self._describe_job(name)
        note = self._notes.read(name)
        if note is None or note["after"] != self._last or not self._whole(name, note):
            note = self._write_stage(name, make(), mark)
        self._last = note["made"]
        return Stage(self._table(name, note), note["rows"], note["mark"])

    def _describe_job(self, name: str) -> None:
        """Has Spark's own pages show what it is at."""
        if hasattr(self.spark, "_jsc"):
            self.spark.sparkContext.setJobDescription(f"nearcopy: {name}")

    def _write_stage(self, name: str, table: DataFrame, mark: str) -> Note:
        observation = Observation()
        watched = table.observe(observation, F.count("*").alias("rows"), F.expr(mark).alias("mark"))
        watched.write.mode("overwrite").option("compression", "zstd").parquet(self._path(name))
        note: Note = {"after": self._last, "made": uuid4().hex, "schema": table.schema.json()}
        note |= observation.get
        self._notes.write(name, note)
        return note

    def _whole(self, name: str, note: Note) -> bool:
        from pyspark.errors import PySparkException

        try:
            return bool(self._table(name, note).count() == note["rows"])
        except PySparkException:  # it is not there
            return False

    def _table(self, name: str, note: Note) -> DataFrame:
        schema = StructType.fromJson(json.loads(note["schema"]))
        return self.spark.read.schema(schema).parquet(self._path(name))

    def _path(self, name: str) -> str:
        return f"{self.folder}/{name}"
