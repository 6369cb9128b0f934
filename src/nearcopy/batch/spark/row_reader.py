"""Rows of a Spark table: fingerprints and unique ids, in Arrow batches."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from nearcopy.batch.linked_groups import UNDATED_TIME
from nearcopy.batch.local.fingerprints import sketch_columns, time_column
from nearcopy.batch.local.inputs import Input
from nearcopy.batch.local.row_reader import HTML, NO_ID, REWRITE, RowReader, TextRow, row_flags
from nearcopy.batch.output_columns import Settings
from nearcopy.batch.rank import rank
from nearcopy.batch.spark.checkpoints import Checkpoints, Stage
from nearcopy.fingerprint.blocking_keys import blocking_keys, lookup_keys
from nearcopy.fingerprint.fingerprint import fingerprints
from nearcopy.io.files.rows import Place, Rejected, Row
from nearcopy.kernels import xxh3_64
from nearcopy.match.candidate_index import TITLE
from nearcopy.models import Fingerprint
from nearcopy.stores.row_codec import FingerprintRow, fingerprint_from_row, fingerprint_to_row

PLACE = "nearcopy_place"  # the column of the position of a row in the input
NAME = "the table"
ROWS_PER_BATCH = 1024
COUNT_CHANGED_IDS = "count_if(id_changed)"  # rows whose id is not that of the table
SHARED_SCHEMA = (
    "place long, why string, id string, id_changed boolean, row long, text string, html boolean, "
    "words int, digest binary, published long, seen long, rank array<long>, keys array<long>"
)
TEXT_SCHEMA = f"{SHARED_SCHEMA}, simhash long, source long"
BLOBS = ("simhash", "minhash", "numerals", "profile")
ARTICLE_SCHEMA = (
    f"{SHARED_SCHEMA}, {', '.join(f'{name} binary' for name in BLOBS)}, rest string, title_keys int"
)
Batches = Iterable[pa.RecordBatch]
Columns = dict[str, pa.Array]
Numbers = NDArray[np.int64]


def row_number(article_id: str) -> int:
    """A hash of an id as row number, the same on every machine."""
    return xxh3_64(article_id.encode("utf-8", "surrogatepass")) >> 1


def read_rows(settings: Settings) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    """What turns batches of rows into columns; rejected rows have a reason instead."""
    by_text = settings.by_text

    def read(batches: Batches) -> Iterator[pa.RecordBatch]:
        reader = RowReader(settings, Input(NAME, NAME, "parquet", False, 0, 0))
        for batch in batches:
            for start in range(0, batch.num_rows, ROWS_PER_BATCH):
                values = batch.slice(start, ROWS_PER_BATCH).to_pylist()
                places = [row.pop(PLACE) for row in values]
                read_one = reader.read_text if by_text else reader.read_article
                located = zip(places, values, strict=True)
                rows = [read_one((Place(NAME, place), row)) for place, row in located]
                accepted: list[Any] = [row for row in rows if not isinstance(row, Rejected)]
                make = _text_columns if by_text else _article_columns
                yield _with_rejected(make(settings, accepted), places, rows)

    return read


def _text_columns(settings: Settings, rows: list[TextRow]) -> Columns:
    sketches = sketch_columns(settings, rows)
    words = sketches["words"]
    after = np.zeros(len(rows), np.int64)
    ranks = rank(sketches["published"], sketches["seen"], words, settings.policy.keep, after=after)
    return {
        "id": pa.array([row.id for row in rows], pa.string()),
        "id_changed": pa.array(sketches["flags"] & (NO_ID | REWRITE) > 0, pa.bool_()),
        "row": pa.array([row_number(row.id) for row in rows], pa.int64()),
        "text": pa.array([row.text for row in rows], pa.string()),
        "html": pa.array(sketches["flags"] & HTML > 0, pa.bool_()),
        "words": pa.array(words.astype(np.int32)),
        "digest": _digests(sketches["digest"], words > 0),
        "published": pa.array(sketches["published"]),
        "seen": pa.array(sketches["seen"]),
        "rank": _lists(np.stack(ranks, axis=1)),
        "keys": _lists(sketches["keys"].view(np.int64)),
        "simhash": _numbers(sketches.get("simhash"), len(rows)),
        "source": _numbers(sketches.get("source"), len(rows)),
    }


def _article_columns(settings: Settings, rows: list[Row]) -> Columns:
    articles = [row.article for row in rows]
    prints = list(fingerprints(articles, settings.recipe))
    key_rows = lookup_keys(blocking_keys(prints, settings.recipe), settings.policy)
    encoded = [fingerprint_to_row(fingerprint) for fingerprint in prints]
    published = time_column(fingerprint.published for fingerprint in prints)
    seen = time_column(fingerprint.seen for fingerprint in prints)
    words = np.array([fingerprint.words for fingerprint in prints], np.int32)
    ages = rank(published, seen, words, (), after=np.zeros(len(prints), np.int64))
    flags = [row_flags(row) for row in rows]
    title_keys = [int((row & np.uint64(3) == TITLE).sum()) for row in key_rows]
    return {
        "id": pa.array([article.id for article in articles], pa.string()),
        "id_changed": pa.array([flag & (NO_ID | REWRITE) > 0 for flag in flags], pa.bool_()),
        "row": pa.array([row_number(article.id) for article in articles], pa.int64()),
        "text": pa.array([article.text for article in articles], pa.string()),
        "html": pa.array([article.html for article in articles], pa.bool_()),
        "words": pa.array(words),
        "digest": pa.array([fingerprint.digest for fingerprint in prints], pa.binary()),
        "published": pa.array(published),
        "seen": pa.array(seen),
        "rank": _lists(np.stack(ages, axis=1)),
        "keys": pa.array([row.astype(np.uint64).view(np.int64) for row in key_rows], LIST),
        **{name: pa.array([getattr(row, name) for row in encoded], pa.binary()) for name in BLOBS},
        "rest": pa.array([row.rest for row in encoded], pa.string()),
        "title_keys": pa.array(title_keys, pa.int32()),
    }


LIST = pa.list_(pa.int64())


def _digests(values: NDArray[np.uint64], present: NDArray[np.bool_]) -> pa.Array:
    data = values.astype("<u8").tobytes()
    digests = [data[at : at + 16] for at in range(0, len(data), 16)]
    pairs = zip(digests, present.tolist(), strict=True)
    return pa.array([digest if exists else None for digest, exists in pairs], pa.binary())


def _lists(values: Numbers) -> pa.Array:
    """The rows of a matrix as lists."""
    count, width = values.shape
    ends = np.arange(0, (count + 1) * width, width, dtype=np.int32) if width else [0] * (count + 1)
    return pa.ListArray.from_arrays(
        pa.array(ends, pa.int32()), pa.array(np.ascontiguousarray(values).ravel(), pa.int64())
    )


def _numbers(values: NDArray[np.uint64] | None, count: int) -> pa.Array:
    return pa.nulls(count, pa.int64()) if values is None else pa.array(values.view(np.int64))


def _with_rejected(columns: Columns, places: list[int], rows: list[Any]) -> pa.RecordBatch:
    """The columns of the accepted rows; at their end the rejected ones, with only a reason."""
    located = list(zip(places, rows, strict=True))
    accepted = [place for place, row in located if not isinstance(row, Rejected)]
    rejected = [(place, row.why) for place, row in located if isinstance(row, Rejected)]
    all_places = [*accepted, *(place for place, _ in rejected)]
    reasons = [*([None] * len(accepted)), *(why for _, why in rejected)]
    padded = {
        name: pa.concat_arrays([values, pa.nulls(len(rejected), values.type)])
        if rejected
        else values
        for name, values in columns.items()
    }
    head = {"place": pa.array(all_places, pa.int64()), "why": pa.array(reasons, pa.string())}
    return pa.RecordBatch.from_pydict(head | padded)


def fingerprints_in(batch: pa.RecordBatch, end: str = "") -> Iterator[Fingerprint]:
    """The fingerprints of a batch, from columns with this suffix.

    Undated ones follow all others.
    """
    names = ("id", "words", "digest", *BLOBS, "rest")
    columns = [batch.column(f"{name}{end}").to_pylist() for name in names]
    for article_id, *encoded in zip(*columns, strict=True):
        fingerprint = fingerprint_from_row(FingerprintRow(*encoded))
        undated = fingerprint.published is None and fingerprint.seen is None
        yield replace(
            fingerprint, id=article_id, seen=UNDATED_TIME if undated else fingerprint.seen
        )


def grouped_rows(batches: Batches, name: str) -> Iterator[list[dict[str, Any]]]:
    """The consecutive rows that have the same value in a column, group by group."""
    group: list[dict[str, Any]] = []
    for batch in batches:
        for row in batch.to_pylist():
            if group and group[0][name] != row[name]:
                yield group
                group = []
            group.append(row)
    if group:
        yield group


RENAMED_SCHEMA = "place long, name string, row long"


def rename_repeated_ids(checkpoints: Checkpoints, articles: DataFrame) -> Stage:
    """The rows whose id an earlier row has, as "id#2", "id#3": place, name, row."""
    names = articles.where("id is not null").select("place", "id", "row")
    repeated = checkpoints.stage("repeated_ids", lambda: _repeated_ids(names))
    return (
        repeated
        if not repeated.rows
        else checkpoints.stage("unique_ids", lambda: _make_unique(names, repeated.table))
    )


def _repeated_ids(names: DataFrame) -> DataFrame:
    """Numbered ids of repeated rows; two ids with the same hash count as repeated as well."""
    many = names.groupBy("row").count().where("count > 1").select("row")
    order = Window.partitionBy("row").orderBy("place")
    repeated = names.join(many, "row").withColumn("n", F.row_number().over(order)).where("n > 1")
    new_ids = repeated.select(
        "place", F.concat("id", F.lit("#"), F.col("n").cast("string")).alias("id")
    )
    return new_ids.mapInArrow(_number_rows(), RENAMED_SCHEMA)


def _make_unique(names: DataFrame, new_ids: DataFrame) -> DataFrame:
    """The new ids; one that another row has already is extended."""
    existing = names.select("row").distinct()
    while not (clash := new_ids.join(existing, "row", "left_semi")).isEmpty():
        longer = clash.select("place", F.concat("name", F.lit("#2")).alias("id"))
        unique = new_ids.join(existing, "row", "left_anti")
        new_ids = unique.union(longer.mapInArrow(_number_rows(), RENAMED_SCHEMA))
    return new_ids


def _number_rows() -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    def number(batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = [row_number(name) for name in batch.column("id").to_pylist()]
            columns = [batch.column("place"), batch.column("id"), pa.array(rows, pa.int64())]
            yield pa.RecordBatch.from_arrays(columns, ["place", "name", "row"])

    return number


def with_unique_ids(articles: DataFrame, names: Stage) -> DataFrame:
    """The accepted rows under their unique ids."""
    articles = articles.where("id is not null")
    if not names.rows:
        return articles
    new = names.table.withColumnRenamed("row", "new_row")
    both = articles.join(new, "place", "left")
    return (
        both.withColumn("id", F.coalesce("name", "id"))
        .withColumn("row", F.coalesce("new_row", "row"))
        .withColumn("id_changed", F.col("id_changed") | F.col("new_row").isNotNull())
        .drop("name", "new_row")
    )
