"""The Spark pipeline: the stages of a corpus job, each a checkpointed table."""

import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from nearcopy.batch.corpus_settings import CorpusSummary, LargestStory, Settings
from nearcopy.batch.local.candidate_pairs import collapses_exact_duplicates
from nearcopy.batch.removal_guard import removal_warning
from nearcopy.batch.shared_keys import PRECEDING_ROWS, OversizedKeys
from nearcopy.batch.spark.article_clusters import cluster_articles
from nearcopy.batch.spark.candidate_pairs import (
    LARGEST_KEY,
    PairLimits,
    count_oversized_keys,
    pair_articles,
    pair_texts,
    rank_pairs,
)
from nearcopy.batch.spark.checkpoints import Checkpoints, Stage, open_notes
from nearcopy.batch.spark.compare import compare_articles, compare_texts
from nearcopy.batch.spark.components import connected_components
from nearcopy.batch.spark.row_reader import (
    COUNT_CHANGED_IDS,
    NAME,
    PLACE,
    Batches,
    read_rows,
    rename_repeated_ids,
    rows_to_batch,
    schema_of,
    with_unique_ids,
)
from nearcopy.batch.spark.text_clusters import LinkedGraph, cluster_texts, select_duplicates
from nearcopy.cluster.duplicate_groups import OversizedGroup
from nearcopy.cluster.stories import own_story_id
from nearcopy.config import Policy
from nearcopy.deduper.verdicts import block_page_reason
from nearcopy.io.files.read import check_columns
from nearcopy.io.serializers import VERDICT_COLUMNS, verdict_columns
from nearcopy.match.candidate_index import candidate_limit
from nearcopy.models import Verdict

VERSION = 3  # of the checkpoints
LOG = logging.getLogger(__name__)
BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"
ROWS_PER_BATCH = 2000  # few, as texts may be long
DEFAULT = Settings()


class Result(NamedTuple):
    """The annotated table, its summary, the folder of the checkpoints, and the rejected rows."""

    table: DataFrame
    summary: CorpusSummary
    work: str
    rejected: DataFrame  # with the reason, and the row as JSON


def deduplicate(
    df: DataFrame,
    settings: Settings = DEFAULT,
    *,
    work: str | None = None,
    partitions: int | None = None,
) -> DataFrame:
    """The table with the annotation of each row in columns after its own; no row is removed.

    `work` is a folder that all machines can access: it holds the checkpoints from which an
    interrupted job is resumed and the table is read. Skipped pairs and rejected rows are logged;
    `run` returns their counts.
    """
    return run(df, settings, work=work, partitions=partitions).table


def run(
    df: DataFrame,
    settings: Settings = DEFAULT,
    *,
    work: str | None = None,
    partitions: int | None = None,
    largest_key: int = LARGEST_KEY,
    preceding: int = PRECEDING_ROWS,
) -> Result:
    """The table that `deduplicate` returns, with a summary.

    Keys of more than `largest_key` rows are salted. Each text is compared with the `preceding`
    rows of a key, and with its first ones.
    """
    own = df.drop(*VERDICT_COLUMNS)
    check_columns(NAME, "parquet", settings.columns, tuple(own.columns))
    spark = df.sparkSession
    identity = _identity(df, settings)
    folder = work or f"{spark.conf.get('spark.sql.warehouse.dir')}/nearcopy-{identity['is'][:16]}"
    count = partitions or int(str(spark.conf.get("spark.sql.shuffle.partitions")))
    limits = PairLimits(preceding, largest_key, settings.policy.window, count)
    batch = spark.conf.get(BATCH)
    spark.conf.set(BATCH, ROWS_PER_BATCH)
    try:
        return _run_stages(Checkpoints(spark, str(folder), identity), own, settings, limits)
    finally:
        spark.conf.set(BATCH, str(batch))


def forget(spark: SparkSession, work: str) -> None:
    """Remove the checkpoints of a job; tables that are read from them are lost."""
    open_notes(spark, work).remove()


def _identity(df: DataFrame, settings: Settings) -> dict[str, Any]:
    """What must be unchanged for an interrupted job to be resumed."""
    try:
        files = sorted(df.inputFiles())
    except PySparkException:  # Spark Connect cannot list them
        files = []
    described = "\n".join([settings.as_text, df.schema.json(), *files])
    digest = sha256(described.encode("utf-8", "surrogatepass")).hexdigest()
    return {"version": VERSION, "is": digest}


