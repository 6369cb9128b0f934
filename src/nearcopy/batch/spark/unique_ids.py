"""Naming: ids that come again, each with a name of its own."""

from collections.abc import Callable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from nearcopy.batch.spark.checkpoints import Stage, Work
from nearcopy.batch.spark.row_reader import Batches, row_number

RENAMED = "place long, name string, row long"


def rename_repeated_ids(work: Work, articles: DataFrame) -> Stage:
    """The rows whose id an earlier one has, "id#2", "id#3": place, name, row."""
    names = articles.where("id is not null").select("place", "id", "row")
    repeated = work.staged("again", lambda: _repeated_ids(names))
    return (
        repeated
        if not repeated.rows
        else work.staged("names", lambda: _make_unique(names, repeated.table))
    )


def _repeated_ids(names: DataFrame) -> DataFrame:
    """Rows that come again; two ids of one number are told apart as well."""
    many = names.groupBy("row").count().where("count > 1").select("row")
    order = Window.partitionBy("row").orderBy("place")
    repeated = names.join(many, "row").withColumn("n", F.row_number().over(order)).where("n > 1")
    new_ids = repeated.select(
        "place", F.concat("id", F.lit("#"), F.col("n").cast("string")).alias("id")
    )
    return new_ids.mapInArrow(_number_rows(), RENAMED)


def _make_unique(names: DataFrame, new_ids: DataFrame) -> DataFrame:
    """The new names; where a row has such a name already, it is made longer."""
    existing = names.select("row").distinct()
    while not (clash := new_ids.join(existing, "row", "left_semi")).isEmpty():
        longer = clash.select("place", F.concat("name", F.lit("#2")).alias("id"))
        unique = new_ids.join(existing, "row", "left_anti")
        new_ids = unique.union(longer.mapInArrow(_number_rows(), RENAMED))
    return new_ids


def _number_rows() -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    def number(batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = [row_number(name) for name in batch.column("id").to_pylist()]
            columns = [batch.column("place"), batch.column("id"), pa.array(rows, pa.int64())]
            yield pa.RecordBatch.from_arrays(columns, ["place", "name", "row"])

    return number


def with_unique_ids(articles: DataFrame, names: Stage) -> DataFrame:
    """The rows under the names they have here; those that are no articles are left out."""
    articles = articles.where("id is not null")
    if not names.rows:
        return articles
    new = names.table.withColumnRenamed("row", "new_row")
    both = articles.join(new, "place", "left")
    return (
        both.withColumn("id", F.coalesce("name", "id"))
        .withColumn("row", F.coalesce("new_row", "row"))
        .withColumn("odd", F.col("odd") | F.col("new_row").isNotNull())
        .drop("name", "new_row")
    )
