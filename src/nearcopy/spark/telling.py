"""Telling: from what rows are to each other to the copies that are kept, group by group."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from nearcopy.config import Policy
from nearcopy.corpus.counting import CODE, RELATIONS
from nearcopy.corpus.job import Settings
from nearcopy.corpus.judging import asked_between
from nearcopy.corpus.settled import Between, Group, settled_among
from nearcopy.corpus.stories import told_among
from nearcopy.judge import Judgement
from nearcopy.model import Article, Relation
from nearcopy.spark.judging import edge_of
from nearcopy.spark.reading import PACKED, Batches, grouped_rows, people_of
from nearcopy.spark.work import Work

TOLD = "row long, of string, relation string, overlap double, founder string"
STARRED = "row long, of_row long, relation int, overlap double"
MEMBER = ("id", "words", "published", "seen", "source", "html", "text")
WHOLE = ("id", "words", "digest", *PACKED, "rest", "html", "text")
Rows = list[dict[str, Any]]


def copies_among(edges: DataFrame, policy: Policy) -> DataFrame:
    """The edges between rows that are copies of each other."""
    return edges.where(F.col("relation").isin([CODE[relation] for relation in policy.duplicates]))


class Linked(NamedTuple):
    """Rows, which of them stand for others, what is between them, and which are linked."""

    people: DataFrame
    likes: DataFrame
    edges: DataFrame
    labels: DataFrame
    partitions: int


def told_by_text(work: Work, settings: Settings, linked: Linked) -> DataFrame:
    """What each row is that is not alone, where texts alone are compared."""
    groups = work.stage("groups", lambda: _groups(linked))
    ours = linked.labels.select(F.col("row").alias("later"), "label")
    joining = copies_among(linked.edges, settings.policy).join(ours, "later")
    best = joining.join(groups, "label").where("later = best or earlier = best")
    simple = _simple(best, settings.policy.largest_story)
    left = work.stage(
        "left", lambda: groups.join(simple, "label", "left_anti").select("label", "members")
    )
    stars = _stars(best.join(simple, "label", "left_semi"))
    starred = work.stage("stars", lambda: stars.union(_settled(settings, linked, left)))
    return _echoed(linked.people, linked.likes, starred)


def _groups(linked: Linked) -> DataFrame:
    """The best row of each group, its rows, and these with all that they stand for."""
    ranked = linked.people.select("row", F.struct("rank", "id", "row").alias("order"))
    echoes = linked.likes.groupBy("like").agg(F.count("*").alias("echoes"))
    standing = echoes.withColumnRenamed("like", "row")
    members = linked.labels.join(ranked, "row").join(standing, "row", "left")
    return members.groupBy("label").agg(
        F.min("order")["row"].alias("best"),
        F.count("*").alias("size"),
        (F.count("*") + F.coalesce(F.sum("echoes"), F.lit(0))).alias("members"),
    )


def _simple(best: DataFrame, largest: int) -> DataFrame:
    """The groups whose best row is found to be like all others."""
    linked = best.groupBy("label", "size", "members").agg(F.count("*").alias("linked"))
    return linked.where(f"linked = size - 1 and members <= {largest}").select("label")


def _stars(best: DataFrame) -> DataFrame:
    """What the others are to the best row."""
    other = F.when(F.col("later") == F.col("best"), F.col("earlier")).otherwise(F.col("later"))
    return best.select(other.alias("row"), F.col("best").alias("of_row"), "relation", "overlap")


def _settled(settings: Settings, linked: Linked, left: DataFrame) -> DataFrame:
    """The copies of groups whose best row is not like all others, told by `cluster`."""
    people, likes, edges, labels, partitions = linked
    some = labels.join(left, "label", "left_semi")
    crowded = left.where(f"members > {settings.policy.largest_story}")
    echoes = likes.join(
        labels.join(crowded, "label", "left_semi").withColumnRenamed("row", "like"), "like"
    )
    same, one = F.lit(CODE[Relation.SAME_TEXT]), F.lit(1.0)
    echo_edges = echoes.select(
        "label",
        F.col("row").alias("later"),
        F.col("like").alias("earlier"),
        *(same.alias("relation"), one.alias("overlap"), one.alias("containment")),
        F.lit(64).alias("equal_bits"),
    )
    among = edges.join(some.withColumnRenamed("row", "later"), "later").join(
        some.select(F.col("row").alias("earlier"), F.col("label").alias("other")), "earlier"
    )
    between = among.where("label = other").select(*echo_edges.columns).union(echo_edges)
    rows = some.select("row", "label").union(echoes.select("row", "label"))
    known = rows.join(people.select("row", *MEMBER), "row")
    grouped = known.unionByName(between, allowMissingColumns=True)
    parted = grouped.repartition(partitions, "label").sortWithinPartitions("label", "row")
    return parted.mapInArrow(_settle(settings), STARRED)


def _settle(settings: Settings) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    def settle(batches: Batches) -> Iterator[pa.RecordBatch]:
        for rows in grouped_rows(batches, "label"):
            found = list(_settled_rows(rows, settings))
            yield pa.RecordBatch.from_pydict(
                {
                    "row": pa.array([each[0] for each in found], pa.int64()),
                    "of_row": pa.array([each[1] for each in found], pa.int64()),
                    "relation": pa.array([each[2] for each in found], pa.int32()),
                    "overlap": pa.array([each[3] for each in found], pa.float64()),
                }
            )

    return settle


def _numbered(rows: Rows) -> tuple[Rows, dict[int, int]]:
    """The members of a group in the order of their ids, and the places of their rows there."""
    members = sorted((row for row in rows if row["row"] is not None), key=lambda row: row["id"])
    return members, {row["row"]: place for place, row in enumerate(members)}


def _settled_rows(rows: Rows, settings: Settings) -> Iterator[tuple[int, int, int, float | None]]:
    members, places = _numbered(rows)
    sourced = settings.policy.sources != "any"
    group = Group(
        rows=list(range(len(members))),
        names={place: row["id"] for place, row in enumerate(members)},
        words={place: row["words"] for place, row in enumerate(members)},
        published=[row["published"] for row in members],
        seen=[row["seen"] for row in members],
        sources={place: row["source"] for place, row in enumerate(members)} if sourced else {},
        texts=lambda some: (
            [members[place]["text"] for place in some],
            [members[place]["html"] for place in some],
        ),
    )
    links = [
        Between(
            *(places[row["later"]], places[row["earlier"]], RELATIONS[row["relation"]]),
            *(row["overlap"], row["containment"], row["equal_bits"]),
        )
        for row in rows
        if row["row"] is None
    ]
    links.sort()
    for found in settled_among(group, links, settings):
        row, of = members[found.row]["row"], members[found.of]["row"]
        yield row, of, CODE[found.relation], found.overlap


def _echoed(people: DataFrame, likes: DataFrame, starred: DataFrame) -> DataFrame:
    """All copies, with those that say the same as another; each with what its story is named by."""
    stands = likes.join(starred.select("row"), "row", "left_anti")
    of = starred.withColumnRenamed("row", "like")
    told = stands.join(of, "like", "left")
    alone = F.col("of_row").isNull()
    echoes = told.select(
        "row",
        F.when(alone, F.col("like")).otherwise(F.col("of_row")).alias("of_row"),
        F.when(alone, F.lit(CODE[Relation.SAME_TEXT]))
        .otherwise(F.col("relation"))
        .alias("relation"),
        F.when(alone, F.lit(1.0)).otherwise(F.col("overlap")).alias("overlap"),
    )
    copies = starred.union(echoes)
    kept = copies.select(F.col("of_row").alias("row")).distinct()
    names = people.select("row", "id", F.element_at("rank", -1).alias("age"))
    everyone = copies.select("row", "of_row").union(
        kept.select("row", F.col("row").alias("of_row"))
    )
    founders = (
        everyone.join(names, "row")
        .groupBy("of_row")
        .agg(F.min(F.struct("age", "id"))["id"].alias("founder"))
    )
    every = kept.select(
        "row",
        F.col("row").alias("of_row"),
        F.lit(None).cast("int").alias("relation"),
        F.lit(None).cast("double").alias("overlap"),
    ).union(copies)
    codes = F.array(*(F.lit(relation.value) for relation in RELATIONS))
    kept_name = names.select(F.col("row").alias("of_row"), F.col("id").alias("name"))
    copy = F.col("row") != F.col("of_row")
    return (
        every.join(founders, "of_row")
        .join(kept_name, "of_row")
        .select(
            "row",
            F.when(copy, F.col("name")).alias("of"),
            F.get(codes, F.col("relation")).alias("relation"),
            "overlap",
            "founder",
        )
    )


def told_by_all(
    settings: Settings, people: DataFrame, edges: DataFrame, labels: DataFrame, partitions: int
) -> DataFrame:
    """What each row is that is linked with another, by all that is known."""
    known = labels.join(people.select("row", *WHOLE), "row")
    ours = labels.select(F.col("row").alias("later"), "label")
    theirs = labels.select(F.col("row").alias("earlier"), F.col("label").alias("other"))
    among = (
        edges.join(ours, "later")
        .join(theirs, "earlier")
        .where("label = other")
        .drop("other", "link")
    )
    grouped = known.unionByName(among, allowMissingColumns=True)
    parted = grouped.repartition(partitions, "label").sortWithinPartitions("label", "row")
    return parted.mapInArrow(_tell(settings), TOLD)


def _tell(settings: Settings) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    def tell(batches: Batches) -> Iterator[pa.RecordBatch]:
        for rows in grouped_rows(batches, "label"):
            found = list(_told_rows(rows, settings))
            names = ("row", "of", "relation", "overlap", "founder")
            kinds = (pa.int64(), pa.string(), pa.string(), pa.float64(), pa.string())
            columns = zip(*found, strict=True) if found else [()] * len(names)
            arrays = [pa.array(list(c), kind) for c, kind in zip(columns, kinds, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, list(names))

    return tell


def _told_rows(rows: Rows, settings: Settings) -> Iterator[tuple[Any, ...]]:
    members, places = _numbered(rows)
    batch = pa.RecordBatch.from_pylist([{name: row[name] for name in WHOLE} for row in members])
    made = dict(enumerate(people_of(batch)))
    names = {row["row"]: row["id"] for row in members}
    texts = {
        row["id"]: Article(id=row["id"], text=row["text"], html=row["html"]) for row in members
    }
    edges = {}
    for row in rows:
        if row["row"] is None:
            pair = places[row["later"]], places[row["earlier"]]
            edges[max(pair), min(pair)] = edge_of(row, names)

    def between(later: int, earlier: int) -> Judgement:
        return asked_between(
            made[later], made[earlier], settings, lambda some: {n: texts[n] for n in some}
        )

    ordered = {pair: edges[pair] for pair in sorted(edges)}
    for each in told_among(made, ordered, settings.policy, between, {}):
        of = None if each.of is None else members[each.of]["id"]
        relation = None if each.relation is None else each.relation.value
        overlap = None if each.overlap is None else float(np.float32(each.overlap))
        yield members[each.row]["row"], of, relation, overlap, members[each.founder]["id"]
