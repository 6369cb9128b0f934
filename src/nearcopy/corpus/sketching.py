"""Sketching: rows to what texts are found and compared by, pack by pack."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from nearcopy import kernels
from nearcopy.config import Recipe
from nearcopy.corpus.job import Job, Settings
from nearcopy.corpus.packs import Array, blobs, write_pack
from nearcopy.corpus.rejects import rejects
from nearcopy.corpus.table import pack_path
from nearcopy.corpus.taking import HTML, Raw, RowReader, Taken, found_in
from nearcopy.corpus.texts import packed_texts
from nearcopy.formats.rows import Rejected
from nearcopy.kernels.reference.sketches import mix
from nearcopy.kernels.results import Sketches
from nearcopy.keys import BLOCK_PAIRS

BATCH = 1024  # rows at a time
ROWS = 32  # batches of a pack
Keys = NDArray[np.uint64]
NO_SOURCE = 0
Batch = tuple[list[Raw | None], list[Taken]]


def sketch_unit(job: Job, number: int) -> None:
    """Writes the packs of a unit. The first is written last: where it is there, all are."""
    bad: list[Rejected] = []
    batches = _batches(job, number, bad)
    plain = job.inputs[job.units[number].file].plain
    first = _columns(job, list(islice(batches, ROWS)), plain=plain)
    packs, rows = 1, len(first["words"])
    while some := list(islice(batches, ROWS)):
        made = _columns(job, some, plain=plain)
        write_pack(pack_path(job, number, packs), made, rows=len(made["words"]))
        packs, rows = packs + 1, rows + len(made["words"])
    notes = {"packs": packs, "rows": len(first["words"]), "rejected": rejects(bad)}
    write_pack(pack_path(job, number), first, **notes)


def _batches(job: Job, number: int, bad: list[Rejected]) -> Iterator[Batch]:
    """The rows of a unit in batches; those that are no articles are put aside."""
    unit = job.units[number]
    source = job.inputs[unit.file]
    reader = RowReader(job, source)
    found = found_in(source, unit, job.sample)
    while some := list(islice(found, BATCH)):
        lines: list[Raw | None] = []
        rows: list[Taken] = []
        for line, record in some:
            row = record if isinstance(record, Rejected) else reader.take(record[1], record[0])
            if isinstance(row, Rejected):
                bad.append(row)
            else:
                lines.append(line)
                rows.append(row)
        if rows:
            yield lines, rows


def _columns(job: Job, batches: Sequence[Batch], *, plain: bool) -> dict[str, Array]:
    """The columns of a pack; those of keys lie on their sides, so that each can be read alone.

    Texts that cannot be read again by their places are among them.
    """
    made = [_sketched(job, *batch) for batch in batches] or [_sketched(job, [], [])]
    columns = {name: np.concatenate([each[name] for each in made]) for name in made[0]}
    columns["keys"] = np.ascontiguousarray(columns["keys"].T)
    rows = [row for _, some in batches for row in some]
    columns |= id_columns(row.id for row in rows)
    if not plain:
        columns |= packed_texts(row.text for row in rows)
    return columns


def id_columns(names: Iterable[str]) -> dict[str, Array]:
    """The ids of rows as columns, with a hash of each."""
    held = [each.encode("utf-8", "surrogatepass") for each in names]
    data, ends = blobs(held)
    hashes = np.array([kernels.xxh3_64(each) for each in held], np.uint64)
    return {"id": data, "id_ends": ends, "id_hash": hashes}


def _sketched(job: Job, lines: list[Raw | None], rows: list[Taken]) -> dict[str, Array]:
    columns = sketched(job, rows)
    columns["start"] = np.array([line.start if line else 0 for line in lines], np.uint64)
    columns["size"] = np.array([len(line.data) if line else 0 for line in lines], np.uint32)
    return columns


def sketched(settings: Settings, rows: list[Taken]) -> dict[str, Array]:
    """What rows are found and compared by, a column each."""
    _, texts, flags, published, seen, sources = zip(*rows, strict=True) if rows else [()] * 6
    html = [each & HTML > 0 for each in flags]
    made = kernels.sketch(texts, settings.recipe, html=html if any(html) else ())
    owners = source_hashes(sources) if settings.policy.sources != "any" else None
    within = owners if settings.policy.sources == "within" else None
    digests = made.digest.view("<u8").reshape(-1, 2)
    columns: dict[str, Array] = {
        "keys": text_keys(made, settings.recipe, within),
        "digest": np.where(made.words[:, None] > 0, digests, 0),
        "words": made.words,
        "flags": np.array(flags, np.uint8),
        "published": np.array(published, np.int64),
        "seen": np.array(seen, np.int64),
    }
    if settings.recipe.simhash:
        columns["simhash"] = made.simhash
    if owners is not None:
        columns["source"] = owners
    return columns


def source_hashes(sources: Sequence[str | None]) -> Keys:
    """A number for each source; 0 for those that are not known."""
    made = [
        NO_SOURCE if each is None else kernels.xxh3_64(each.encode("utf-8", "surrogatepass")) | 1
        for each in sources
    ]
    return np.array(made, np.uint64)


def text_keys(made: Sketches, recipe: Recipe, sources: Keys | None = None) -> Keys:
    """A row of keys for each text, the same in the same column where texts may be alike.

    0 stands for none: a text without words has none. Where only texts of one source are compared,
    `sources` are part of the keys.
    """
    columns = [np.zeros((len(made.words), 0), np.uint64)]
    if recipe.minhash:
        columns.append(kernels.band_keys(made.minhash, recipe.bands, recipe.rows))
    if recipe.simhash:
        columns.append(mix(made.simhash[:, None] & BLOCK_PAIRS))
    keys = np.concatenate(columns, axis=1)
    there = made.words > 0
    if sources is not None:
        keys, there = mix(keys ^ sources[:, None]), there & (sources != NO_SOURCE)
    return np.where(there[:, None], np.maximum(keys, 1), 0).astype(np.uint64)
