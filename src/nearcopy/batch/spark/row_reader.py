"""Rows of a Spark table: fingerprints and unique ids, in Arrow batches."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from nearcopy.batch.column_rules import rank
from nearcopy.batch.corpus_settings import Settings
from nearcopy.batch.local.corpus_job import Input
from nearcopy.batch.local.fingerprints import fingerprint_columns, hash_ids, sketch_columns
from nearcopy.batch.local.row_reader import HTML, NO_ID, REWRITE, RowReader, TextRow
from nearcopy.batch.spark.checkpoints import Checkpoints, Stage
from nearcopy.config import Keep
from nearcopy.io.files.read import UniqueIds, id_family
from nearcopy.io.files.rows import Place, Rejected, Row
from nearcopy.match.candidate_index import TITLE
from nearcopy.models import Fingerprint
from nearcopy.stores.row_codec import FingerprintRow, fingerprint_from_row

PLACE = "nearcopy_place"  # the column of the position of a row in the input
NAME = "the table"
ROWS_PER_BATCH = 1024
COUNT_CHANGED_IDS = "count_if(id_changed)"  # rows whose id is not that of the table
SHARED_SCHEMA = (
    "place long, why string, id string, id_hash long, family_hash long, id_changed boolean, "
    "row long, text string, html boolean, words int, digest binary, published long, seen long, "
    "rank array<long>, keys array<long>"
)
TEXT_SCHEMA = f"{SHARED_SCHEMA}, simhash long, source long"
BLOBS = ("simhash", "minhash", "numerals", "profile")
ARTICLE_SCHEMA = (
    f"{SHARED_SCHEMA}, {', '.join(f'{name} binary' for name in BLOBS)}, rest string, "
    "title_keys int, block_page string"
)
Batches = Iterable[pa.RecordBatch]
Columns = dict[str, Any]
ARROW_TYPES = {
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "array<long>": pa.list_(pa.int64()),
    "array<string>": pa.list_(pa.string()),
}


def to_batch(schema: str, columns: Mapping[str, Any]) -> pa.RecordBatch:
    """The columns as a batch of a Spark schema; those that are missing are null."""
    count = max(map(len, columns.values()))
    arrays = {}
    for name, kind in map(str.split, schema.split(", ")):
        values, arrow_type = columns.get(name), ARROW_TYPES[kind]
        is_null = values is None
        arrays[name] = pa.nulls(count, arrow_type) if is_null else pa.array(values, arrow_type)
    return pa.RecordBatch.from_pydict(arrays)


def rows_to_batch(schema: str, rows: Iterable[Sequence[Any]]) -> pa.RecordBatch:
    """The rows as a batch of a Spark schema."""
    names = [field.split()[0] for field in schema.split(", ")]
    values = list(rows)
    return to_batch(
        schema, {name: [row[place] for row in values] for place, name in enumerate(names)}
    )


def read_rows(settings: Settings, batches: Batches) -> Iterator[pa.RecordBatch]:
    """The rows of batches as columns; rejected rows have a reason instead."""
    reader = RowReader(settings, Input(NAME, NAME, "parquet", False, 0, 0))
    by_text = settings.by_text
    read_one = reader.read_text if by_text else reader.read_article
    make: Callable[[Settings, Any], Columns] = _text_columns if by_text else _article_columns
    for batch in batches:
        for start in range(0, batch.num_rows, ROWS_PER_BATCH):
            accepted, rejected = dict[int, Any](), dict[int, str]()
            for values in batch.slice(start, ROWS_PER_BATCH).to_pylist():
                place = values.pop(PLACE)
                row = read_one((Place(NAME, place), values))
                if isinstance(row, Rejected):
                    rejected[place] = row.why
                else:
                    accepted[place] = row
            if accepted:
                columns = make(settings, list(accepted.values()))
                places = {"place": list(accepted), "row": list(accepted)}
                yield to_batch(schema_of(settings), places | columns)
            if rejected:
                reasons = {"place": list(rejected), "why": list(rejected.values())}
                yield to_batch(schema_of(settings), reasons)


def schema_of(settings: Settings) -> str:
    """The columns of the rows."""
    return TEXT_SCHEMA if settings.by_text else ARTICLE_SCHEMA


def _text_columns(settings: Settings, rows: list[TextRow]) -> Columns:
    sketches = sketch_columns(settings, rows)
    texts, ids = [row.text for row in rows], [row.id for row in rows]
    digests = zip(sketches["digest"].astype("<u8"), sketches["words"].tolist(), strict=True)
    hashes = {name: sketches[name] for name in ("simhash", "source") if name in sketches}
    return {
        **_shared_columns(ids, texts, sketches, settings.policy.keep),
        "digest": [digest.tobytes() if words else None for digest, words in digests],
        "keys": list(sketches["keys"].view(np.int64)),
        **{name: values.view(np.int64) for name, values in hashes.items()},
    }


def _article_columns(settings: Settings, rows: list[Row]) -> Columns:
    columns, key_rows, encoded, block_pages = fingerprint_columns(settings, rows)
    texts, ids = [row.article.text for row in rows], [row.article.id for row in rows]
    return {
        **_shared_columns(ids, texts, columns, ()),
        "keys": [row.astype(np.uint64).view(np.int64) for row in key_rows],
        **{name: [getattr(row, name) for row in encoded] for name in ("digest", *BLOBS, "rest")},
        "block_page": block_pages,
        "title_keys": [int((row & np.uint64(3) == TITLE).sum()) for row in key_rows],
    }


def _shared_columns(
    ids: list[str], texts: list[str], columns: Columns, keep: Sequence[Keep]
) -> Columns:
    names = ("flags", "words", "published", "seen")
    flags, words, published, seen = (columns[name] for name in names)
    ranks = rank(published, seen, words, keep)
    return {
        "id": ids,
        "id_changed": flags & (NO_ID | REWRITE) > 0,
        "id_hash": hash_ids(ids).view(np.int64),
        "family_hash": hash_ids(map(id_family, ids)).view(np.int64),
        "text": texts,
        "html": flags & HTML > 0,
        "words": words,
        "published": published,
        "seen": seen,
        "rank": list(np.stack(ranks, axis=1)),
    }


def fingerprints_in(batch: pa.RecordBatch, end: str = "") -> Iterator[Fingerprint]:
    """The fingerprints of a batch, from columns with this suffix."""
    names = ("id", "words", "digest", *BLOBS, "rest")
    columns = [batch.column(f"{name}{end}").to_pylist() for name in names]
    for article_id, *encoded in zip(*columns, strict=True):
        fingerprint = fingerprint_from_row(FingerprintRow(*encoded))
        yield replace(fingerprint, id=article_id)


RENAMED_SCHEMA = "place long, name string"


def rename_repeated_ids(checkpoints: Checkpoints, articles: DataFrame) -> Stage:
    """The new ids of rows that do not get their own, as `UniqueIds` assigns them: place, name."""
    names = articles.where("id is not null").select("place", "id", "id_hash", "family_hash")
    counts = names.groupBy("id_hash").agg(F.count("*").alias("n"), F.min("family_hash").alias("f"))
    families = counts.where("n > 1").select(F.col("f").alias("family_hash")).distinct()
    members = names.join(families, "family_hash", "left_semi").repartition("family_hash")
    ordered = members.sortWithinPartitions("family_hash", "place")
    return checkpoints.stage("unique_ids", lambda: ordered.mapInArrow(_assign_ids, RENAMED_SCHEMA))


def _assign_ids(batches: Batches) -> Iterator[pa.RecordBatch]:
    """The new ids of rows that are sorted by family and place."""
    rows = (row for batch in batches for row in batch.to_pylist())
    for _, family in groupby(rows, itemgetter("family_hash")):
        assign = UniqueIds().assign
        named = [(row["place"], row["id"], assign(row["id"])) for row in family]
        yield rows_to_batch(
            RENAMED_SCHEMA, [(place, name) for place, own, name in named if name != own]
        )


def with_unique_ids(articles: DataFrame, names: Stage) -> DataFrame:
    """The accepted rows under their unique ids."""
    articles = articles.where("id is not null").drop("id_hash", "family_hash")
    if not names.rows:
        return articles
    both = articles.join(names.table, "place", "left")
    return (
        both.withColumn("id", F.coalesce("name", "id"))
        .withColumn("id_changed", F.col("id_changed") | F.col("name").isNotNull())
        .drop("name")
    )
