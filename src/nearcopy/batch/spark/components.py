"""Connected components on Spark, by large-star/small-star (Kiveris et al., 2014)."""

from collections.abc import Callable
from itertools import count

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from nearcopy.batch.spark.checkpoints import Checkpoints

CHECKSUM = "bit_xor(xxhash64(a, b))"  # of a set of edges


def connected_components(checkpoints: Checkpoints, links: DataFrame) -> DataFrame:
    """Each linked row and the smallest row of its component: row, label."""
    larger, smaller = F.greatest("later", "earlier"), F.least("later", "earlier")
    edges = links.select(larger.alias("a"), smaller.alias("b")).where("a != b").distinct()
    stage = checkpoints.stage("links", _always(edges), CHECKSUM)
    for number in count(1):
        before = stage.signature
        stars = small_star(large_star(stage.table))
        stage = checkpoints.stage(f"round-{number:03d}", _always(stars), CHECKSUM)
        if stage.signature == before:
            break
    return _labels(stage.table)


def _always(table: DataFrame) -> Callable[[], DataFrame]:
    return lambda: table


def large_star(edges: DataFrame) -> DataFrame:
    """Link the larger neighbours of every node to the smallest of its neighbours and itself."""
    both = edges.union(edges.select("b", "a"))
    least = both.groupBy("a").agg(F.least(F.min("b"), "a").alias("least"))
    larger = both.join(least, "a").where("b > a")
    return larger.select(F.col("b").alias("a"), F.col("least").alias("b")).distinct()


def small_star(edges: DataFrame) -> DataFrame:
    """Link every node and its smaller neighbours to the smallest of these."""
    least = edges.groupBy("a").agg(F.min("b").alias("least"))
    smaller = edges.join(least, "a").where("b != least").select("b", "least")
    return smaller.union(least.select("a", "least")).toDF("a", "b").distinct()


def _labels(edges: DataFrame) -> DataFrame:
    roots = edges.select(F.col("b").alias("row"), F.col("b").alias("label")).distinct()
    return edges.select(F.col("a").alias("row"), F.col("b").alias("label")).union(roots)
