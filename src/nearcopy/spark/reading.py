"""Reading: rows of a table to what they are found and compared by, batch by batch of Arrow."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from nearcopy.corpus.inputs import Input
from nearcopy.corpus.job import Settings
from nearcopy.corpus.ranking import rank
from nearcopy.corpus.settled import AFTER_ALL
from nearcopy.corpus.sketching import sketched
from nearcopy.corpus.taking import HTML, NEVER, NO_ID, REWRITE, RowReader, Taken, flags_of
from nearcopy.fingerprint import fingerprints
from nearcopy.formats.rows import Place, Rejected, Row
from nearcopy.kernels import xxh3_64
from nearcopy.keys import keys, looked_by
from nearcopy.model import Fingerprint
from nearcopy.stores.rows import FingerprintRow, fingerprint_of, fingerprint_row, micros
from nearcopy.stores.shelves import TITLE

PLACE = "nearcopy_place"  # the number of a row, for as long as the work lasts
NAME = "the table"
BATCH = 1024  # rows at a time
ODD = "count_if(odd)"  # rows whose id is not what stands in the table
ABOUT = (
    "place long, why string, id string, odd boolean, row long, text string, html boolean, "
    "words int, digest binary, published long, seen long, rank array<long>, keys array<long>"
)
BY_TEXT = f"{ABOUT}, simhash long, source long"
PACKED = ("simhash", "minhash", "numerals", "profile")
BY_ALL = f"{ABOUT}, {', '.join(f'{name} binary' for name in PACKED)}, rest string, titled int"
Batches = Iterable[pa.RecordBatch]
Columns = dict[str, pa.Array]
Numbers = NDArray[np.int64]


def row_number(name: str) -> int:
    """The number that stands for an id: the same whatever machine has the row."""
    return xxh3_64(name.encode("utf-8", "surrogatepass")) >> 1


def read_rows(settings: Settings) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    """What reads batches of rows; those that are no articles say why."""
    make = _by_text if settings.by_text else _by_all

    def read(batches: Batches) -> Iterator[pa.RecordBatch]:
        reader = RowReader(settings, Input(NAME, NAME, "parquet", False, 0, 0))
        for batch in batches:
            for some in _parts(batch):
                yield make(settings, reader, some)

    return read


def _parts(batch: pa.RecordBatch) -> Iterator[list[dict[str, Any]]]:
    for start in range(0, batch.num_rows, BATCH):
        yield batch.slice(start, BATCH).to_pylist()


def _by_text(settings: Settings, reader: RowReader, values: list[dict[str, Any]]) -> pa.RecordBatch:
    places = [each.pop(PLACE) for each in values]
    found = [reader.take(each, Place(NAME, at)) for at, each in zip(places, values, strict=True)]
    rows = [each for each in found if isinstance(each, Taken)]
    made = sketched(settings, rows)
    words = made["words"]
    there = words > 0
    keep, after = settings.policy.keep, np.zeros(len(rows), np.int64)
    ranks = rank(made["published"], made["seen"], words, keep, after=after)
    columns: Columns = {
        "id": pa.array([each.id for each in rows], pa.string()),
        "odd": pa.array(made["flags"] & (NO_ID | REWRITE) > 0, pa.bool_()),
        "row": pa.array([row_number(each.id) for each in rows], pa.int64()),
        "text": pa.array([each.text for each in rows], pa.string()),
        "html": pa.array(made["flags"] & HTML > 0, pa.bool_()),
        "words": pa.array(words.astype(np.int32)),
        "digest": _digests(made["digest"], there),
        "published": pa.array(made["published"]),
        "seen": pa.array(made["seen"]),
        "rank": _lists(np.stack(ranks, axis=1)),
        "keys": _lists(made["keys"].view(np.int64)),
        "simhash": _numbers(made.get("simhash"), len(rows)),
        "source": _numbers(made.get("source"), len(rows)),
    }
    taken = [at for at, each in zip(places, found, strict=True) if isinstance(each, Taken)]
    return _with_rejected(columns, taken, _rejected(places, found))


def _by_all(settings: Settings, reader: RowReader, values: list[dict[str, Any]]) -> pa.RecordBatch:
    places = [each.pop(PLACE) for each in values]
    found = [reader.article(each, Place(NAME, at)) for at, each in zip(places, values, strict=True)]
    rows = [each for each in found if isinstance(each, Row)]
    articles = [each.article for each in rows]
    made = list(fingerprints(articles, settings.recipe))
    found_by = looked_by(keys(made, settings.recipe), settings.policy)
    packed = [fingerprint_row(each) for each in made]
    published, seen = (
        _times(getattr(each, name) for each in made) for name in ("published", "seen")
    )
    words = np.array([each.words for each in made], np.int32)
    ages = rank(published, seen, words, (), after=np.zeros(len(made), np.int64))
    columns: Columns = {
        "id": pa.array([each.id for each in articles], pa.string()),
        "odd": pa.array([flags_of(each) & (NO_ID | REWRITE) > 0 for each in rows], pa.bool_()),
        "row": pa.array([row_number(each.id) for each in articles], pa.int64()),
        "text": pa.array([each.text for each in articles], pa.string()),
        "html": pa.array([each.html for each in articles], pa.bool_()),
        "words": pa.array(words),
        "digest": pa.array([each.digest for each in made], pa.binary()),
        "published": pa.array(published),
        "seen": pa.array(seen),
        "rank": _lists(np.stack(ages, axis=1)),
        "keys": pa.array([each.astype(np.uint64).view(np.int64) for each in found_by], LIST),
        **{n: pa.array([getattr(each, n) for each in packed], pa.binary()) for n in PACKED},
        "rest": pa.array([each.rest for each in packed], pa.string()),
        "titled": pa.array([int((k & np.uint64(3) == TITLE).sum()) for k in found_by], pa.int32()),
    }
    taken = [at for at, each in zip(places, found, strict=True) if isinstance(each, Row)]
    return _with_rejected(columns, taken, _rejected(places, found))


LIST = pa.list_(pa.int64())


def _digests(values: NDArray[np.uint64], there: NDArray[np.bool_]) -> pa.Array:
    held = values.astype("<u8").tobytes()
    found = [held[at : at + 16] for at in range(0, len(held), 16)]
    known = zip(found, there.tolist(), strict=True)
    return pa.array([each if is_there else None for each, is_there in known], pa.binary())


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
    found = (micros(each) for each in moments)
    return np.array([NEVER if each is None else each for each in found], np.int64)


def _rejected(places: Sequence[int], found: Sequence[object]) -> list[tuple[int, str]]:
    both = zip(places, found, strict=True)
    return [(at, each.why) for at, each in both if isinstance(each, Rejected)]


def _with_rejected(
    columns: Columns, places: list[int], rejected: list[tuple[int, str]]
) -> pa.RecordBatch:
    """The columns, and rows of nothing but a reason at their end."""
    more = len(rejected)
    all_places = pa.array([*places, *(at for at, _ in rejected)], pa.int64())
    why = pa.array([*([None] * len(places)), *(why for _, why in rejected)], pa.string())
    made = {
        name: pa.concat_arrays([each, pa.nulls(more, each.type)]) if more else each
        for name, each in columns.items()
    }
    return pa.RecordBatch.from_pydict({"place": all_places, "why": why, **made})


def people_of(batch: pa.RecordBatch, end: str = "") -> Iterator[Fingerprint]:
    """The fingerprints of a batch again, from columns whose names end so.

    Where one bears no date, it follows all others.
    """
    names = ("id", "words", "digest", *PACKED, "rest")
    columns = [batch.column(f"{name}{end}").to_pylist() for name in names]
    for name, *packed in zip(*columns, strict=True):
        made = fingerprint_of(FingerprintRow(*packed))
        undated = made.published is None and made.seen is None
        yield replace(made, id=name, seen=AFTER_ALL if undated else made.seen)


def grouped_rows(batches: Batches, name: str) -> Iterator[list[dict[str, Any]]]:
    """The rows that have the same value in a column, which follow each other, group by group."""
    held: list[dict[str, Any]] = []
    for batch in batches:
        rows = iter(batch.to_pylist())
        while some := list(islice(rows, BATCH)):
            for row in some:
                if held and held[0][name] != row[name]:
                    yield held
                    held = []
                held.append(row)
    if held:
        yield held
