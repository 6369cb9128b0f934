"""Reading: rows of a table to what they are found and compared by, batch by batch of Arrow."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from nearcopy.batch.local.group_clusters import UNDATED_TIME
from nearcopy.batch.local.inputs import Input
from nearcopy.batch.local.job import Settings
from nearcopy.batch.local.rank import rank
from nearcopy.batch.local.row_reader import (
    HTML,
    NEVER,
    NO_ID,
    REWRITE,
    RowReader,
    TextRow,
    flags_of,
)
from nearcopy.batch.local.sketch_rows import sketch_columns
from nearcopy.fingerprint.blocking_keys import keys, looked_by
from nearcopy.fingerprint.fingerprint import fingerprints
from nearcopy.io.files.rows import Place, Rejected, Row
from nearcopy.kernels import xxh3_64
from nearcopy.match.candidate_index import TITLE
from nearcopy.models.model import Fingerprint
from nearcopy.models.timestamps import micros
from nearcopy.stores.row_codec import FingerprintRow, fingerprint_of, fingerprint_row

PLACE = "nearcopy_place"  # the number of a row, for as long as the work lasts
NAME = "the table"
BATCH = 1024  # rows at a time
COUNT_CHANGED_IDS = "count_if(odd)"  # rows whose id is not what stands in the table
SHARED_SCHEMA = (
    "place long, why string, id string, odd boolean, row long, text string, html boolean, "
    "words int, digest binary, published long, seen long, rank array<long>, keys array<long>"
)
TEXT_SCHEMA = f"{SHARED_SCHEMA}, simhash long, source long"
PACKED = ("simhash", "minhash", "numerals", "profile")
ARTICLE_SCHEMA = (
    f"{SHARED_SCHEMA}, {', '.join(f'{name} binary' for name in PACKED)}, rest string, titled int"
)
Batches = Iterable[pa.RecordBatch]
Columns = dict[str, pa.Array]
Numbers = NDArray[np.int64]


def row_number(name: str) -> int:
    """The number that stands for an id: the same whatever machine has the row."""
    return xxh3_64(name.encode("utf-8", "surrogatepass")) >> 1


def read_rows(settings: Settings) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    """What reads batches of rows; those that are no articles say why."""
    make = _text_columns if settings.by_text else _article_columns

    def read(batches: Batches) -> Iterator[pa.RecordBatch]:
        reader = RowReader(settings, Input(NAME, NAME, "parquet", False, 0, 0))
        for batch in batches:
            for part in _parts(batch):
                yield make(settings, reader, part)

    return read


def _parts(batch: pa.RecordBatch) -> Iterator[list[dict[str, Any]]]:
    for start in range(0, batch.num_rows, BATCH):
        yield batch.slice(start, BATCH).to_pylist()


def _text_columns(
    settings: Settings, reader: RowReader, values: list[dict[str, Any]]
) -> pa.RecordBatch:
    places = [row.pop(PLACE) for row in values]
    records = [
        reader.text_row(row, Place(NAME, at)) for at, row in zip(places, values, strict=True)
    ]
    rows = [row for row in records if isinstance(row, TextRow)]
    sketches = sketch_columns(settings, rows)
    words = sketches["words"]
    present = words > 0
    keep, after = settings.policy.keep, np.zeros(len(rows), np.int64)
    ranks = rank(sketches["published"], sketches["seen"], words, keep, after=after)
    columns: Columns = {
        "id": pa.array([row.id for row in rows], pa.string()),
        "odd": pa.array(sketches["flags"] & (NO_ID | REWRITE) > 0, pa.bool_()),
        "row": pa.array([row_number(row.id) for row in rows], pa.int64()),
        "text": pa.array([row.text for row in rows], pa.string()),
        "html": pa.array(sketches["flags"] & HTML > 0, pa.bool_()),
        "words": pa.array(words.astype(np.int32)),
        "digest": _digests(sketches["digest"], present),
        "published": pa.array(sketches["published"]),
        "seen": pa.array(sketches["seen"]),
        "rank": _lists(np.stack(ranks, axis=1)),
        "keys": _lists(sketches["keys"].view(np.int64)),
        "simhash": _numbers(sketches.get("simhash"), len(rows)),
        "source": _numbers(sketches.get("source"), len(rows)),
    }
    read_places = [at for at, row in zip(places, records, strict=True) if isinstance(row, TextRow)]
    return _with_rejected(columns, read_places, _rejected(places, records))


def _article_columns(
    settings: Settings, reader: RowReader, values: list[dict[str, Any]]
) -> pa.RecordBatch:
    places = [item.pop(PLACE) for item in values]
    records = [
        reader.article(item, Place(NAME, at)) for at, item in zip(places, values, strict=True)
    ]
    rows = [item for item in records if isinstance(item, Row)]
    articles = [item.article for item in rows]
    prints = list(fingerprints(articles, settings.recipe))
    lookup_keys = looked_by(keys(prints, settings.recipe), settings.policy)
    packed = [fingerprint_row(item) for item in prints]
    published, seen = (
        _times(getattr(item, name) for item in prints) for name in ("published", "seen")
    )
    words = np.array([item.words for item in prints], np.int32)
    ages = rank(published, seen, words, (), after=np.zeros(len(prints), np.int64))
    columns: Columns = {
        "id": pa.array([item.id for item in articles], pa.string()),
        "odd": pa.array([flags_of(item) & (NO_ID | REWRITE) > 0 for item in rows], pa.bool_()),
        "row": pa.array([row_number(item.id) for item in articles], pa.int64()),
        "text": pa.array([item.text for item in articles], pa.string()),
        "html": pa.array([item.html for item in articles], pa.bool_()),
        "words": pa.array(words),
        "digest": pa.array([item.digest for item in prints], pa.binary()),
        "published": pa.array(published),
        "seen": pa.array(seen),
        "rank": _lists(np.stack(ages, axis=1)),
        "keys": pa.array([item.astype(np.uint64).view(np.int64) for item in lookup_keys], LIST),
        **{n: pa.array([getattr(item, n) for item in packed], pa.binary()) for n in PACKED},
        "rest": pa.array([item.rest for item in packed], pa.string()),
        "titled": pa.array(
            [int((k & np.uint64(3) == TITLE).sum()) for k in lookup_keys], pa.int32()
        ),
    }
    read_places = [at for at, item in zip(places, records, strict=True) if isinstance(item, Row)]
    return _with_rejected(columns, read_places, _rejected(places, records))


LIST = pa.list_(pa.int64())


def _digests(values: NDArray[np.uint64], present: NDArray[np.bool_]) -> pa.Array:
    held = values.astype("<u8").tobytes()
    digests = [held[at : at + 16] for at in range(0, len(held), 16)]
    pairs = zip(digests, present.tolist(), strict=True)
    return pa.array([digest if is_there else None for digest, is_there in pairs], pa.binary())


def _lists(values: Numbers) -> pa.Array:
    """The rows of a matrix as lists."""
    count, width = values.shape
    ends = np.arange(0, (count + 1) * width, width, dtype=np.int32) if width else [0] * (count + 1)
    return pa.ListArray.from_arrays(
        pa.array(ends, pa.int32()), pa.array(np.ascontiguousarray(values).ravel(), pa.int64())
    )


def _numbers(values: NDArray[np.uint64] | None, count: int) -> pa.Array:
    return pa.nulls(count, pa.int64()) if values is None else pa.array(values.view(np.int64))


def _times(moments: Iterable[Any]) -> Numbers:
    times = (micros(time) for time in moments)
    return np.array([NEVER if time is None else time for time in times], np.int64)


def _rejected(places: Sequence[int], records: Sequence[object]) -> list[tuple[int, str]]:
    both = zip(places, records, strict=True)
    return [(at, record.why) for at, record in both if isinstance(record, Rejected)]


def _with_rejected(
    columns: Columns, places: list[int], rejected: list[tuple[int, str]]
) -> pa.RecordBatch:
    """The columns, and rows of nothing but a reason at their end."""
    more = len(rejected)
    all_places = pa.array([*places, *(at for at, _ in rejected)], pa.int64())
    why = pa.array([*([None] * len(places)), *(why for _, why in rejected)], pa.string())
    padded = {
        name: pa.concat_arrays([values, pa.nulls(more, values.type)]) if more else values
        for name, values in columns.items()
    }
    return pa.RecordBatch.from_pydict({"place": all_places, "why": why, **padded})


def fingerprints_in(batch: pa.RecordBatch, end: str = "") -> Iterator[Fingerprint]:
    """The fingerprints of a batch again, from columns whose names end so.

    Where one bears no date, it follows all others.
    """
    names = ("id", "words", "digest", *PACKED, "rest")
    columns = [batch.column(f"{name}{end}").to_pylist() for name in names]
    for name, *packed in zip(*columns, strict=True):
        fingerprint = fingerprint_of(FingerprintRow(*packed))
        undated = fingerprint.published is None and fingerprint.seen is None
        yield replace(fingerprint, id=name, seen=UNDATED_TIME if undated else fingerprint.seen)


def grouped_rows(batches: Batches, name: str) -> Iterator[list[dict[str, Any]]]:
    """The rows that have the same value in a column, which follow each other, group by group."""
    held: list[dict[str, Any]] = []
    for batch in batches:
        rows = iter(batch.to_pylist())
        while part := list(islice(rows, BATCH)):
            for row in part:
                if held and held[0][name] != row[name]:
                    yield held
                    held = []
                held.append(row)
    if held:
        yield held
