"""Clusters of texts alone on Spark: kept copies, duplicates and stories."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import astuple
from functools import partial
from typing import Any, NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from nearcopy.batch.column_rules import CODE, RELATIONS
from nearcopy.batch.corpus_settings import Settings
from nearcopy.batch.linked_groups import (
    MEASURES,
    SAME_TEXT,
    TextPair,
    cluster_linked_texts,
    judge_text_pairs,
    text_fingerprint,
)
from nearcopy.batch.spark.article_clusters import VERDICT_SCHEMA, encode_verdict
from nearcopy.batch.spark.checkpoints import Checkpoints
from nearcopy.batch.spark.groups import Rows, edges_within, map_groups, number_members
from nearcopy.cluster.kept_copy import by_age, explain_choice, rank_copies
from nearcopy.cluster.stories import own_story_id
from nearcopy.config import Policy
from nearcopy.deduper.verdicts import copy_verdict, kept_verdict
from nearcopy.models import Edge, Fingerprint, Relation

# Of kept copies, whose kept copy is the row itself, the verdict is why they are kept; of oversized
# groups, which have no row, it is the group.
COPY_SCHEMA = (
    "row long, of_row long, relation int, overlap double, containment double, hamming int, "
    "verdict string"
)
TEXT_COLUMNS = ("id", "words", "published", "seen", "source", "html", "text")
SHORT_COLUMNS = ("id", "words", "published", "seen")


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
    """The verdicts on texts that have edges, and the oversized groups: row, verdict."""
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
    copies = _with_exact_duplicates(linked.exact_duplicates, starred)
    decided = _decide_texts(settings, linked, copies, starred.where("row = of_row"))
    return decided.union(starred.where("row is null").select("row", "verdict"))


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
    """The other rows, with their measures with the best one."""
    other = F.when(F.col("later") == F.col("best"), F.col("earlier")).otherwise(F.col("later"))
    return best.select(
        other.alias("row"), F.col("best").alias("of_row"), *MEASURES, F.lit(None).alias("verdict")
    )


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
        F.lit(SAME_TEXT[-1]).alias("hamming"),
    )
    among = edges_within(edges, unresolved_rows)
    between = among.select(*duplicate_edges.columns).union(duplicate_edges)
    rows = unresolved_rows.select("row", "label").union(duplicates.select("row", "label"))
    members = rows.join(articles.select("row", *TEXT_COLUMNS), "row")
    return map_groups(members, between, partial(_resolve_rows, settings), COPY_SCHEMA, partitions)


def _resolve_rows(settings: Settings, rows: Rows) -> Iterator[tuple[Any, ...]]:
    """The duplicates of a group with their verdicts, and why others are kept if it is too large."""
    members, places = number_members(rows)
    fingerprints = {place: _fingerprint(row) for place, row in enumerate(members)}
    links = [
        TextPair(places[row["later"]], places[row["earlier"]], *_measures(row))
        for row in rows
        if row["row"] is None
    ]
    links.sort()

    def read_text(place: int) -> tuple[str, bool]:
        return members[place]["text"], members[place]["html"]

    clusters = cluster_linked_texts(fingerprints, links, settings, read_text)
    nothing = (None,) * len(MEASURES)
    for member in clusters.rows:
        row = members[member.row]["row"]
        if member.of is not None and member.verdict is not None:
            yield row, members[member.of]["row"], *nothing, encode_verdict(member.verdict)
        elif clusters.oversized and member.kept_because is not None:
            yield row, row, *nothing, json.dumps(member.kept_because)
    for group in clusters.oversized:
        yield None, None, *nothing, json.dumps(astuple(group))


def _fingerprint(row: Mapping[str, Any]) -> Fingerprint:
    return text_fingerprint(
        row["id"], row["words"], row["published"], row["seen"], row.get("source") or 0
    )


def _measures(row: Mapping[str, Any]) -> tuple[Relation, float, float, int]:
    code, *shares = (row[name] for name in MEASURES)
    return RELATIONS[code], *shares


def _with_exact_duplicates(exact_duplicates: DataFrame, starred: DataFrame) -> DataFrame:
    """All duplicates, with exact ones."""
    starred = starred.where("row != of_row")
    remaining = exact_duplicates.join(starred.select("row"), "row", "left_anti")
    joined = remaining.join(
        starred.withColumnRenamed("row", "representative"), "representative", "left"
    )
    alone = F.col("of_row").isNull()
    measures = (
        F.when(alone, F.lit(same)).otherwise(F.col(name)).alias(name)
        for name, same in zip(MEASURES, SAME_TEXT, strict=True)
    )
    of = F.coalesce("of_row", "representative").alias("of_row")
    return starred.union(joined.select("row", of, *measures, "verdict"))


def _decide_texts(
    settings: Settings, linked: LinkedGraph, copies: DataFrame, reasons: DataFrame
) -> DataFrame:
    """The verdicts on duplicates and kept copies: row, verdict."""
    near = _edges_of_kept(linked, copies)
    columns = linked.articles.select("row", *SHORT_COLUMNS)
    kept = copies.select(F.col("of_row").alias("row")).union(near.select("label")).distinct()
    why = reasons.select("row", "verdict")
    members = copies.withColumnRenamed("of_row", "label").unionByName(
        kept.join(why, "row", "left").withColumn("label", F.col("row")), allowMissingColumns=True
    )
    others = near.join(columns.withColumnRenamed("row", "other"), "other")
    decide = partial(_decide_group, settings)
    return map_groups(
        members.join(columns, "row"), others, decide, VERDICT_SCHEMA, linked.partitions
    )


def _edges_of_kept(linked: LinkedGraph, copies: DataFrame) -> DataFrame:
    """The edges of each kept row, as its label, to rows that are no copies of it."""
    related = linked.edges.where(F.col("relation") != CODE[Relation.DISTINCT])
    one, two = (
        related.select(F.col(row).alias("label"), F.col(other).alias("other"), *MEASURES)
        for row, other in (("later", "earlier"), ("earlier", "later"))
    )
    both = one.union(two).join(copies.select(F.col("row").alias("label")), "label", "left_anti")
    alike = linked.exact_duplicates.select(
        F.col("row").alias("alike"), F.col("representative").alias("other")
    )
    exact = both.join(alike, "other").select("label", F.col("alike").alias("other"), *MEASURES)
    of_other = copies.select(F.col("row").alias("other"), "of_row")
    every = both.select("label", "other", *MEASURES).union(exact).join(of_other, "other", "left")
    return every.where("of_row is null or of_row != label").drop("of_row")


def _decide_group(settings: Settings, rows: Rows) -> Iterator[tuple[int, str]]:
    """The verdicts on a kept row, and on its duplicates; it has a record for each other edge."""
    members = [row for row in rows if row["row"] is not None]
    prints = {row["row"]: _fingerprint(row) for row in members}
    story = own_story_id(min(prints.values(), key=by_age).id)
    label = rows[0]["label"]
    kept, because = prints[label], None

    measured = [row for row in rows if row["relation"] is not None]
    pairs = [TextPair(place, 0, *_measures(row)) for place, row in enumerate(measured)]
    words = [min(row["words"], kept.words) for row in measured]
    judgements = judge_text_pairs(pairs, words, settings)
    near: dict[str, Edge] = {}
    for row, judgement in zip(measured, judgements, strict=True):
        if row["row"] is None:
            near[row["id"]] = judgement.edge(kept.id, row["id"])
        elif not row["verdict"]:
            verdict = copy_verdict(story, judgement.edge(row["id"], kept.id))
            yield row["row"], encode_verdict(verdict)
    if len(members) > 1:
        ranked = rank_copies([*prints.values()], settings.policy)
        because = explain_choice(ranked, settings.policy)
    for row in members:
        if row["row"] == label:
            because = json.loads(row["verdict"]) if row["verdict"] else because
        elif row["verdict"]:
            yield row["row"], json.dumps(json.loads(row["verdict"]) | {"story_id": story})
    yield label, encode_verdict(kept_verdict(kept.id, story, near, because))
