"""Clusters of whole articles on Spark: group by group, then every kept copy by its edges."""

import json
from collections.abc import Iterator
from dataclasses import astuple
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from nearcopy.batch.corpus_settings import Settings
from nearcopy.batch.linked_groups import cluster_linked, judge_pair, row_pair
from nearcopy.batch.spark.checkpoints import Checkpoints
from nearcopy.batch.spark.compare import edge_of
from nearcopy.batch.spark.groups import Rows, edges_within, map_groups, number_members
from nearcopy.batch.spark.row_reader import BLOBS, fingerprints_in
from nearcopy.cluster.stories import own_story_id
from nearcopy.deduper.verdicts import kept_verdict
from nearcopy.io.serializers import verdict_columns
from nearcopy.match.judgement import Judgement
from nearcopy.models import Article, Verdict

# Of oversized groups, which have no row, the verdict is the group.
CLUSTER_SCHEMA = "row long, id string, of long, story string, verdict string, because string"
VERDICT_SCHEMA = "row long, verdict string"
ARTICLE_COLUMNS = ("id", "words", "digest", *BLOBS, "rest", "html", "text")
EDGE_VALUES = ("decision", "event_score", "overlap")


def cluster_articles(
    checkpoints: Checkpoints,
    settings: Settings,
    articles: DataFrame,
    edges: DataFrame,
    labels: DataFrame,
    partitions: int,
) -> DataFrame:
    """The verdicts on the rows that have edges, and the oversized groups: row, verdict."""
    members = labels.join(articles.select("row", *ARTICLE_COLUMNS), "row")
    among = edges_within(edges, labels).drop("link")
    cluster = partial(_cluster_rows, settings)
    clusters = checkpoints.table(
        "clusters", lambda: map_groups(members, among, cluster, CLUSTER_SCHEMA, partitions)
    )
    kept = clusters.where("row is not null and of is null")
    kept = kept.select("row", F.col("row").alias("label"), "id", "story", "because")
    near = _edges_of_kept(edges, clusters.where("of is not null"))
    decided = map_groups(kept, near, _decide_kept, VERDICT_SCHEMA, partitions)
    return decided.union(clusters.where("verdict is not null").select("row", "verdict"))


def _cluster_rows(settings: Settings, rows: Rows) -> Iterator[tuple[Any, ...]]:
    members, places = number_members(rows)
    batch = pa.RecordBatch.from_pylist(
        [{name: row[name] for name in ARTICLE_COLUMNS} for row in members]
    )
    fingerprints = dict(enumerate(fingerprints_in(batch)))
    texts = {
        row["id"]: Article(id=row["id"], text=row["text"], html=row["html"]) for row in members
    }
    edges = {
        row_pair(places[row["later"]], places[row["earlier"]]): edge_of(row)
        for row in rows
        if row["row"] is None
    }

    def judge(later: int, earlier: int) -> Judgement:
        pair = fingerprints[later], fingerprints[earlier]
        return judge_pair(*pair, settings, lambda ids: {n: texts[n] for n in ids})

    ordered = {pair: edges[pair] for pair in sorted(edges)}
    clusters = cluster_linked(fingerprints, ordered, settings.policy, judge)
    for member in clusters.rows:
        row = members[member.row]
        of = None if member.of is None else members[member.of]["row"]
        verdict = None if member.verdict is None else encode_verdict(member.verdict)
        yield row["row"], row["id"], of, member.story, verdict, member.kept_because
    for group in clusters.oversized:
        yield None, None, None, None, json.dumps(astuple(group)), None


def encode_verdict(verdict: Verdict) -> str:
    """The output columns as JSON."""
    return json.dumps(verdict_columns(verdict))


def _edges_of_kept(edges: DataFrame, copies: DataFrame) -> DataFrame:
    """The edges of each kept row, as its label, to rows that are no copies of it."""
    ends = [("later", "earlier"), ("earlier", "later")]
    one, two = (
        edges.select(
            F.col(row).alias("label"),
            F.col(other).alias("other"),
            F.col(f"{row}_id").alias("own_id"),
            F.col(f"{other}_id").alias("id"),
            *EDGE_VALUES,
        )
        for row, other in ends
    )
    duplicates = copies.select(F.col("row").alias("label"))
    of_other = copies.select(F.col("row").alias("other"), "of")
    both = one.union(two).join(duplicates, "label", "left_anti")
    return both.join(of_other, "other", "left").where("of is null or of != label").drop("of")


def _decide_kept(rows: Rows) -> Iterator[tuple[int, str]]:
    """The verdict on a kept row: it has a record where it is linked, and one for each edge."""
    near = [row for row in rows if row["row"] is None]
    linked = next((row for row in rows if row["row"] is not None), None)
    article = near[0]["own_id"] if linked is None else linked["id"]
    story, because = own_story_id(article), None
    if linked is not None:
        story, because = linked["story"], linked["because"]
    edges = {
        row["id"]: edge_of(row | {"later_id": article, "earlier_id": row["id"]}) for row in near
    }
    yield rows[0]["label"], encode_verdict(kept_verdict(article, story, edges, because))
