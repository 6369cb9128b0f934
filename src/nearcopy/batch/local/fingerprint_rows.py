"""Fingerprinting: rows to fingerprints and keys, pack by pack, where more than texts counts."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from nearcopy.batch.local.column_files import Array, blobs, write_pack
from nearcopy.batch.local.job import Job
from nearcopy.batch.local.rejected_rows import rejects
from nearcopy.batch.local.row_reader import NEVER, Raw, RowReader, flags_of, read_records
from nearcopy.batch.local.row_table import Part, Rows, Table, pack_path
from nearcopy.batch.local.sketch_rows import id_columns
from nearcopy.batch.local.text_reader import text_columns
from nearcopy.fingerprint.blocking_keys import keys, looked_by
from nearcopy.fingerprint.fingerprint import fingerprints
from nearcopy.io.files.rows import Rejected, Row
from nearcopy.models.model import Fingerprint
from nearcopy.models.timestamps import micros
from nearcopy.stores.row_codec import FingerprintRow, fingerprint_of, fingerprint_row

ROWS_PER_PACK = 4096  # of a pack
HASHES = ("digest", "simhash", "minhash")  # a blob each, empty where there is none
BLOBS = (*HASHES, "numerals", "profile", "rest")
ArticleRow = tuple[Raw | None, Row]


def fingerprint_unit(job: Job, number: int) -> None:
    """Writes the packs of a unit. The first is written last: where it is there, all are."""
    bad: list[Rejected] = []
    rows = _article_rows(job, number, bad)
    plain = job.inputs[job.units[number].file].plain
    first, packs = _fingerprint_pack(job, list(islice(rows, ROWS_PER_PACK)), plain=plain), 1
    while batch := list(islice(rows, ROWS_PER_PACK)):
        columns = _fingerprint_pack(job, batch, plain=plain)
        write_pack(pack_path(job, number, packs), columns, rows=len(batch))
        packs += 1
    notes = {"packs": packs, "rows": len(first["words"]), "rejected": rejects(bad)}
    write_pack(pack_path(job, number), first, **notes)


def _article_rows(job: Job, number: int, bad: list[Rejected]) -> Iterator[ArticleRow]:
    """The rows of a unit as articles; those that are none are put aside."""
    unit = job.units[number]
    source = job.inputs[unit.file]
    reader = RowReader(job, source)
    for line, record in read_records(source, unit, job.sample):
        row = record if isinstance(record, Rejected) else reader.article(record[1], record[0])
        if isinstance(row, Rejected):
            bad.append(row)
        else:
            yield line, row


def _fingerprint_pack(job: Job, rows: Sequence[ArticleRow], *, plain: bool) -> dict[str, Array]:
    articles = [row.article for _, row in rows]
    prints = list(fingerprints(articles, job.recipe))
    lookup_keys = looked_by(keys(prints, job.recipe), job.policy)
    columns: dict[str, Array] = {
        "words": np.array([item.words for item in prints], np.uint32),
        "flags": np.array([flags_of(row) for _, row in rows], np.uint8),
        "published": _times(item.published for item in prints),
        "seen": _times(item.seen for item in prints),
        "start": np.array([line.start if line else 0 for line, _ in rows], np.uint64),
        "size": np.array([len(line.data) if line else 0 for line, _ in rows], np.uint32),
        "keys": np.concatenate([np.zeros(0, np.uint64), *lookup_keys]),
        "keys_ends": np.cumsum([len(item) for item in lookup_keys]).astype(np.uint64),
        **id_columns(item.id for item in prints),
    }
    packed = [fingerprint_row(item) for item in prints]
    for name in BLOBS:
        held = [_bytes(getattr(item, name)) for item in packed]
        columns[name], columns[f"{name}_ends"] = blobs(held)
    return columns if plain else columns | text_columns(item.text for item in articles)


def _times(moments: Iterable[object]) -> Array:
    times = (micros(time) for time in moments)  # type: ignore[arg-type]
    return np.array([NEVER if time is None else time for time in times], np.int64)


def _bytes(value: bytes | str | None) -> bytes:
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value or b""


def fingerprints_of(table: Table, rows: Rows, names: dict[int, str]) -> Iterator[Fingerprint]:
    """The fingerprints of some rows again, in ascending order, under the names they have here."""
    columns = [table.blobs(name, rows) for name in BLOBS]
    words = table.take("words", rows).tolist()
    for row, count, digest, simhash, minhash, numerals, profile, other_fields in zip(
        rows.tolist(), words, *columns, strict=True
    ):
        hashes = (digest or None, simhash or None, minhash or None)
        text = other_fields.decode("utf-8", "surrogatepass")
        fingerprint = fingerprint_of(FingerprintRow(count, *hashes, numerals, profile, text))
        yield fingerprint if fingerprint.id == names[row] else replace(fingerprint, id=names[row])


def keys_in(part: Part) -> list[Array]:
    """The keys of the rows of a pack."""
    ends = part.pack.read("keys_ends").astype(np.int64)
    return np.split(part.pack.read("keys"), ends[:-1]) if len(ends) else []
