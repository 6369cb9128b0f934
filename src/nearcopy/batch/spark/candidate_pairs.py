"""Candidate pairs on Spark: rows that share a blocking key.

Rows of a key are paired as in `nearcopy.batch.shared_keys`: with the rows just before them and the
first ones. A key with very many rows would be the work of one executor, so it is salted: its rows
are parted at some row numbers, each part with the rows it needs of earlier ones.
"""

from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from nearcopy.batch.shared_keys import (
    LEADING_ROWS,
    PRECEDING_ROWS,
    OversizedKeys,
    neighbour_positions,
)
from nearcopy.batch.spark.checkpoints import Checkpoints, Stage
from nearcopy.batch.spark.row_reader import Batches, to_batch
from nearcopy.match.candidate_index import (
    FEW_TITLE_KEYS,
    MIN_SCORE,
    STRONG_SCORE,
    TERM,
    TERM_SCORE,
    TITLE,
    TITLE_SCORE,
    candidate_limit,
    max_term_articles,
)
from nearcopy.match.eligibility import within_window

LARGEST_KEY = 100_000  # rows of a key that is not salted
SAMPLING_STEP = 64  # rows of which one is sampled to find such keys
GROUP = ("column", "key", "salt")
PAIR_SCHEMA = "later long, earlier long, weight int, column int, key long, size long"
COUNT_OVERSIZED = "count_if(later is null)"
Arrays = dict[str, NDArray[Any]]
Weigh = Callable[[Arrays, Any, Any], NDArray[np.int64]]


class PairLimits(NamedTuple):
    """How many rows each row is paired with, and how many rows of a key are not salted."""

    preceding: int = PRECEDING_ROWS
    largest_key: int = LARGEST_KEY
    window: timedelta | None = None
    partitions: int = 1

    @property
    def most(self) -> int:
        """How many rows of a key each row is compared with."""
        return self.preceding + LEADING_ROWS

    @property
    def part(self) -> int:
        """The approximate number of rows of a salted key in one partition.

        It is well above the number of rows that each is paired with.
        """
        return max(self.largest_key, 4 * self.preceding)


def pair_texts(checkpoints: Checkpoints, articles: DataFrame, limits: PairLimits) -> Stage:
    """Rows whose texts share a key; and, as records without rows, the oversized keys."""
    keys = articles.select("row", F.posexplode("keys").alias("column", "key")).where("key != 0")
    salted = _salt(checkpoints, keys, limits)
    pairs = _pair_rows(salted, limits, _no_weights)
    return checkpoints.stage("pairs", pairs.distinct, COUNT_OVERSIZED)


def pair_articles(
    checkpoints: Checkpoints, articles: DataFrame, count: int, limits: PairLimits
) -> Stage:
    """Rows whose shared keys of all kinds weigh enough, and the oversized keys."""
    kind = F.col("key").bitwiseAND(3)
    exploded = articles.select(
        "row", "title_keys", "published", "seen", F.explode("keys").alias("key")
    )
    keys = exploded.withColumn("column", F.when(kind % 2 == 0, 0).otherwise(kind))
    limit = candidate_limit(count)
    wide = limits._replace(preceding=limit)
    strong = _salt(checkpoints, keys.where(f"column != {TERM}"), wide)
    most = max_term_articles(count)
    terms = keys.where(f"column = {TERM}")
    common = terms.groupBy("key").count().where(f"count between 2 and {most}").drop("count")
    rare = _pair_rows(
        _unsalted(terms.join(common, "key")), limits._replace(preceding=most), _key_weights
    )
    pairs = _pair_rows(strong, wide, _key_weights).union(rare)
    size = F.max("size").alias("size")
    weighed = pairs.groupBy("later", "earlier", "column", "key").agg(
        F.sum("weight").alias("w"), size
    )
    enough = weighed.where(f"later is null or w >= {MIN_SCORE}")
    return checkpoints.stage(
        "pairs", lambda: enough.withColumnRenamed("w", "weight"), COUNT_OVERSIZED
    )


