"""Telling: from what rows are to each other to the copies that are kept, group by group."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from nearcopy.batch.local.compare_rows import judge_pair
from nearcopy.batch.local.group_clusters import LinkedRows, TextPair, cluster_linked_texts
from nearcopy.batch.local.job import Settings
from nearcopy.batch.local.story_clusters import cluster_linked_articles
from nearcopy.batch.local.text_relations import CODE, RELATIONS
from nearcopy.batch.spark.checkpoints import Work
from nearcopy.batch.spark.compare_rows import edge_of
from nearcopy.batch.spark.row_reader import PACKED, Batches, fingerprints_in, grouped_rows
from nearcopy.config import Policy
from nearcopy.match.judge_pairs import Judgement
from nearcopy.models.model import Article, Relation

CLUSTER_SCHEMA = "row long, of string, relation string, overlap double, founder string"
COPY_SCHEMA = "row long, of_row long, relation int, overlap double"
TEXT_COLUMNS = ("id", "words", "published", "seen", "source", "html", "text")
ARTICLE_COLUMNS = ("id", "words", "digest", *PACKED, "rest", "html", "text")
Rows = list[dict[str, Any]]


def copies_among(edges: DataFrame, policy: Policy) -> DataFrame:
    """The edges between rows that are copies of each other."""
    return edges.where(F.col("relation").isin([CODE[relation] for relation in policy.duplicates]))


class LinkedGraph(NamedTuple):
    """Rows, which of them stand for others, what is between them, and which are linked."""

    articles: DataFrame
    exact_duplicates: DataFrame
    edges: DataFrame
    labels: DataFrame
    partitions: int


def cluster_by_text(work: Work, settings: Settings, linked: LinkedGraph) -> DataFrame:
    """What each row is that is not alone, where texts alone are compared."""
    groups = work.stage("groups", lambda: _groups(linked))
    label_of_later = linked.labels.select(F.col("row").alias("later"), "label")
    joining = copies_among(linked.edges, settings.policy).join(label_of_later, "later")
    best = joining.join(groups, "label").where("later = best or earlier = best")
    simple = _simple(best, settings.policy.largest_story)
    unresolved = work.stage(
        "left", lambda: groups.join(simple, "label", "left_anti").select("label", "members")
    )
    stars = _star_copies(best.join(simple, "label", "left_semi"))
    starred = work.stage(
        "stars", lambda: stars.union(_resolve_groups(settings, linked, unresolved))
    )
    return _with_duplicates(linked.articles, linked.exact_duplicates, starred)


def _groups(linked: LinkedGraph) -> DataFrame:
    """The best row of each group, its rows, and these with all that they stand for."""
    ranked = linked.articles.select("row", F.struct("rank", "id", "row").alias("order"))
    duplicates = linked.exact_duplicates.groupBy("like").agg(F.count("*").alias("echoes"))
    duplicate_counts = duplicates.withColumnRenamed("like", "row")
    members = linked.labels.join(ranked, "row").join(duplicate_counts, "row", "left")
    return members.groupBy("label").agg(
        F.min("order")["row"].alias("best"),
        F.count("*").alias("size"),
        (F.count("*") + F.coalesce(F.sum("echoes"), F.lit(0))).alias("members"),
    )


def _simple(best: DataFrame, largest: int) -> DataFrame:
    """The groups whose best row is found to be like all others."""
    linked = best.groupBy("label", "size", "members").agg(F.count("*").alias("linked"))
    return linked.where(f"linked = size - 1 and members <= {largest}").select("label")


def _star_copies(best: DataFrame) -> DataFrame:
    """What the others are to the best row."""
    other = F.when(F.col("later") == F.col("best"), F.col("earlier")).otherwise(F.col("later"))
    return best.select(other.alias("row"), F.col("best").alias("of_row"), "relation", "overlap")


def _resolve_groups(settings: Settings, linked: LinkedGraph, unresolved: DataFrame) -> DataFrame:
    """The copies of groups whose best row is not like all others, told by `cluster`."""
    articles, exact_duplicates, edges, labels, partitions = linked
    unresolved_rows = labels.join(unresolved, "label", "left_semi")
    oversized = unresolved.where(f"members > {settings.policy.largest_story}")
    duplicates = exact_duplicates.join(
        labels.join(oversized, "label", "left_semi").withColumnRenamed("row", "like"), "like"
    )
    same, one = F.lit(CODE[Relation.SAME_TEXT]), F.lit(1.0)
    duplicate_edges = duplicates.select(
        "label",
        F.col("row").alias("later"),
        F.col("like").alias("earlier"),
        *(same.alias("relation"), one.alias("overlap"), one.alias("containment")),
        F.lit(64).alias("equal_bits"),
    )
    among = edges.join(unresolved_rows.withColumnRenamed("row", "later"), "later").join(
        unresolved_rows.select(F.col("row").alias("earlier"), F.col("label").alias("other")),
        "earlier",
    )
    between = among.where("label = other").select(*duplicate_edges.columns).union(duplicate_edges)
    rows = unresolved_rows.select("row", "label").union(duplicates.select("row", "label"))
    members = rows.join(articles.select("row", *TEXT_COLUMNS), "row")
    grouped = members.unionByName(between, allowMissingColumns=True)
    parted = grouped.repartition(partitions, "label").sortWithinPartitions("label", "row")
    return parted.mapInArrow(_resolve_batches(settings), COPY_SCHEMA)


def _resolve_batches(settings: Settings) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    def resolve(batches: Batches) -> Iterator[pa.RecordBatch]:
        for rows in grouped_rows(batches, "label"):
            copies = list(_resolve_rows(rows, settings))
            yield pa.RecordBatch.from_pydict(
                {
                    "row": pa.array([copy[0] for copy in copies], pa.int64()),
                    "of_row": pa.array([copy[1] for copy in copies], pa.int64()),
                    "relation": pa.array([copy[2] for copy in copies], pa.int32()),
                    "overlap": pa.array([copy[3] for copy in copies], pa.float64()),
                }
            )

    return resolve


def _number_members(rows: Rows) -> tuple[Rows, dict[int, int]]:
    """The members of a group in the order of their ids, and the places of their rows there."""
    members = sorted((row for row in rows if row["row"] is not None), key=lambda row: row["id"])
    return members, {row["row"]: place for place, row in enumerate(members)}


def _resolve_rows(rows: Rows, settings: Settings) -> Iterator[tuple[int, int, int, float | None]]:
    members, places = _number_members(rows)
    sourced = settings.policy.sources != "any"
    group = LinkedRows(
        rows=list(range(len(members))),
        names={place: row["id"] for place, row in enumerate(members)},
        words={place: row["words"] for place, row in enumerate(members)},
        published=[row["published"] for row in members],
        seen=[row["seen"] for row in members],
        sources={place: row["source"] for place, row in enumerate(members)} if sourced else {},
        texts=lambda numbers: (
            [members[place]["text"] for place in numbers],
            [members[place]["html"] for place in numbers],
        ),
    )
    links = [
        TextPair(
            *(places[row["later"]], places[row["earlier"]], RELATIONS[row["relation"]]),
            *(row["overlap"], row["containment"], row["equal_bits"]),
        )
        for row in rows
        if row["row"] is None
    ]
    links.sort()
    for copy in cluster_linked_texts(group, links, settings):
        row, of = members[copy.row]["row"], members[copy.of]["row"]
        yield row, of, CODE[copy.relation], copy.overlap


def _with_duplicates(
    articles: DataFrame, exact_duplicates: DataFrame, starred: DataFrame
) -> DataFrame:
    """All copies, with those that say the same as another; each with what its story is named by."""
    remaining = exact_duplicates.join(starred.select("row"), "row", "left_anti")
    of = starred.withColumnRenamed("row", "like")
    joined = remaining.join(of, "like", "left")
    alone = F.col("of_row").isNull()
    duplicates = joined.select(
        "row",
        F.when(alone, F.col("like")).otherwise(F.col("of_row")).alias("of_row"),
        F.when(alone, F.lit(CODE[Relation.SAME_TEXT]))
        .otherwise(F.col("relation"))
        .alias("relation"),
        F.when(alone, F.lit(1.0)).otherwise(F.col("overlap")).alias("overlap"),
    )
    copies = starred.union(duplicates)
    kept = copies.select(F.col("of_row").alias("row")).distinct()
    names = articles.select("row", "id", F.element_at("rank", -1).alias("age"))
    story_rows = copies.select("row", "of_row").union(
        kept.select("row", F.col("row").alias("of_row"))
    )
    founders = (
        story_rows.join(names, "row")
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


def cluster_by_all(
    settings: Settings, articles: DataFrame, edges: DataFrame, labels: DataFrame, partitions: int
) -> DataFrame:
    """What each row is that is linked with another, by all that is known."""
    members = labels.join(articles.select("row", *ARTICLE_COLUMNS), "row")
    label_of_later = labels.select(F.col("row").alias("later"), "label")
    label_of_earlier = labels.select(F.col("row").alias("earlier"), F.col("label").alias("other"))
    among = (
        edges.join(label_of_later, "later")
        .join(label_of_earlier, "earlier")
        .where("label = other")
        .drop("other", "link")
    )
    grouped = members.unionByName(among, allowMissingColumns=True)
    parted = grouped.repartition(partitions, "label").sortWithinPartitions("label", "row")
    return parted.mapInArrow(_cluster_batches(settings), CLUSTER_SCHEMA)


def _cluster_batches(settings: Settings) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    def cluster(batches: Batches) -> Iterator[pa.RecordBatch]:
        for rows in grouped_rows(batches, "label"):
            outcomes = list(_cluster_rows(rows, settings))
            names = ("row", "of", "relation", "overlap", "founder")
            kinds = (pa.int64(), pa.string(), pa.string(), pa.float64(), pa.string())
            columns = zip(*outcomes, strict=True) if outcomes else [()] * len(names)
            arrays = [pa.array(list(c), kind) for c, kind in zip(columns, kinds, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, list(names))

    return cluster


def _cluster_rows(rows: Rows, settings: Settings) -> Iterator[tuple[Any, ...]]:
    members, places = _number_members(rows)
    batch = pa.RecordBatch.from_pylist(
        [{name: row[name] for name in ARTICLE_COLUMNS} for row in members]
    )
    fingerprints = dict(enumerate(fingerprints_in(batch)))
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
        return judge_pair(
            fingerprints[later],
            fingerprints[earlier],
            settings,
            lambda ids: {n: texts[n] for n in ids},
        )

    ordered = {pair: edges[pair] for pair in sorted(edges)}
    for outcome in cluster_linked_articles(fingerprints, ordered, settings.policy, between, {}):
        of = None if outcome.of is None else members[outcome.of]["id"]
        relation = None if outcome.relation is None else outcome.relation.value
        overlap = None if outcome.overlap is None else float(np.float32(outcome.overlap))
        yield members[outcome.row]["row"], of, relation, overlap, members[outcome.founder]["id"]
