"""Groups of rows on Spark: the rows of one label, with their edges, converted in one call."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from nearcopy.batch.spark.row_reader import Batches, rows_to_batch

Rows = list[dict[str, Any]]


def edges_within(edges: DataFrame, labels: DataFrame) -> DataFrame:
    """The edges between rows of the same group, with its label."""
    label_of_later = labels.select(F.col("row").alias("later"), "label")
    label_of_earlier = labels.select(F.col("row").alias("earlier"), F.col("label").alias("other"))
    joined = edges.join(label_of_later, "later").join(label_of_earlier, "earlier")
    return joined.where("label = other").drop("other")


def map_groups(
    members: DataFrame,
    edges: DataFrame,
    convert: Callable[[Rows], Iterable[Sequence[Any]]],
    schema: str,
    partitions: int,
) -> DataFrame:
    """What `convert` returns for each group: for its members, and its edges, which have no row."""

    def convert_batches(batches: Batches) -> Iterator[pa.RecordBatch]:
        rows = (row for batch in batches for row in batch.to_pylist())
        for _, group in groupby(rows, itemgetter("label")):
            yield rows_to_batch(schema, convert(list(group)))

    grouped = members.unionByName(edges, allowMissingColumns=True)
    parted = grouped.repartition(partitions, "label").sortWithinPartitions("label", "row")
    return parted.mapInArrow(convert_batches, schema)


def number_members(rows: Rows) -> tuple[Rows, dict[int, int]]:
    """The members of a group sorted by id, and the position of each row."""
    members = sorted((row for row in rows if row["row"] is not None), key=lambda row: row["id"])
    return members, {row["row"]: place for place, row in enumerate(members)}
