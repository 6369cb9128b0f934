"""Components: which rows are linked, directly or through others, by large stars and small stars.

In turn every node has its larger neighbours, and then its smaller ones, point to the smallest
(Kiveris and others, "Connected components in MapReduce and beyond", 2014). The rounds are few:
about the logarithm of the longest chain.
"""

from collections.abc import Callable
from itertools import count

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from nearcopy.batch.spark.checkpoints import Work

MARK = "bit_xor(xxhash64(a, b))"  # tells one set of edges from another


def connected_components(work: Work, links: DataFrame) -> DataFrame:
    """Each row that is linked, and the smallest row it is linked with: row, label."""
    larger, smaller = F.greatest("later", "earlier"), F.least("later", "earlier")
    edges = links.select(larger.alias("a"), smaller.alias("b")).where("a != b").distinct()
    stage = work.staged("links", _always(edges), MARK)
    for number in count(1):
        before = stage.marks
        stars = small_star(large_star(stage.table))
        stage = work.staged(f"round-{number:03d}", _always(stars), MARK)
        if stage.marks == before:
            break
    return _labels(stage.table)


def _always(table: DataFrame) -> Callable[[], DataFrame]:
    return lambda: table


def large_star(edges: DataFrame) -> DataFrame:
    """Larger neighbours of every node point to the smallest of its neighbours and itself."""
    both = edges.union(edges.select("b", "a"))
    least = both.groupBy("a").agg(F.least(F.min("b"), "a").alias("least"))
    larger = both.join(least, "a").where("b > a")
    return larger.select(F.col("b").alias("a"), F.col("least").alias("b")).distinct()


def small_star(edges: DataFrame) -> DataFrame:
    """Every node and its smaller neighbours point to the smallest of these."""
    least = edges.groupBy("a").agg(F.min("b").alias("least"))
    smaller = edges.join(least, "a").where("b != least").select("b", "least")
    return smaller.union(least.select("a", "least")).toDF("a", "b").distinct()


def _labels(edges: DataFrame) -> DataFrame:
    roots = edges.select(F.col("b").alias("row"), F.col("b").alias("label")).distinct()
    return edges.select(F.col("a").alias("row"), F.col("b").alias("label")).union(roots)
