"""Running: the stages of the work one after another, each a table that lasts."""

import logging
from hashlib import sha256
from typing import Any, NamedTuple

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from nearcopy.batch.local.exact_duplicates import stand_in
from nearcopy.batch.local.job import Settings
from nearcopy.batch.local.output_columns import CLUSTER_COLUMNS
from nearcopy.batch.local.shared_keys import BEFORE, OversizedKeys
from nearcopy.batch.spark.candidate_pairs import (
    CROWD,
    Bounds,
    oversized_keys_in,
    pairs_by_all,
    pairs_by_text,
    strongest,
)
from nearcopy.batch.spark.checkpoints import Stage, Work, notes_in
from nearcopy.batch.spark.clusters import LinkedGraph, cluster_by_all, cluster_by_text, copies_among
from nearcopy.batch.spark.compare_rows import edges_by_all, edges_by_text
from nearcopy.batch.spark.connected_components import connected_components
from nearcopy.batch.spark.row_reader import (
    ARTICLE_SCHEMA,
    COUNT_CHANGED_IDS,
    NAME,
    PLACE,
    TEXT_SCHEMA,
    read_rows,
)
from nearcopy.batch.spark.unique_ids import rename_repeated_ids, with_unique_ids
from nearcopy.config import POLICIES, RECIPES, Policy, Recipe, checked_policy, checked_recipe
from nearcopy.io.files.column_names import Columns
from nearcopy.io.files.read import GUESSED, check_columns
from nearcopy.match.candidate_index import most_candidates

VERSION = 1  # of what stands in the folder of the work
LOG = logging.getLogger(__name__)
BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"
TEXTS_AT_ONCE = 2000  # rows of a batch that may hold long texts
MARKED = ("relation", "overlap", "founder", "of")


class Summary(NamedTuple):
    """What became of the rows."""

    rows: int
    kept: int
    duplicates: int
    rejected: int  # rows that are no articles: nothing stands beside them
    renamed: int  # rows whose id an earlier one had
    relations: dict[str, int]
    crowds: OversizedKeys
    reasons: tuple[str, ...] = ()  # why rows are no articles, a few of them


class Result(NamedTuple):
    """The rows with what they are, what became of them, and where the work is."""

    table: DataFrame
    summary: Summary
    work: str


class Outcomes(NamedTuple):
    """What the rows are that are not alone, and what was passed over."""

    table: DataFrame
    crowds: OversizedKeys


def run(
    df: DataFrame,
    *,
    recipe: Recipe | None = None,
    policy: Policy | None = None,
    columns: Columns | None = None,
    html: bool = False,
    work: str | None = None,
    partitions: int | None = None,
    crowd: int = CROWD,
    before: int = BEFORE,
) -> Result:
    """Goes through all rows, and says what became of them; as `deduplicate` else.

    A key that more than `crowd` rows have is the work of several machines. Under a key each text is
    compared with so many `before` it, and the first ones.
    """
    settings = Settings(
        recipe=checked_recipe(recipe) or RECIPES["copies"],
        policy=checked_policy(policy) if policy is not None else POLICIES["copies"],
        columns=columns or GUESSED,
        html=html,
    )
    own = df.drop(*CLUSTER_COLUMNS)
    check_columns(NAME, "parquet", settings.columns, tuple(own.columns))
    spark = df.sparkSession
    identity = _identity(df, settings)
    folder = work or f"{spark.conf.get('spark.sql.warehouse.dir')}/nearcopy-{identity['is'][:16]}"
    count = partitions or int(str(spark.conf.get("spark.sql.shuffle.partitions")))
    bounds = Bounds(before, crowd, settings.policy.window, count)
    batch = spark.conf.get(BATCH)
    spark.conf.set(BATCH, TEXTS_AT_ONCE)
    try:
        return _run_stages(Work(spark, str(folder), identity), own, settings, bounds)
    finally:
        spark.conf.set(BATCH, str(batch))


def forget(spark: SparkSession, work: str) -> None:
    """Removes the folder of a work, and the tables that are read from it."""
    notes_in(spark, work).remove()


def _identity(df: DataFrame, settings: Settings) -> dict[str, Any]:
    """What must be the same for work that was begun to be gone on with."""
    try:
        files = sorted(df.inputFiles())
    except PySparkException:  # not every session tells
        files = []
    named = "\n".join([settings.as_text, df.schema.json(), *files])
    digest = sha256(named.encode("utf-8", "surrogatepass")).hexdigest()
    return {"version": VERSION, "is": digest}


def _run_stages(work: Work, df: DataFrame, settings: Settings, bounds: Bounds) -> Result:
    rows = work.stage("rows", lambda: df.withColumn(PLACE, F.monotonically_increasing_id()))
    places = settings.columns.places(tuple(df.columns))
    needed = sorted({name for names in places.values() for name in names})
    schema = TEXT_SCHEMA if settings.by_text else ARTICLE_SCHEMA
    read = work.staged(
        "people",
        lambda: rows.select(PLACE, *map(_quote, needed)).mapInArrow(read_rows(settings), schema),
        COUNT_CHANGED_IDS,
    )
    names = rename_repeated_ids(work, read.table)
    articles = with_unique_ids(read.table, names)
    clusters = (_cluster_texts if settings.by_text else _cluster_articles)(
        work, articles, settings, bounds
    )
    annotations = work.stage("marks", lambda: _annotations(articles, clusters.table))
    summary = _summary(read, names.rows, annotations, clusters.crowds)
    _log(summary)
    mended = bool(names.rows or read.mark)
    return Result(_annotate(rows, annotations, places["id"], mended=mended), summary, work.folder)


