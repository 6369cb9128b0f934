"""Clusters on Spark: from edges between rows to kept copies, duplicates and stories."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import count, groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from nearcopy.batch.column_rules import CODE, RELATIONS
from nearcopy.batch.corpus_settings import Settings
from nearcopy.batch.linked_groups import (
    TextPair,
    cluster_linked,
    cluster_linked_texts,
    judge_pair,
    row_pair,
    text_fingerprint,
)
from nearcopy.batch.spark.checkpoints import Checkpoints
from nearcopy.batch.spark.compare import edge_of
from nearcopy.batch.spark.row_reader import (
    BLOBS,
    Batches,
    fingerprints_in,
    rows_to_batch,
)
from nearcopy.config import Policy
from nearcopy.match.judgement import Judgement
from nearcopy.models import Article, Relation

CLUSTER_SCHEMA = "row long, of string, relation string, overlap double, founder string"
COPY_SCHEMA = "row long, of_row long, relation int, overlap double"
TEXT_COLUMNS = ("id", "words", "published", "seen", "source", "html", "text")
ARTICLE_COLUMNS = ("id", "words", "digest", *BLOBS, "rest", "html", "text")
Rows = list[dict[str, Any]]


def select_duplicates(edges: DataFrame, policy: Policy) -> DataFrame:
    """The edges between duplicates."""
    return edges.where(F.col("relation").isin([CODE[relation] for relation in policy.duplicates]))


class LinkedGraph(NamedTuple):
    """Rows, their exact duplicates, edges, and the labels of connected components."""

    articles: DataFrame
    exact_duplicates: DataFrame
    edges: DataFrame
    labels: DataFrame
    partitions: int


def cluster_texts(checkpoints: Checkpoints, settings: Settings, linked: LinkedGraph) -> DataFrame:
    """The clusters of rows that are not alone, where texts alone are compared."""
    groups = checkpoints.table("groups", lambda: _groups(linked))
    label_of_later = linked.labels.select(F.col("row").alias("later"), "label")
    joining = select_duplicates(linked.edges, settings.policy).join(label_of_later, "later")
    best = joining.join(groups, "label").where("later = best or earlier = best")
    simple = _simple(best, settings.policy.max_story_size)
    unresolved = checkpoints.table(
        "unresolved", lambda: groups.join(simple, "label", "left_anti").select("label", "members")
    )
    simple_duplicates = _duplicates_of_best(best.join(simple, "label", "left_semi"))
    starred = checkpoints.table(
        "duplicates", lambda: simple_duplicates.union(_resolve_groups(settings, linked, unresolved))
    )
    return _with_duplicates(linked.articles, linked.exact_duplicates, starred)


def _groups(linked: LinkedGraph) -> DataFrame:
    """The best row of each group, its size, and its size with exact duplicates."""
    ranked = linked.articles.select("row", F.struct("rank", "id", "row").alias("order"))
    duplicates = linked.exact_duplicates.groupBy("representative").agg(F.count("*").alias("exact"))
    duplicate_counts = duplicates.withColumnRenamed("representative", "row")
    members = linked.labels.join(ranked, "row").join(duplicate_counts, "row", "left")
    return members.groupBy("label").agg(
        F.min("order")["row"].alias("best"),
        F.count("*").alias("size"),
        (F.count("*") + F.coalesce(F.sum("exact"), F.lit(0))).alias("members"),
    )


def _simple(best: DataFrame, largest: int) -> DataFrame:
    """The groups whose best row is linked with all others."""
    linked = best.groupBy("label", "size", "members").agg(F.count("*").alias("linked"))
    return linked.where(f"linked = size - 1 and members <= {largest}").select("label")


def _duplicates_of_best(best: DataFrame) -> DataFrame:
    """The relation of the other rows to the best one."""
    other = F.when(F.col("later") == F.col("best"), F.col("earlier")).otherwise(F.col("later"))
    return best.select(other.alias("row"), F.col("best").alias("of_row"), "relation", "overlap")


def _resolve_groups(settings: Settings, linked: LinkedGraph, unresolved: DataFrame) -> DataFrame:
    """The duplicates of groups whose best row is not linked with all others."""
    articles, exact_duplicates, edges, labels, partitions = linked
    unresolved_rows = labels.join(unresolved, "label", "left_semi")
    oversized = unresolved.where(f"members > {settings.policy.max_story_size}")
    duplicates = exact_duplicates.join(
        labels.join(oversized, "label", "left_semi").withColumnRenamed("row", "representative"),
        "representative",
    )
    same, one = F.lit(CODE[Relation.SAME_TEXT]), F.lit(1.0)
    duplicate_edges = duplicates.select(
        "label",
        F.col("row").alias("later"),
        F.col("representative").alias("earlier"),
        *(same.alias("relation"), one.alias("overlap"), one.alias("containment")),
        F.lit(0).alias("hamming"),
    )
    among = _edges_within(edges, unresolved_rows)
    between = among.select(*duplicate_edges.columns).union(duplicate_edges)
    rows = unresolved_rows.select("row", "label").union(duplicates.select("row", "label"))
    members = rows.join(articles.select("row", *TEXT_COLUMNS), "row")
    return _map_groups(members, between, partial(_resolve_rows, settings), COPY_SCHEMA, partitions)


def _edges_within(edges: DataFrame, labels: DataFrame) -> DataFrame:
    """The edges between rows of the same group, with its label."""
    label_of_later = labels.select(F.col("row").alias("later"), "label")
    label_of_earlier = labels.select(F.col("row").alias("earlier"), F.col("label").alias("other"))
    joined = edges.join(label_of_later, "later").join(label_of_earlier, "earlier")
    return joined.where("label = other").drop("other")


def _map_groups(
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


def _number_members(rows: Rows) -> tuple[Rows, dict[int, int]]:
    """The members of a group sorted by id, and the position of each row."""
    members = sorted((row for row in rows if row["row"] is not None), key=lambda row: row["id"])
    return members, {row["row"]: place for place, row in enumerate(members)}


def _resolve_rows(settings: Settings, rows: Rows) -> Iterator[tuple[int, int, int, float | None]]:
    members, places = _number_members(rows)
    fingerprints = {
        place: text_fingerprint(
            place,
            *(row["id"], row["words"], row["published"], row["seen"], row["source"] or 0),
        )
        for place, row in enumerate(members)
    }
    links = [
        TextPair(
            *(places[row["later"]], places[row["earlier"]], RELATIONS[row["relation"]]),
            *(row["overlap"], row["containment"], row["hamming"]),
        )
        for row in rows
        if row["row"] is None
    ]
    links.sort()

    def read_text(place: int) -> tuple[str, bool]:
        return members[place]["text"], members[place]["html"]

    for copy in cluster_linked_texts(fingerprints, links, settings, read_text):
        if copy.of is not None and copy.relation is not None:
            row, of = members[copy.row]["row"], members[copy.of]["row"]
            yield row, of, CODE[copy.relation], copy.overlap


def _with_duplicates(
    articles: DataFrame, exact_duplicates: DataFrame, starred: DataFrame
) -> DataFrame:
    """All duplicates, with exact ones; each with the founder of its story."""
    remaining = exact_duplicates.join(starred.select("row"), "row", "left_anti")
    of = starred.withColumnRenamed("row", "representative")
    joined = remaining.join(of, "representative", "left")
    alone = F.col("of_row").isNull()
    duplicates = joined.select(
        "row",
        F.coalesce("of_row", "representative").alias("of_row"),
        F.coalesce("relation", F.lit(CODE[Relation.SAME_TEXT])).alias("relation"),
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


def cluster_articles(
    settings: Settings, articles: DataFrame, edges: DataFrame, labels: DataFrame, partitions: int
) -> DataFrame:
    """The clusters of whole articles that are linked with others."""
    members = labels.join(articles.select("row", *ARTICLE_COLUMNS), "row")
    among = _edges_within(edges, labels).drop("link")
    return _map_groups(members, among, partial(_cluster_rows, settings), CLUSTER_SCHEMA, partitions)


def _cluster_rows(settings: Settings, rows: Rows) -> Iterator[tuple[Any, ...]]:
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
            edges[row_pair(places[row["later"]], places[row["earlier"]])] = edge_of(row, names)

    def judge(later: int, earlier: int) -> Judgement:
        return judge_pair(
            fingerprints[later],
            fingerprints[earlier],
            settings,
            lambda ids: {n: texts[n] for n in ids},
        )

    ordered = {pair: edges[pair] for pair in sorted(edges)}
    for member in cluster_linked(fingerprints, ordered, settings.policy, judge):
        of = None if member.of is None else members[member.of]["id"]
        relation = None if member.relation is None else member.relation.value
        overlap = None if member.overlap is None else float(np.float32(member.overlap))
        yield members[member.row]["row"], of, relation, overlap, members[member.founder]["id"]


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
