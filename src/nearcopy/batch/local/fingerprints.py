"""Fingerprints of rows as columns, pack by pack.

Of texts alone these are hashes and blocking keys, without an object per row. Whole articles are
read for policies that compare more than texts.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nearcopy.kernels as kernels
from nearcopy.batch.corpus_settings import Settings
from nearcopy.batch.local.column_files import Array, join_blobs, write_pack
from nearcopy.batch.local.corpus_job import CorpusJob
from nearcopy.batch.local.row_reader import (
    HTML,
    RawLine,
    RowReader,
    TextRow,
    read_records,
    rejected_records,
    row_flags,
)
from nearcopy.batch.local.row_table import Part, RowNumbers, Table, pack_path, text_columns
from nearcopy.config import Recipe
from nearcopy.config.units import NO_TIME, to_micros
from nearcopy.fingerprint.blocking_keys import BLOCK_PAIRS, blocking_keys, lookup_keys
from nearcopy.fingerprint.fingerprint import fingerprints
from nearcopy.io.files.json import Record
from nearcopy.io.files.read import id_family
from nearcopy.io.files.rows import Rejected, Row
from nearcopy.kernels.reference.sketches import mix
from nearcopy.kernels.result_types import Sketches
from nearcopy.models import Fingerprint
from nearcopy.models.batches import batches
from nearcopy.stores.row_codec import FingerprintRow, fingerprint_from_row, fingerprint_to_row

TEXTS_PER_BATCH = 1024  # sketched at once
TEXTS_PER_PACK = 32 * TEXTS_PER_BATCH
ARTICLES_PER_PACK = 4096
HASHES = ("digest", "simhash", "minhash")  # a blob each, empty where there is none
BLOBS = (*HASHES, "numerals", "profile", "rest")
NO_SOURCE = 0
Keys = NDArray[np.uint64]
Columns = dict[str, Array]


def read_unit(job: CorpusJob, number: int) -> None:
    """Write the packs of a unit. The first is written last: where it exists, all do."""
    unit, rejected = job.units[number], list[Rejected]()
    reader = RowReader(job, job.source_of(number))
    parse: Callable[[Record], TextRow | Row | Rejected]
    make_pack: Callable[[CorpusJob, int, Any], Columns]
    parse, make_pack, size = reader.read_article, _fingerprint_pack, ARTICLES_PER_PACK
    if job.by_text:
        parse, make_pack, size = reader.read_text, _sketch_pack, TEXTS_PER_PACK

    def accepted_rows() -> Iterator[tuple[RawLine | None, Any]]:
        for line, record in read_records(job.source_of(number), unit, job.sample):
            row = parse(record)
            if isinstance(row, Rejected):
                rejected.append(row)
            else:
                yield line, row

    packs = (make_pack(job, number, rows) for rows in batches(accepted_rows(), size))
    first = next(packs, None) or make_pack(job, number, [])
    count = 1
    for columns in packs:
        write_pack(pack_path(job, number, count), columns, rows=len(columns["words"]))
        count += 1
    notes = {"packs": count, "rows": len(first["words"]), "rejected": rejected_records(rejected)}
    write_pack(pack_path(job, number), first, **notes)


def _is_plain(job: CorpusJob, number: int) -> bool:
    return job.source_of(number).plain


def line_columns(lines: Sequence[RawLine | None]) -> Columns:
    """Where the lines of rows are in the file."""
    return {
        "start": np.array([line.start if line else 0 for line in lines], np.uint64),
        "size": np.array([len(line.data) if line else 0 for line in lines], np.uint32),
    }


def id_columns(ids: Iterable[str]) -> Columns:
    """The ids of rows as columns, with a hash of each and of its family."""
    listed = list(ids)
    data, ends = join_blobs([article_id.encode("utf-8", "surrogatepass") for article_id in listed])
    hashes = (hash_ids(listed), hash_ids(map(id_family, listed)))
    return {"id": data, "id_ends": ends, "id_hash": hashes[0], "family_hash": hashes[1]}


def hash_ids(ids: Iterable[str]) -> Keys:
    """A hash of each id, the same on every machine."""
    encoded = (article_id.encode("utf-8", "surrogatepass") for article_id in ids)
    return np.array([kernels.xxh3_64(article_id) for article_id in encoded], np.uint64)


# Texts alone.


def _sketch_pack(
    job: CorpusJob, number: int, pack: Sequence[tuple[RawLine | None, TextRow]]
) -> Columns:
    """The columns of a pack; keys are transposed, so that each column can be read alone.

    Texts that cannot be read again from the file by position are included.
    """
    rows = [row for _, row in pack]
    parts = [sketch_columns(job, batch) for batch in batches(rows, TEXTS_PER_BATCH)]
    parts = parts or [sketch_columns(job, [])]
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    columns["keys"] = np.ascontiguousarray(columns["keys"].T)
    columns |= line_columns([line for line, _ in pack]) | id_columns(row.id for row in rows)
    return columns if _is_plain(job, number) else columns | text_columns(row.text for row in rows)


def sketch_columns(settings: Settings, rows: list[TextRow]) -> Columns:
    """Hashes, blocking keys and times of rows, a column each."""
    _, texts, flags, published, seen, sources = zip(*rows, strict=True) if rows else [()] * 6
    html = [flag & HTML > 0 for flag in flags]
    sketches = kernels.sketch(texts, settings.recipe, html=html if any(html) else ())
    owners = _source_hashes(sources) if settings.policy.sources != "any" else None
    within = owners if settings.policy.sources == "within" else None
    digests = sketches.digest.view("<u8").reshape(-1, 2)
    columns: Columns = {
        "keys": _text_keys(sketches, settings.recipe, within),
        "digest": np.where(sketches.words[:, None] > 0, digests, 0),
        "words": sketches.words,
        "flags": np.array(flags, np.uint8),
        "published": np.array(published, np.int64),
        "seen": np.array(seen, np.int64),
    }
    if settings.recipe.simhash:
        columns["simhash"] = sketches.simhash
    if owners is not None:
        columns["source"] = owners
    return columns


def _source_hashes(sources: Sequence[str | None]) -> Keys:
    """A hash of each source; NO_SOURCE where it is unknown."""
    hashes = [
        NO_SOURCE
        if source is None
        else kernels.xxh3_64(source.encode("utf-8", "surrogatepass")) | 1
        for source in sources
    ]
    return np.array(hashes, np.uint64)


def _text_keys(sketches: Sketches, recipe: Recipe, sources: Keys | None = None) -> Keys:
    """The blocking keys of each text, a column for each LSH band and SimHash block; 0 for none.

    A text without words has none. Where only texts of one source are compared, the source is part
    of the key.
    """
    columns = [np.zeros((len(sketches.words), 0), np.uint64)]
    if recipe.minhash:
        columns.append(kernels.band_keys(sketches.minhash, recipe.bands, recipe.rows))
    if recipe.simhash:
        columns.append(mix(sketches.simhash[:, None] & BLOCK_PAIRS))
    text_keys = np.concatenate(columns, axis=1)
    present = sketches.words > 0
    if sources is not None:
        text_keys = mix(text_keys ^ sources[:, None])
        present = present & (sources != NO_SOURCE)
    return np.where(present[:, None], np.maximum(text_keys, 1), 0).astype(np.uint64)


# Whole articles.


def _fingerprint_pack(
    job: CorpusJob, number: int, rows: Sequence[tuple[RawLine | None, Row]]
) -> Columns:
    columns, key_rows, encoded, block_pages = fingerprint_columns(job, [row for _, row in rows])
    columns |= line_columns([line for line, _ in rows])
    columns["keys"] = np.concatenate([np.zeros(0, np.uint64), *key_rows])
    columns["keys_ends"] = np.cumsum([len(row_keys) for row_keys in key_rows]).astype(np.uint64)
    columns |= id_columns(row.article.id for _, row in rows)
    for name in BLOBS:
        blobs = [_bytes(getattr(row, name)) for row in encoded]
        columns[name], columns[f"{name}_ends"] = join_blobs(blobs)
    columns["block_page"], columns["block_page_ends"] = join_blobs(map(_bytes, block_pages))
    if _is_plain(job, number):
        return columns
    return columns | text_columns(row.article.text for _, row in rows)


def fingerprint_columns(
    settings: Settings, rows: Sequence[Row]
) -> tuple[Columns, list[Keys], list[FingerprintRow], list[str | None]]:
    """Words, flags and times of rows, a column each; their keys, fingerprints and block pages."""
    prints = list(fingerprints([row.article for row in rows], settings.recipe))
    columns: Columns = {
        "words": np.array([fingerprint.words for fingerprint in prints], np.uint32),
        "flags": np.array([row_flags(row) for row in rows], np.uint8),
        "published": _time_column(fingerprint.published for fingerprint in prints),
        "seen": _time_column(fingerprint.seen for fingerprint in prints),
    }
    key_rows = lookup_keys(blocking_keys(prints, settings.recipe), settings.policy)
    encoded = [fingerprint_to_row(fingerprint) for fingerprint in prints]
    return columns, key_rows, encoded, [fingerprint.block_page for fingerprint in prints]


def _time_column(times: Iterable[datetime | None]) -> NDArray[np.int64]:
    values = map(to_micros, times)
    return np.array([NO_TIME if value is None else value for value in values], np.int64)


def _bytes(value: bytes | str | None) -> bytes:
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value or b""


def read_fingerprints(table: Table, rows: RowNumbers, ids: dict[int, str]) -> Iterator[Fingerprint]:
    """The fingerprints of rows in ascending order, under their unique ids."""
    columns = [table.blobs(name, rows) for name in BLOBS]
    words = table.take("words", rows).tolist()
    for row, count, digest, simhash, minhash, numerals, profile, other_fields in zip(
        rows.tolist(), words, *columns, strict=True
    ):
        hashes = (digest or None, simhash or None, minhash or None)
        text = other_fields.decode("utf-8", "surrogatepass")
        fingerprint = fingerprint_from_row(FingerprintRow(count, *hashes, numerals, profile, text))
        yield fingerprint if fingerprint.id == ids[row] else replace(fingerprint, id=ids[row])


def read_keys(part: Part) -> list[Array]:
    """The blocking keys of each row of a part."""
    ends = part.pack.read("keys_ends").astype(np.int64)
    return np.split(part.pack.read("keys"), ends[:-1]) if len(ends) else []