def _run_stages(
    checkpoints: Checkpoints, df: DataFrame, settings: Settings, limits: PairLimits
) -> Result:
    rows = checkpoints.table("rows", lambda: df.withColumn(PLACE, F.monotonically_increasing_id()))
    places = settings.columns.places(tuple(df.columns))
    needed = sorted({name for names in places.values() for name in names})
    read = checkpoints.stage(
        "articles",
        lambda: rows.select(PLACE, *map(_quote, needed)).mapInArrow(
            partial(read_rows, settings), schema_of(settings)
        ),
        COUNT_CHANGED_IDS,
    )
    names = rename_repeated_ids(checkpoints, read.table)
    articles = with_unique_ids(read.table, names)
    clusters, oversized = (_cluster_texts if settings.by_text else _cluster_articles)(
        checkpoints, articles, settings, limits
    )
    verdicts = checkpoints.stage("verdicts", lambda: clusters, "count_if(row is null)")
    annotations = checkpoints.table("annotations", lambda: _annotations(articles, verdicts.table))
    summary = _summary(read, names.rows, annotations, oversized)
    summary = _with_stories(summary, annotations, verdicts, settings.policy)
    _log(summary)
    ids_changed = bool(names.rows or read.measure)
    return Result(
        _annotate(rows, annotations, places["id"], ids_changed=ids_changed),
        summary,
        checkpoints.folder,
        _rejected(rows, read.table),
    )


def _rejected(rows: DataFrame, read: DataFrame) -> DataFrame:
    """The rows that are not articles: why, raw."""
    reasons = read.where("why is not null").select(F.col("place").alias(PLACE), "why")
    own = [F.col(_quote(name)) for name in rows.columns if name != PLACE]
    return rows.join(reasons, PLACE).select("why", F.to_json(F.struct(*own)).alias("raw"))


