"""Pairing: rows that have a key in common, on many machines.

Under a key rows are put beside each other as `corpus.sharing` does it: with those just before them
and the first ones. A key that very many share would be the work of one machine alone, so its rows
are salted: parted by their numbers, each part with what it needs of the parts before it.
"""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from nearcopy.batch.local.shared_keys import BEFORE, FIRST, OversizedKeys, neighbour_places
from nearcopy.batch.local.text_relations import near_in_time
from nearcopy.batch.spark.checkpoints import Stage, Work
from nearcopy.batch.spark.row_reader import Batches
from nearcopy.match.candidate_index import (
    ENOUGH,
    FEW_OF_TITLE,
    OF_TERM,
    OF_TITLE,
    STRONG,
    TERM,
    TITLE,
    most_candidates,
    most_under_term,
)

CROWD = 100_000  # rows under a key that one machine goes through
SAMPLED = 64  # of so many rows one is looked at to find such keys
GROUP = ("column", "key", "salt")
ROW_BITS = 63
PAIR_SCHEMA = "later long, earlier long, weight int, column int, key long, size long"
COUNT_OVERSIZED = "count_if(later is null)"
Arrays = dict[str, NDArray[Any]]


class Bounds(NamedTuple):
    """How many rows are put beside each, and how many under a key are one machine's work."""

    before: int = BEFORE
    crowd: int = CROWD
    window: timedelta | None = None
    partitions: int = 1

    @property
    def most(self) -> int:
        """How many of a key each row is compared with."""
        return self.before + FIRST

    @property
    def part(self) -> int:
        """How many rows of a crowded key are gone through together, at most, about.

        Half of them, which there may be, are more than are put beside each by far.
        """
        return max(self.crowd, 4 * self.before)


def pairs_by_text(work: Work, articles: DataFrame, bounds: Bounds) -> Stage:
    """Rows whose texts share a key; and, without rows, the keys that are crowded."""
    keys = articles.select("row", F.posexplode("keys").alias("column", "key")).where("key != 0")
    salted = _salt(work, keys, bounds)
    pairs = _sort_by_key(salted, bounds).mapInArrow(_pair_batches(bounds, _no_weights), PAIR_SCHEMA)
    return work.staged("pairs", pairs.distinct, COUNT_OVERSIZED)


def pairs_by_all(work: Work, articles: DataFrame, count: int, bounds: Bounds) -> Stage:
    """Rows that share enough keys of all kinds, as shelves weigh them; and the crowded keys."""
    kind = F.col("key").bitwiseAND(3)
    exploded = articles.select("row", "titled", "published", "seen", F.explode("keys").alias("key"))
    keys = exploded.withColumn("column", F.when(kind % 2 == 0, 0).otherwise(kind))
    limit = most_candidates(count)
    strong = _salt(work, keys.where(f"column != {TERM}"), bounds._replace(before=limit))
    wide = bounds._replace(before=limit)
    pairs = _sort_by_key(strong, bounds).mapInArrow(_pair_batches(wide, _key_weights), PAIR_SCHEMA)
    most = most_under_term(count)
    terms = keys.where(f"column = {TERM}")
    common = terms.groupBy("key").count().where(f"count between 2 and {most}").drop("count")
    rare = _unsalted(terms.join(common, "key"))
    all_under = bounds._replace(before=most)
    pairs = pairs.union(
        _sort_by_key(rare, bounds).mapInArrow(_pair_batches(all_under, _key_weights), PAIR_SCHEMA)
    )
    size = F.max("size").alias("size")
    weighed = pairs.groupBy("later", "earlier", "column", "key").agg(
        F.sum("weight").alias("w"), size
    )
    enough = weighed.where(f"later is null or w >= {ENOUGH}")
    return work.staged("pairs", lambda: enough.withColumnRenamed("w", "weight"), COUNT_OVERSIZED)


def strongest(work: Work, pairs: DataFrame, limit: int) -> DataFrame:
    """The pairs, but of each row no more than so many, those that share the most."""
    many = pairs.groupBy("later").count().where(f"count > {limit}")
    if many.isEmpty():
        return pairs.withColumn("place", F.lit(0))
    order = Window.partitionBy("later").orderBy(F.desc("weight"), "earlier")
    return work.stage(
        "strongest", lambda: pairs.withColumn("place", F.row_number().over(order) - 1)
    )