def _quote(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


def _cluster_texts(work: Work, articles: DataFrame, settings: Settings, bounds: Bounds) -> Outcomes:
    exact_duplicates = work.stage("likes", lambda: _exact_duplicates(articles, settings.policy))
    representatives = articles.join(exact_duplicates.select("row"), "row", "left_anti")
    stage = pairs_by_text(work, representatives, bounds)
    pairs = stage.table.where("later is not null")
    edges = work.stage("edges", lambda: edges_by_text(pairs, articles, settings))
    labels = connected_components(work, copies_among(edges, settings.policy))
    outcomes = cluster_by_text(
        work, settings, LinkedGraph(articles, exact_duplicates, edges, labels, bounds.partitions)
    )
    return Outcomes(outcomes, oversized_keys_in(stage, bounds))


def _exact_duplicates(articles: DataFrame, policy: Policy) -> DataFrame:
    """The rows that another of the same text stands for: row, like."""
    if not stand_in(policy):
        return articles.select("row", F.col("row").alias("like")).where("false")
    texts = articles.where("digest is not null")
    by = ["digest"]
    if policy.sources == "within":
        by, texts = ["digest", "source"], texts.where("source != 0")
    best = texts.groupBy(*by).agg(
        F.min(F.struct("rank", "id", "row"))["row"].alias("like"), F.count("*").alias("size")
    )
    several = best.where("size > 1").drop("size")
    return texts.select(*by, "row").join(several, by).where("row != like").select("row", "like")


def _cluster_articles(
    work: Work, articles: DataFrame, settings: Settings, bounds: Bounds
) -> Outcomes:
    count = articles.count()
    limit = most_candidates(count)
    stage = pairs_by_all(work, articles, count, bounds)
    ranked = strongest(work, stage.table.where("later is not null"), limit)
    pairs = ranked.where(f"place < {limit}")
    edges = work.stage("edges", lambda: edges_by_all(pairs, articles, settings))
    labels = connected_components(work, edges.where("link"))
    outcomes = cluster_by_all(settings, articles, edges, labels, bounds.partitions)
    crowds = oversized_keys_in(stage, bounds._replace(before=limit))
    left_out = ranked.where(f"place >= {limit}").count()
    return Outcomes(outcomes, crowds._replace(passed_over=crowds.passed_over + left_out))


def _annotations(articles: DataFrame, clusters: DataFrame) -> DataFrame:
    """What each article is: its place and id, and ours."""
    shares = F.col("overlap").cast("float").cast("double")
    story = F.sha2(F.coalesce("founder", "id"), 256).substr(1, 16)
    return (
        articles.select("place", "row", "id", "odd")
        .join(clusters, "row", "left")
        .select(
            F.col("place").alias(PLACE),
            F.col("id").alias("nearcopy_id"),
            F.col("odd").alias("nearcopy_odd"),
            F.coalesce("relation", F.lit("distinct")).alias("relation"),
            F.col("of").isNotNull().alias("is_duplicate"),
            F.col("of").alias("duplicate_of"),
            F.concat(F.lit("s-"), story).alias("story_id"),
            (F.rint(shares * 10_000) / 10_000).alias("overlap"),
        )
    )


def _annotate(
    rows: DataFrame, annotations: DataFrame, ids: tuple[str, ...], *, mended: bool
) -> DataFrame:
    """The rows as they came, with ours after all they have; each has its id.

    Where ids come again, or rows have none, those of the first of the columns are `mended`.
    """
    both = rows.join(annotations, PLACE, "left")
    columns = {name: F.col(_quote(name)) for name in rows.columns if name != PLACE}
    if not ids:
        columns = {"id": F.col("nearcopy_id"), **columns}
    elif mended:
        own = columns[ids[0]].cast("string")
        columns[ids[0]] = F.when(F.col("nearcopy_odd"), F.col("nearcopy_id")).otherwise(own)
    return both.select(*(column.alias(name) for name, column in columns.items()), *CLUSTER_COLUMNS)


def _summary(read: Stage, renamed: int, annotations: DataFrame, crowds: OversizedKeys) -> Summary:
    counted = annotations.groupBy("relation", "is_duplicate").count().collect()
    relations: dict[str, int] = {}
    for relation, _, count in counted:
        relations[relation] = relations.get(relation, 0) + count
    rows = sum(relations.values())
    duplicates = sum(count for _, copy, count in counted if copy)
    rejected = read.rows - rows
    return Summary(
        rows=rows,
        kept=rows - duplicates,
        duplicates=duplicates,
        rejected=rejected,
        renamed=renamed,
        relations=relations,
        crowds=crowds,
        reasons=_reasons(read.table) if rejected else (),
    )


def _reasons(read: DataFrame) -> tuple[str, ...]:
    """Why rows are no articles, the commonest first."""
    counted = read.where("why is not null").groupBy("why").count()
    return tuple(why for why, _ in counted.orderBy(F.desc("count"), "why").limit(5).collect())


def _log(summary: Summary) -> None:
    if summary.crowds.passed_over:
        LOG.warning(
            "%d pairs were passed over under %d crowded keys, the largest of %d rows",
            *(summary.crowds.passed_over, summary.crowds.keys, summary.crowds.largest),
        )
    if summary.rejected:
        LOG.warning("%d rows are no articles: %s", summary.rejected, "; ".join(summary.reasons))