def rank_pairs(checkpoints: Checkpoints, pairs: DataFrame, limit: int) -> DataFrame:
    """The pairs with their rank by weight, where a row has more than `limit` pairs."""
    many = pairs.groupBy("later").count().where(f"count > {limit}")
    if many.isEmpty():
        return pairs.withColumn("place", F.lit(0))
    order = Window.partitionBy("later").orderBy(F.desc("weight"), "earlier")
    return checkpoints.table(
        "ranked_pairs", lambda: pairs.withColumn("place", F.row_number().over(order) - 1)
    )


def _unsalted(keys: DataFrame) -> DataFrame:
    return keys.withColumn("salt", F.lit(-1)).withColumn("fresh", F.lit(True))


def _pair_rows(keys: DataFrame, limits: PairLimits, weigh: Weigh) -> DataFrame:
    """The pairs of rows that share a key, and the oversized keys."""
    parted = keys.repartition(limits.partitions, *GROUP)
    ordered = parted.sortWithinPartitions(*GROUP, "row")
    return ordered.mapInArrow(partial(_pair_batches, limits, weigh), PAIR_SCHEMA)


def _salt(checkpoints: Checkpoints, keys: DataFrame, limits: PairLimits) -> DataFrame:
    """The keys, oversized ones in partitions; `fresh` marks the rows to be paired there."""
    hot, hot_count, _ = checkpoints.stage("hot_keys", lambda: _hot_keys(keys, limits))
    if not hot_count:
        return _unsalted(keys)
    salt = F.expr("size(filter(bounds, bound -> bound <= row))")
    oversized = keys.join(F.broadcast(hot), ["column", "key"]).withColumn("salt", salt)
    ordinary = keys.join(F.broadcast(hot), ["column", "key"], "left_anti")
    names = [*keys.columns, "salt", "fresh"]
    fresh = oversized.withColumn("fresh", F.lit(True)).select(*names)
    parts = fresh.union(
        _preceding_rows(oversized, limits).withColumn("fresh", F.lit(False)).select(*names)
    )
    return _unsalted(ordinary).select(*names).union(parts)


