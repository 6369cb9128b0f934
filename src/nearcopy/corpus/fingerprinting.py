"""Fingerprinting: rows to fingerprints and keys, pack by pack, where more than texts counts."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from nearcopy.corpus.job import Job
from nearcopy.corpus.packs import Array, blobs, write_pack
from nearcopy.corpus.rejects import rejects
from nearcopy.corpus.sketching import id_columns
from nearcopy.corpus.table import Part, Rows, Table, pack_path
from nearcopy.corpus.taking import NEVER, Raw, RowReader, flags_of, found_in
from nearcopy.corpus.texts import packed_texts
from nearcopy.fingerprint import fingerprints
from nearcopy.formats.rows import Rejected, Row
from nearcopy.keys import keys, looked_by
from nearcopy.model import Fingerprint
from nearcopy.stores.rows import FingerprintRow, fingerprint_of, fingerprint_row, micros

ROWS = 4096  # of a pack
HASHES = ("digest", "simhash", "minhash")  # a blob each, empty where there is none
BLOBS = (*HASHES, "numerals", "profile", "rest")
Found = tuple[Raw | None, Row]


def fingerprint_unit(job: Job, number: int) -> None:
    """Writes the packs of a unit. The first is written last: where it is there, all are."""
    bad: list[Rejected] = []
    rows = _rows(job, number, bad)
    plain = job.inputs[job.units[number].file].plain
    first, packs = _columns(job, list(islice(rows, ROWS)), plain=plain), 1
    while some := list(islice(rows, ROWS)):
        made = _columns(job, some, plain=plain)
        write_pack(pack_path(job, number, packs), made, rows=len(some))
        packs += 1
    notes = {"packs": packs, "rows": len(first["words"]), "rejected": rejects(bad)}
    write_pack(pack_path(job, number), first, **notes)


def _rows(job: Job, number: int, bad: list[Rejected]) -> Iterator[Found]:
    """The rows of a unit as articles; those that are none are put aside."""
    unit = job.units[number]
    source = job.inputs[unit.file]
    reader = RowReader(job, source)
    for line, record in found_in(source, unit, job.sample):
        row = record if isinstance(record, Rejected) else reader.article(record[1], record[0])
        if isinstance(row, Rejected):
            bad.append(row)
        else:
            yield line, row


def _columns(job: Job, rows: Sequence[Found], *, plain: bool) -> dict[str, Array]:
    articles = [row.article for _, row in rows]
    made = list(fingerprints(articles, job.recipe))
    found_by = looked_by(keys(made, job.recipe), job.policy)
    columns: dict[str, Array] = {
        "words": np.array([each.words for each in made], np.uint32),
        "flags": np.array([flags_of(row) for _, row in rows], np.uint8),
        "published": _times(each.published for each in made),
        "seen": _times(each.seen for each in made),
        "start": np.array([line.start if line else 0 for line, _ in rows], np.uint64),
        "size": np.array([len(line.data) if line else 0 for line, _ in rows], np.uint32),
        "keys": np.concatenate([np.zeros(0, np.uint64), *found_by]),
        "keys_ends": np.cumsum([len(each) for each in found_by]).astype(np.uint64),
        **id_columns(each.id for each in made),
    }
    packed = [fingerprint_row(each) for each in made]
    for name in BLOBS:
        held = [_bytes(getattr(each, name)) for each in packed]
        columns[name], columns[f"{name}_ends"] = blobs(held)
    return columns if plain else columns | packed_texts(each.text for each in articles)


def _times(moments: Iterable[object]) -> Array:
    found = (micros(each) for each in moments)  # type: ignore[arg-type]
    return np.array([NEVER if each is None else each for each in found], np.int64)


def _bytes(value: bytes | str | None) -> bytes:
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value or b""


def fingerprints_of(table: Table, rows: Rows, names: dict[int, str]) -> Iterator[Fingerprint]:
    """The fingerprints of some rows again, in ascending order, under the names they have here."""
    columns = [table.blobs(name, rows) for name in BLOBS]
    words = table.some("words", rows).tolist()
    for row, count, digest, simhash, minhash, numerals, profile, rest in zip(
        rows.tolist(), words, *columns, strict=True
    ):
        known = (digest or None, simhash or None, minhash or None)
        text = rest.decode("utf-8", "surrogatepass")
        made = fingerprint_of(FingerprintRow(count, *known, numerals, profile, text))
        yield made if made.id == names[row] else replace(made, id=names[row])


def keys_in(part: Part) -> list[Array]:
    """The keys of the rows of a pack."""
    ends = part.pack.read("keys_ends").astype(np.int64)
    return np.split(part.pack.read("keys"), ends[:-1]) if len(ends) else []
