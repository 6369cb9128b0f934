"""Naming: ids that come again, each with a name of its own."""

from collections.abc import Callable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from nearcopy.spark.reading import Batches, row_number
from nearcopy.spark.work import Stage, Work

RENAMED = "place long, name string, row long"


def renamed(work: Work, people: DataFrame) -> Stage:
    """The rows whose id an earlier one has, "id#2", "id#3": place, name, row."""
    names = people.where("id is not null").select("place", "id", "row")
    again = work.staged("again", lambda: _again(names))
    return again if not again.rows else work.staged("names", lambda: _free(names, again.table))


def _again(names: DataFrame) -> DataFrame:
    """Rows that come again; two ids of one number are told apart as well."""
    many = names.groupBy("row").count().where("count > 1").select("row")
    order = Window.partitionBy("row").orderBy("place")
    found = names.join(many, "row").withColumn("n", F.row_number().over(order)).where("n > 1")
    named = found.select("place", F.concat("id", F.lit("#"), F.col("n").cast("string")).alias("id"))
    return named.mapInArrow(_numbered(), RENAMED)


def _free(names: DataFrame, made: DataFrame) -> DataFrame:
    """The new names; where a row has such a name already, it is made longer."""
    taken = names.select("row").distinct()
    while not (clash := made.join(taken, "row", "left_semi")).isEmpty():
        longer = clash.select("place", F.concat("name", F.lit("#2")).alias("id"))
        others = made.join(taken, "row", "left_anti")
        made = others.union(longer.mapInArrow(_numbered(), RENAMED))
    return made


def _numbered() -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    def number(batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = [row_number(name) for name in batch.column("id").to_pylist()]
            columns = [batch.column("place"), batch.column("id"), pa.array(rows, pa.int64())]
            yield pa.RecordBatch.from_arrays(columns, ["place", "name", "row"])

    return number


def with_names(people: DataFrame, names: Stage) -> DataFrame:
    """The rows under the names they have here; those that are no articles are left out."""
    known = people.where("id is not null")
    if not names.rows:
        return known
    new = names.table.withColumnRenamed("row", "new_row")
    both = known.join(new, "place", "left")
    return (
        both.withColumn("id", F.coalesce("name", "id"))
        .withColumn("row", F.coalesce("new_row", "row"))
        .withColumn("odd", F.col("odd") | F.col("new_row").isNotNull())
        .drop("name", "new_row")
    )