def _hot_keys(keys: DataFrame, limits: PairLimits) -> DataFrame:
    """Keys with more rows than one partition is to hold, and the first row of each part but one.

    Both are estimated from a sample.
    """
    share = max(1, min(SAMPLING_STEP, limits.part // 1000))
    sample = keys.where(F.col("row") % share == 0)
    counted = sample.groupBy("column", "key").count()
    parts = F.ceil(F.col("count") * share / limits.part).cast("int")
    hot = counted.withColumn("parts", parts).where("parts > 1")
    rows = sample.join(F.broadcast(hot), ["column", "key"]).groupBy("column", "key", "parts")
    ordered = rows.agg(F.sort_array(F.collect_list("row")).alias("rows"))
    bounds = "transform(sequence(1, parts - 1), n -> rows[cast(size(rows) * n / parts as int)])"
    return ordered.select("column", "key", F.expr(bounds).alias("bounds"))


def _preceding_rows(oversized: DataFrame, limits: PairLimits) -> DataFrame:
    """The rows that a partition of a salted key needs: the last before it, and the very first."""
    order = Window.partitionBy(*GROUP)
    from_end = F.row_number().over(order.orderBy(F.desc("row")))
    last = oversized.withColumn("n", from_end).where(f"n <= {limits.preceding}")
    last = last.where("salt < size(bounds)").withColumn("salt", F.col("salt") + 1)
    from_start = F.row_number().over(order.orderBy("row"))
    first = oversized.where("salt = 0").withColumn("n", from_start).where(f"n <= {LEADING_ROWS}")
    salts = F.explode(F.expr("sequence(1, size(bounds))"))
    first = first.withColumn("salt", salts)
    return last.union(first.select(*last.columns)).drop("n").distinct()


def _no_weights(_: Arrays, later: Any, __: Any) -> NDArray[np.int64]:
    return np.zeros(len(later), np.int64)


def _key_weights(rows: Arrays, later: Any, earlier: Any) -> NDArray[np.int64]:
    """The weight of the key that two rows share."""
    column = rows["column"][later]
    few = np.minimum(rows["title_keys"][later], rows["title_keys"][earlier]) <= FEW_TITLE_KEYS
    title = np.where(few, MIN_SCORE, TITLE_SCORE)
    weights: NDArray[np.int64] = np.where(
        column == TITLE, title, np.where(column == TERM, TERM_SCORE, STRONG_SCORE)
    )
    return weights


def _pair_batches(limits: PairLimits, weigh: Weigh, batches: Batches) -> Iterator[pa.RecordBatch]:
    """The pairs of rows that are sorted by key and row number."""
    carried, size = None, 0
    for batch in batches:
        rows = {
            name: batch.column(name).to_numpy(zero_copy_only=False) for name in batch.schema.names
        }
        if not batch.num_rows:
            continue
        if carried is not None:
            rows = {name: np.concatenate([carried[name], values]) for name, values in rows.items()}
        new = _group_starts(rows)
        for later, earlier in neighbour_positions(new, limits.preceding):
            yield from _pairs(rows, later, earlier, limits, weigh)
        (starts,) = np.nonzero(new)
        sizes = np.add.reduceat(rows["fresh"].astype(np.int64), starts)
        sizes[0] += size
        yield _oversized(rows, starts[:-1], sizes[:-1], limits)
        carried, size = _carried_rows(rows, int(starts[-1]), limits), int(sizes[-1])
    if carried is not None:
        yield _oversized(carried, np.zeros(1, np.int64), np.array([size]), limits)


def _group_starts(rows: Arrays) -> NDArray[np.bool_]:
    """Where another key begins."""
    new = np.ones(len(rows["row"]), np.bool_)
    new[1:] = False
    for name in GROUP:
        new[1:] |= rows[name][1:] != rows[name][:-1]
    return new


def _carried_rows(rows: Arrays, start: int, limits: PairLimits) -> Arrays:
    """The rows of the last key that following rows may be paired with."""
    count = len(rows["row"]) - start
    places = np.arange(start, start + count)
    if count > limits.most:
        places = np.concatenate([places[:LEADING_ROWS], places[-limits.preceding :]])
    kept = {name: values[places] for name, values in rows.items()}
    return kept | {"fresh": np.zeros(len(places), np.bool_)}


def _pairs(
    rows: Arrays, later: Any, earlier: Any, limits: PairLimits, weigh: Weigh
) -> Iterator[pa.RecordBatch]:
    fits = rows["fresh"][later] & (rows["row"][later] != rows["row"][earlier])
    if limits.window is not None and "published" in rows:
        later_times, earlier_times = (
            (rows["published"][places], rows["seen"][places]) for places in (later, earlier)
        )
        fits &= within_window(later_times, earlier_times, limits.window)
    later, earlier = later[fits], earlier[fits]
    if len(later):
        weights = weigh(rows, later, earlier)
        pairs = {"later": rows["row"][later], "earlier": rows["row"][earlier], "weight": weights}
        yield to_batch(PAIR_SCHEMA, pairs)


def _oversized(rows: Arrays, starts: Any, sizes: Any, limits: PairLimits) -> pa.RecordBatch:
    """Keys with more rows than are all compared; of salted keys each partition."""
    large = (sizes > limits.most + 1) | (rows["salt"][starts] >= 0)
    places = starts[large]
    keys = {name: rows[name][places] for name in ("column", "key")}
    # The salt distinguishes partitions of one size.
    return to_batch(PAIR_SCHEMA, {"earlier": rows["salt"][places], "size": sizes[large], **keys})


def count_oversized_keys(pairs: Stage, limits: PairLimits) -> OversizedKeys:
    """The oversized keys, as the local pipeline counts them."""
    if not pairs.measure:
        return OversizedKeys()
    keys = (
        pairs.table.where("later is null").groupBy("column", "key").agg(F.sum("size").alias("size"))
    )
    n, most = F.col("size").cast("decimal(20,0)"), limits.most
    skipped: Column = n * (n - 1) / 2 - (n - most - 1) * most - most * (most + 1) // 2
    columns = (
        keys.where(f"size > {most + 1}")
        .groupBy("column")
        .agg(F.count("*"), F.max("size"), F.sum(skipped).cast("decimal(38,0)"))
        .collect()
    )
    total = OversizedKeys()
    for _, count, largest, skipped_pairs in columns:
        total = total.combine(OversizedKeys(count, largest, int(skipped_pairs)))
    return total