def _unsalted(keys: DataFrame) -> DataFrame:
    return keys.withColumn("salt", F.lit(-1)).withColumn("fresh", F.lit(True))


def _sort_by_key(keys: DataFrame, bounds: Bounds) -> DataFrame:
    parted = keys.repartition(bounds.partitions, *GROUP)
    return parted.sortWithinPartitions(*GROUP, "row")


def _salt(work: Work, keys: DataFrame, bounds: Bounds) -> DataFrame:
    """The keys, those that are crowded in parts; `fresh` is what is to be paired there."""
    hot, hot_count, _ = work.staged("hot", lambda: _hot(keys, bounds))
    if not hot_count:
        return _unsalted(keys)
    salt = F.expr(f"cast(shiftright(row, {ROW_BITS} - bits) as int)")
    crowded = keys.join(F.broadcast(hot), ["column", "key"]).withColumn("salt", salt)
    ordinary = keys.join(F.broadcast(hot), ["column", "key"], "left_anti")
    names = [*keys.columns, "salt", "fresh"]
    fresh = crowded.withColumn("fresh", F.lit(True)).select(*names)
    parts = fresh.union(_before(crowded, bounds).withColumn("fresh", F.lit(False)).select(*names))
    return _unsalted(ordinary).select(*names).union(parts)