def _quote(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


def _cluster_texts(
    checkpoints: Checkpoints, articles: DataFrame, settings: Settings, limits: PairLimits
) -> tuple[DataFrame, OversizedKeys]:
    exact_duplicates = checkpoints.table(
        "exact_duplicates", lambda: _exact_duplicates(articles, settings.policy)
    )
    representatives = articles.join(exact_duplicates.select("row"), "row", "left_anti")
    stage = pair_texts(checkpoints, representatives, limits)
    pairs = stage.table.where("later is not null")
    edges = checkpoints.table("edges", lambda: compare_texts(pairs, articles, settings))
    labels = connected_components(checkpoints, select_duplicates(edges, settings.policy))
    clusters = cluster_texts(
        checkpoints,
        settings,
        LinkedGraph(articles, exact_duplicates, edges, labels, limits.partitions),
    )
    return clusters, count_oversized_keys(stage, limits)


def _exact_duplicates(articles: DataFrame, policy: Policy) -> DataFrame:
    """The rows that another row of the same text represents: row, representative."""
    if not collapses_exact_duplicates(policy):
        return articles.select("row", F.col("row").alias("representative")).where("false")
    texts = articles.where("digest is not null")
    by = ["digest"]
    if policy.sources == "within":
        by, texts = ["digest", "source"], texts.where("source != 0")
    best = texts.groupBy(*by).agg(
        F.min(F.struct("rank", "id", "row"))["row"].alias("representative"),
        F.count("*").alias("size"),
    )
    several = best.where("size > 1").drop("size")
    return (
        texts.select(*by, "row")
        .join(several, by)
        .where("row != representative")
        .select("row", "representative")
    )


def _cluster_articles(
    checkpoints: Checkpoints, articles: DataFrame, settings: Settings, limits: PairLimits
) -> tuple[DataFrame, OversizedKeys]:
    count = articles.count()
    limit = candidate_limit(count)
    stage = pair_articles(checkpoints, articles, count, limits)
    ranked = rank_pairs(checkpoints, stage.table.where("later is not null"), limit)
    pairs = ranked.where(f"place < {limit}")
    edges = checkpoints.table("edges", lambda: compare_articles(pairs, articles, settings))
    labels = connected_components(checkpoints, edges.where("link"))
    clusters = cluster_articles(checkpoints, settings, articles, edges, labels, limits.partitions)
    oversized = count_oversized_keys(stage, limits._replace(preceding=limit))
    truncated = ranked.where(f"place >= {limit}").count()
    return clusters, oversized._replace(skipped_pairs=oversized.skipped_pairs + truncated)


VERDICT_TYPES = {
    "is_duplicate": "boolean",
    **dict.fromkeys(("confidence", "event_score", "overlap"), "double"),
    "reasons": "array<string>",
}
ANNOTATION_SCHEMA = f"{PLACE} long, nearcopy_id string, nearcopy_id_changed boolean, " + ", ".join(
    f"{name} {VERDICT_TYPES.get(name, 'string')}" for name in VERDICT_COLUMNS
)


def _annotations(articles: DataFrame, verdicts: DataFrame) -> DataFrame:
    """The output columns of each article, by its place and id."""
    names = [
        name
        for name in ("place", "row", "id", "id_changed", "block_page")
        if name in articles.columns
    ]
    joined = articles.select(*names).join(verdicts, "row", "left")
    return joined.mapInArrow(_render_verdicts, ANNOTATION_SCHEMA)


def _render_verdicts(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        rows = []
        for row in batch.to_pylist():
            verdict = json.loads(row["verdict"]) if row["verdict"] else alone(row["id"])
            if row.get("block_page") and not verdict["reasons"]:
                verdict["reasons"] = [block_page_reason(row["block_page"])]
            values = (verdict[name] for name in VERDICT_COLUMNS)
            rows.append((row["place"], row["id"], row["id_changed"], *values))
        yield rows_to_batch(ANNOTATION_SCHEMA, rows)


def alone(article: str) -> dict[str, Any]:
    """The output columns of an article that has nothing in common with others."""
    return verdict_columns(Verdict(id=article, story_id=own_story_id(article)))


def _annotate(
    rows: DataFrame, annotations: DataFrame, ids: tuple[str, ...], *, ids_changed: bool
) -> DataFrame:
    """The rows with their annotation; each has its id.

    Where ids are repeated or missing, those of the first id column are replaced.
    """
    both = rows.join(annotations, PLACE, "left")
    columns = {name: F.col(_quote(name)) for name in rows.columns if name != PLACE}
    if not ids:
        columns = {"id": F.col("nearcopy_id"), **columns}
    elif ids_changed:
        own = columns[ids[0]].cast("string")
        columns[ids[0]] = F.when(F.col("nearcopy_id_changed"), F.col("nearcopy_id")).otherwise(own)
    return both.select(*(column.alias(name) for name, column in columns.items()), *VERDICT_COLUMNS)


def _summary(
    read: Stage, repeated_ids: int, annotations: DataFrame, oversized: OversizedKeys
) -> CorpusSummary:
    counts = annotations.groupBy("relation", "is_duplicate").count().collect()
    relations: dict[str, int] = {}
    for relation, _, count in counts:
        relations[relation] = relations.get(relation, 0) + count
    rows = sum(relations.values())
    duplicates = sum(count for _, is_duplicate, count in counts if is_duplicate)
    rejected = read.rows - rows
    return CorpusSummary(
        rows=rows,
        kept=rows - duplicates,
        duplicates=duplicates,
        rejected=rejected,
        repeated_ids=repeated_ids,
        relations=relations,
        oversized_keys=oversized,
        stories=0,
        largest_story=LargestStory(),
        reasons=_reasons(read.table) if rejected else (),
    )


def _with_stories(
    summary: CorpusSummary, annotations: DataFrame, verdicts: Stage, policy: Policy
) -> CorpusSummary:
    """The summary with the number of stories, the largest, and the warning of the guard."""
    sizes = annotations.groupBy("story_id").count()
    first = sizes.orderBy(F.desc("count"), "story_id").first()
    largest = LargestStory(first["story_id"], first["count"]) if first else LargestStory()
    too_large = verdicts.table.where("row is null").collect() if verdicts.measure else []
    groups = [OversizedGroup(*json.loads(row["verdict"])) for row in too_large]
    removals = summary.duplicates, summary.kept
    return replace(
        summary,
        stories=sizes.count(),
        largest_story=largest,
        warning=removal_warning(*removals, largest, groups, policy),
    )


def _reasons(read: DataFrame) -> tuple[str, ...]:
    """Why rows were rejected, the most frequent first."""
    counts = read.where("why is not null").groupBy("why").count()
    return tuple(why for why, _ in counts.orderBy(F.desc("count"), "why").limit(5).collect())


def _log(summary: CorpusSummary) -> None:
    oversized = summary.oversized_keys
    if oversized.skipped_pairs:
        LOG.warning(
            "%d pairs of %d oversized keys were skipped, the largest key has %d rows",
            *(oversized.skipped_pairs, oversized.keys, oversized.largest),
        )
    if summary.rejected:
        LOG.warning("%d rows are not articles: %s", summary.rejected, "; ".join(summary.reasons))
