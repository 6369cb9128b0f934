"""Running: the stages of the work one after another, each a table that lasts."""

import logging
from hashlib import sha256
from typing import Any, NamedTuple

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from nearcopy.config import POLICIES, RECIPES, Policy, Recipe, checked_policy, checked_recipe
from nearcopy.corpus.columns import OURS
from nearcopy.corpus.job import Settings
from nearcopy.corpus.likes import stand_in
from nearcopy.corpus.sharing import BEFORE, Crowds
from nearcopy.formats.columns import Columns
from nearcopy.formats.reading import GUESSED, check_columns
from nearcopy.spark.components import labelled
from nearcopy.spark.judging import edges_by_all, edges_by_text
from nearcopy.spark.naming import renamed, with_names
from nearcopy.spark.pairing import (
    CROWD,
    Bounds,
    crowds_in,
    pairs_by_all,
    pairs_by_text,
    strongest,
)
from nearcopy.spark.reading import BY_ALL, BY_TEXT, NAME, ODD, PLACE, read_rows
from nearcopy.spark.telling import Linked, copies_among, told_by_all, told_by_text
from nearcopy.spark.work import Stage, Work, notes_in
from nearcopy.stores.shelves import most_candidates

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
    crowds: Crowds
    reasons: tuple[str, ...] = ()  # why rows are no articles, a few of them


class Found(NamedTuple):
    """The rows with what they are, what became of them, and where the work is."""

    table: DataFrame
    summary: Summary
    work: str


class Told(NamedTuple):
    """What the rows are that are not alone, and what was passed over."""

    table: DataFrame
    crowds: Crowds


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
) -> Found:
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
    own = df.drop(*OURS)
    check_columns(NAME, "parquet", settings.columns, tuple(own.columns))
    spark = df.sparkSession
    identity = _identity(df, settings)
    folder = work or f"{spark.conf.get('spark.sql.warehouse.dir')}/nearcopy-{identity['is'][:16]}"
    count = partitions or int(str(spark.conf.get("spark.sql.shuffle.partitions")))
    bounds = Bounds(before, crowd, settings.policy.window, count)
    batch = spark.conf.get(BATCH)
    spark.conf.set(BATCH, TEXTS_AT_ONCE)
    try:
        return _gone_through(Work(spark, str(folder), identity), own, settings, bounds)
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
    named = "\n".join([settings.named, df.schema.json(), *files])
    digest = sha256(named.encode("utf-8", "surrogatepass")).hexdigest()
    return {"version": VERSION, "is": digest}


def _gone_through(work: Work, df: DataFrame, settings: Settings, bounds: Bounds) -> Found:
    rows = work.stage("rows", lambda: df.withColumn(PLACE, F.monotonically_increasing_id()))
    known = settings.columns.places(tuple(df.columns))
    needed = sorted({name for names in known.values() for name in names})
    schema = BY_TEXT if settings.by_text else BY_ALL
    read = work.staged(
        "people",
        lambda: rows.select(PLACE, *map(_quoted, needed)).mapInArrow(read_rows(settings), schema),
        ODD,
    )
    names = renamed(work, read.table)
    people = with_names(read.table, names)
    told = (_by_text if settings.by_text else _by_all)(work, people, settings, bounds)
    marks = work.stage("marks", lambda: _marks(people, told.table))
    summary = _summary(read, names.rows, marks, told.crowds)
    _log(summary)
    mended = bool(names.rows or read.mark)
    return Found(_marked(rows, marks, known["id"], mended=mended), summary, work.folder)


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


def _by_text(work: Work, people: DataFrame, settings: Settings, bounds: Bounds) -> Told:
    likes = work.stage("likes", lambda: _likes(people, settings.policy))
    alone = people.join(likes.select("row"), "row", "left_anti")
    found = pairs_by_text(work, alone, bounds)
    pairs = found.table.where("later is not null")
    edges = work.stage("edges", lambda: edges_by_text(pairs, people, settings))
    labels = labelled(work, copies_among(edges, settings.policy))
    told = told_by_text(work, settings, Linked(people, likes, edges, labels, bounds.partitions))
    return Told(told, crowds_in(found, bounds))


def _likes(people: DataFrame, policy: Policy) -> DataFrame:
    """The rows that another of the same text stands for: row, like."""
    if not stand_in(policy):
        return people.select("row", F.col("row").alias("like")).where("false")
    known = people.where("digest is not null")
    by = ["digest"]
    if policy.sources == "within":
        by, known = ["digest", "source"], known.where("source != 0")
    best = known.groupBy(*by).agg(
        F.min(F.struct("rank", "id", "row"))["row"].alias("like"), F.count("*").alias("size")
    )
    several = best.where("size > 1").drop("size")
    return known.select(*by, "row").join(several, by).where("row != like").select("row", "like")


def _by_all(work: Work, people: DataFrame, settings: Settings, bounds: Bounds) -> Told:
    count = people.count()
    limit = most_candidates(count)
    found = pairs_by_all(work, people, count, bounds)
    ranked = strongest(work, found.table.where("later is not null"), limit)
    pairs = ranked.where(f"place < {limit}")
    edges = work.stage("edges", lambda: edges_by_all(pairs, people, settings))
    labels = labelled(work, edges.where("link"))
    told = told_by_all(settings, people, edges, labels, bounds.partitions)
    crowds = crowds_in(found, bounds._replace(before=limit))
    left_out = ranked.where(f"place >= {limit}").count()
    return Told(told, crowds._replace(passed_over=crowds.passed_over + left_out))


def _marks(people: DataFrame, told: DataFrame) -> DataFrame:
    """What each article is: its place and id, and ours."""
    shares = F.col("overlap").cast("float").cast("double")
    story = F.sha2(F.coalesce("founder", "id"), 256).substr(1, 16)
    return (
        people.select("place", "row", "id", "odd")
        .join(told, "row", "left")
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


def _marked(rows: DataFrame, marks: DataFrame, ids: tuple[str, ...], *, mended: bool) -> DataFrame:
    """The rows as they came, with ours after all they have; each has its id.

    Where ids come again, or rows have none, those of the first of the columns are `mended`.
    """
    both = rows.join(marks, PLACE, "left")
    columns = {name: F.col(_quoted(name)) for name in rows.columns if name != PLACE}
    if not ids:
        columns = {"id": F.col("nearcopy_id"), **columns}
    elif mended:
        own = columns[ids[0]].cast("string")
        columns[ids[0]] = F.when(F.col("nearcopy_odd"), F.col("nearcopy_id")).otherwise(own)
    return both.select(*(each.alias(name) for name, each in columns.items()), *OURS)


def _summary(read: Stage, renamed: int, marks: DataFrame, crowds: Crowds) -> Summary:
    counted = marks.groupBy("relation", "is_duplicate").count().collect()
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


def _log(found: Summary) -> None:
    if found.crowds.passed_over:
        LOG.warning(
            "%d pairs were passed over under %d crowded keys, the largest of %d rows",
            *(found.crowds.passed_over, found.crowds.keys, found.crowds.largest),
        )
    if found.rejected:
        LOG.warning("%d rows are no articles: %s", found.rejected, "; ".join(found.reasons))