def _hot(keys: DataFrame, bounds: Bounds) -> DataFrame:
    """Keys that more rows have than one machine is to go through, judged by some of the rows."""
    share = max(1, min(SAMPLED, bounds.part // 1000))
    counted = keys.where(F.col("row") % share == 0).groupBy("column", "key").count()
    parts = F.ceil(F.log2(F.col("count") * share / bounds.part)).cast("int")
    return counted.withColumn("bits", parts).where("bits > 0").drop("count")


def _before(crowded: DataFrame, bounds: Bounds) -> DataFrame:
    """What each part of a crowded key needs of those before: the last rows, and the very first."""
    order = Window.partitionBy(*GROUP)
    from_end = F.row_number().over(order.orderBy(F.desc("row")))
    last = crowded.withColumn("n", from_end).where(f"n <= {bounds.before}")
    last = last.where("salt < shiftleft(1, bits) - 1").withColumn("salt", F.col("salt") + 1)
    from_start = F.row_number().over(order.orderBy("row"))
    first = crowded.where("salt = 0").withColumn("n", from_start).where(f"n <= {FIRST}")
    salts = F.explode(F.expr("sequence(1, shiftleft(1, bits) - 1)"))
    first = first.withColumn("salt", salts)
    return last.union(first.select(*last.columns)).drop("n").distinct()


Weigh = Callable[[Arrays, Any, Any], NDArray[np.int64]]


def _no_weights(_: Arrays, later: Any, __: Any) -> NDArray[np.int64]:
    return np.zeros(len(later), np.int64)


def _key_weights(rows: Arrays, later: Any, earlier: Any) -> NDArray[np.int64]:
    """How much the key is worth that two rows share."""
    column = rows["column"][later]
    few = np.minimum(rows["titled"][later], rows["titled"][earlier]) <= FEW_OF_TITLE
    title = np.where(few, ENOUGH, OF_TITLE)
    weights: NDArray[np.int64] = np.where(
        column == TITLE, title, np.where(column == TERM, OF_TERM, STRONG)
    )
    return weights


def _pair_batches(bounds: Bounds, weigh: Weigh) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    """What puts rows beside each other that follow each other sorted by key and number."""

    def pair(batches: Batches) -> Iterator[pa.RecordBatch]:
        held, size = None, 0
        for batch in batches:
            rows = {
                name: batch.column(name).to_numpy(zero_copy_only=False)
                for name in batch.schema.names
            }
            if not batch.num_rows:
                continue
            if held is not None:
                rows = {name: np.concatenate([held[name], values]) for name, values in rows.items()}
            new = _new(rows)
            for later, earlier in neighbour_places(new, bounds.before):
                yield from _pairs(rows, later, earlier, bounds, weigh)
            (starts,) = np.nonzero(new)
            sizes = np.add.reduceat(rows["fresh"].astype(np.int64), starts)
            sizes[0] += size
            yield _oversized(rows, starts[:-1], sizes[:-1], bounds)
            held, size = _context(rows, int(starts[-1]), bounds), int(sizes[-1])
        if held is not None:
            yield _oversized(held, np.zeros(1, np.int64), np.array([size]), bounds)

    return pair


def _new(rows: Arrays) -> NDArray[np.bool_]:
    """Where another key begins."""
    new = np.ones(len(rows["row"]), np.bool_)
    new[1:] = False
    for name in GROUP:
        new[1:] |= rows[name][1:] != rows[name][:-1]
    return new


def _context(rows: Arrays, start: int, bounds: Bounds) -> Arrays:
    """Of the last key what those need that may still follow."""
    count = len(rows["row"]) - start
    places = np.arange(start, start + count)
    if count > bounds.most:
        places = np.concatenate([places[:FIRST], places[-bounds.before :]])
    kept = {name: values[places] for name, values in rows.items()}
    return kept | {"fresh": np.zeros(len(places), np.bool_)}


def _pairs(
    rows: Arrays, later: Any, earlier: Any, bounds: Bounds, weigh: Weigh
) -> Iterator[pa.RecordBatch]:
    fits = rows["fresh"][later] & (rows["row"][later] != rows["row"][earlier])
    if bounds.window is not None and "published" in rows:
        later_times, earlier_times = (
            (rows["published"][places], rows["seen"][places]) for places in (later, earlier)
        )
        fits &= near_in_time(later_times, earlier_times, bounds.window)
    later, earlier = later[fits], earlier[fits]
    if len(later):
        yield _batch(rows["row"][later], rows["row"][earlier], weigh(rows, later, earlier))


def _batch(later: Any, earlier: Any, weight: Any) -> pa.RecordBatch:
    count = len(later)
    return pa.RecordBatch.from_pydict(
        {
            "later": pa.array(later, pa.int64()),
            "earlier": pa.array(earlier, pa.int64()),
            "weight": pa.array(weight.astype(np.int32)),
            "column": pa.nulls(count, pa.int32()),
            "key": pa.nulls(count, pa.int64()),
            "size": pa.nulls(count, pa.int64()),
        }
    )


def _oversized(rows: Arrays, starts: Any, sizes: Any, bounds: Bounds) -> pa.RecordBatch:
    """Keys with more rows than are all compared; of salted ones each part."""
    large = (sizes > bounds.most + 1) | (rows["salt"][starts] >= 0)
    places, sizes = starts[large], sizes[large]
    count = len(places)
    return pa.RecordBatch.from_pydict(
        {
            "later": pa.nulls(count, pa.int64()),
            "earlier": pa.array(rows["salt"][places], pa.int64()),  # tells parts of a size apart
            "weight": pa.nulls(count, pa.int32()),
            "column": pa.array(rows["column"][places].astype(np.int32)),
            "key": pa.array(rows["key"][places], pa.int64()),
            "size": pa.array(sizes, pa.int64()),
        }
    )


def oversized_keys_in(pairs: Stage, bounds: Bounds) -> OversizedKeys:
    """What was passed over, as one machine tells it."""
    if not pairs.mark:
        return OversizedKeys()
    keys = (
        pairs.table.where("later is null").groupBy("column", "key").agg(F.sum("size").alias("size"))
    )
    n, most = F.col("size").cast("decimal(20,0)"), bounds.most
    passed: Column = n * (n - 1) / 2 - (n - most - 1) * most - most * (most + 1) // 2
    columns = (
        keys.where(f"size > {most + 1}")
        .groupBy("column")
        .agg(F.count("*"), F.max("size"), F.sum(passed).cast("decimal(38,0)"))
        .collect()
    )
    total = OversizedKeys()
    for _, count, largest, passed_over in columns:
        total = total.combine(OversizedKeys(count, largest, int(passed_over)))
    return total
