"""Sketching: rows to what texts are found and compared by, pack by pack."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from nearcopy import kernels
from nearcopy.batch.local.column_files import Array, blobs, write_pack
from nearcopy.batch.local.job import Job, Settings
from nearcopy.batch.local.rejected_rows import rejects
from nearcopy.batch.local.row_reader import HTML, Raw, RowReader, TextRow, read_records
from nearcopy.batch.local.row_table import pack_path
from nearcopy.batch.local.text_reader import text_columns
from nearcopy.config import Recipe
from nearcopy.fingerprint.blocking_keys import BLOCK_PAIRS
from nearcopy.io.files.rows import Rejected
from nearcopy.kernels.reference.sketches import mix
from nearcopy.kernels.result_types import Sketches

BATCH = 1024  # rows at a time
BATCHES_PER_PACK = 32  # batches of a pack
Keys = NDArray[np.uint64]
NO_SOURCE = 0
TextBatch = tuple[list[Raw | None], list[TextRow]]


def sketch_unit(job: Job, number: int) -> None:
    """Writes the packs of a unit. The first is written last: where it is there, all are."""
    bad: list[Rejected] = []
    batches = _text_batches(job, number, bad)
    plain = job.inputs[job.units[number].file].plain
    first = _sketch_pack(job, list(islice(batches, BATCHES_PER_PACK)), plain=plain)
    packs, rows = 1, len(first["words"])
    while batch := list(islice(batches, BATCHES_PER_PACK)):
        columns = _sketch_pack(job, batch, plain=plain)
        write_pack(pack_path(job, number, packs), columns, rows=len(columns["words"]))
        packs, rows = packs + 1, rows + len(columns["words"])
    notes = {"packs": packs, "rows": len(first["words"]), "rejected": rejects(bad)}
    write_pack(pack_path(job, number), first, **notes)


def _text_batches(job: Job, number: int, bad: list[Rejected]) -> Iterator[TextBatch]:
    """The rows of a unit in batches; those that are no articles are put aside."""
    unit = job.units[number]
    source = job.inputs[unit.file]
    reader = RowReader(job, source)
    records = read_records(source, unit, job.sample)
    while batch := list(islice(records, BATCH)):
        lines: list[Raw | None] = []
        rows: list[TextRow] = []
        for line, record in batch:
            row = record if isinstance(record, Rejected) else reader.text_row(record[1], record[0])
            if isinstance(row, Rejected):
                bad.append(row)
            else:
                lines.append(line)
                rows.append(row)
        if rows:
            yield lines, rows


def _sketch_pack(job: Job, batches: Sequence[TextBatch], *, plain: bool) -> dict[str, Array]:
    """The columns of a pack; those of keys lie on their sides, so that each can be read alone.

    Texts that cannot be read again by their places are among them.
    """
    parts = [_batch_columns(job, *batch) for batch in batches] or [_batch_columns(job, [], [])]
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    columns["keys"] = np.ascontiguousarray(columns["keys"].T)
    rows = [row for _, members in batches for row in members]
    columns |= id_columns(row.id for row in rows)
    if not plain:
        columns |= text_columns(row.text for row in rows)
    return columns


def id_columns(names: Iterable[str]) -> dict[str, Array]:
    """The ids of rows as columns, with a hash of each."""
    held = [name.encode("utf-8", "surrogatepass") for name in names]
    data, ends = blobs(held)
    hashes = np.array([kernels.xxh3_64(name) for name in held], np.uint64)
    return {"id": data, "id_ends": ends, "id_hash": hashes}


def _batch_columns(job: Job, lines: list[Raw | None], rows: list[TextRow]) -> dict[str, Array]:
    columns = sketch_columns(job, rows)
    columns["start"] = np.array([line.start if line else 0 for line in lines], np.uint64)
    columns["size"] = np.array([len(line.data) if line else 0 for line in lines], np.uint32)
    return columns


def sketch_columns(settings: Settings, rows: list[TextRow]) -> dict[str, Array]:
    """What rows are found and compared by, a column each."""
    _, texts, flags, published, seen, sources = zip(*rows, strict=True) if rows else [()] * 6
    html = [flag & HTML > 0 for flag in flags]
    sketches = kernels.sketch(texts, settings.recipe, html=html if any(html) else ())
    owners = source_hashes(sources) if settings.policy.sources != "any" else None
    within = owners if settings.policy.sources == "within" else None
    digests = sketches.digest.view("<u8").reshape(-1, 2)
    columns: dict[str, Array] = {
        "keys": text_keys(sketches, settings.recipe, within),
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


def source_hashes(sources: Sequence[str | None]) -> Keys:
    """A number for each source; 0 for those that are not known."""
    hashes = [
        NO_SOURCE
        if source is None
        else kernels.xxh3_64(source.encode("utf-8", "surrogatepass")) | 1
        for source in sources
    ]
    return np.array(hashes, np.uint64)


def text_keys(sketches: Sketches, recipe: Recipe, sources: Keys | None = None) -> Keys:
    """A row of keys for each text, the same in the same column where texts may be alike.

    0 stands for none: a text without words has none. Where only texts of one source are compared,
    `sources` are part of the keys.
    """
    columns = [np.zeros((len(sketches.words), 0), np.uint64)]
    if recipe.minhash:
        columns.append(kernels.band_keys(sketches.minhash, recipe.bands, recipe.rows))
    if recipe.simhash:
        columns.append(mix(sketches.simhash[:, None] & BLOCK_PAIRS))
    keys = np.concatenate(columns, axis=1)
    present = sketches.words > 0
    if sources is not None:
        keys, present = mix(keys ^ sources[:, None]), present & (sources != NO_SOURCE)
    return np.where(present[:, None], np.maximum(keys, 1), 0).astype(np.uint64)
