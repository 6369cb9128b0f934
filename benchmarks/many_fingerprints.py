"""Fingerprints made by a script, in the corpus's own format, clustered: time and memory.

`python benchmarks/many_fingerprints.py --rows 10000000` makes MinHash signatures by chance, a third
of them of copies that share 85 % of their values, files their keys as reading would have done, and
goes through sorting and clustering. Which pairs are copies is known, and not counted from texts.
"""

import argparse
import resource
import tempfile
import time
from pathlib import Path
from types import MappingProxyType

import numpy as np

import corpora_speed
from nearcopy import kernels
from nearcopy.batch.column_rules import CODE
from nearcopy.batch.local.candidate_pairs import (
    column_tasks,
    find_exact_duplicates,
    pair_columns,
    read_pairs,
    row_blocks,
)
from nearcopy.batch.local.column_files import write_pack
from nearcopy.batch.local.compare import edges_path
from nearcopy.batch.local.corpus_job import CorpusJob
from nearcopy.batch.local.fingerprints import id_columns
from nearcopy.batch.local.row_table import pack_path
from nearcopy.batch.local.text_clusters import cluster_texts
from nearcopy.batch.local.work_folder import FOLDERS
from nearcopy.config import POLICIES, RECIPES
from nearcopy.config.units import NO_TIME
from nearcopy.models import Relation

PART = 1 << 16  # rows of a pack
COPIES, CHANGED = 0.35, 0.15
SLOTS = 128
TOLD = CODE[Relation.NEAR_TEXT], CODE[Relation.DISTINCT]
SETTINGS = MappingProxyType({"recipe": RECIPES["copies"], "policy": POLICIES["copies"]})


def main() -> None:
    """Make, cluster, and note what that took."""
    options = _arguments()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        job = _job(Path(folder), options.rows)
        families = np.concatenate([_make(job, unit.number, options.rows) for unit in job.units])
        started, spent = time.perf_counter(), time.process_time()
        find_exact_duplicates(job)
        for first in column_tasks(job):
            pair_columns(job, first)
        for block in row_blocks(job):
            _compare(job, block, families)
        cluster_texts(job)
        row = {
            "kind": "clustering",
            "work": "fingerprints clustered, one core",
            "documents": options.rows,
            "seconds": time.perf_counter() - started,
            "cpu_seconds": time.process_time() - spent,
            "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
        }
    corpora_speed.keep(row)


def _job(folder: Path, rows: int) -> CorpusJob:
    """As many empty files as there are packs; nothing is read from them."""
    (folder / "in").mkdir()
    for number in range(-(-rows // PART)):
        (folder / "in" / f"{number:06d}.jsonl").touch()
    paths = {"output": folder / "out", "work": folder / "work"}
    job = CorpusJob(folder / "in", **paths, memory=1 << 30, **SETTINGS)
    for name in FOLDERS:
        job.folder(name).mkdir(parents=True)
    return job


def _make(job: CorpusJob, unit: int, rows: int) -> np.ndarray:
    """Writes a pack of signatures' keys; the family of each row."""
    count = min(PART, rows - unit * PART)
    dice = np.random.default_rng(unit)
    signatures = dice.integers(1, 1 << 32, (count, SLOTS), dtype=np.uint32)
    copies = np.flatnonzero(dice.random(count) < COPIES)
    copies = copies[copies > 0]
    of = (dice.random(len(copies)) * copies).astype(np.int64)
    families = np.arange(count)
    for row, other in zip(copies.tolist(), of.tolist(), strict=True):
        families[row] = families[other]
        kept = dice.random(SLOTS) >= CHANGED
        signatures[row, kept] = signatures[families[row], kept]
    keys = np.maximum(kernels.band_keys(signatures, job.recipe.bands, job.recipe.rows), 1)
    digests = dice.integers(1, 1 << 63, (count, 2), dtype=np.uint64)
    columns = {
        "keys": np.ascontiguousarray(keys.T),
        "digest": digests,
        "words": np.full(count, 300, np.uint32),
        "flags": np.zeros(count, np.uint8),
        "published": np.full(count, NO_TIME, np.int64),
        "seen": np.full(count, NO_TIME, np.int64),
        "start": np.zeros(count, np.uint64),
        "size": np.zeros(count, np.uint32),
        **id_columns(f"r{unit * PART + row}" for row in range(count)),
    }
    write_pack(pack_path(job, unit), columns, packs=1, rows=count, rejected=[])
    return families + unit * PART


def _compare(job: CorpusJob, block: int, families: np.ndarray) -> None:
    """Writes what the rows of a block are to others: copies, where they are of one family."""
    pairs = read_pairs(job, block)
    later, earlier = (pairs >> np.uint64(32)).astype(np.int64), pairs & np.uint64(0xFFFFFFFF)
    same = families[later] == families[earlier.astype(np.int64)]
    columns = {
        "later": later.astype(np.uint32),
        "earlier": earlier.astype(np.uint32),
        "relation": np.where(same, *TOLD).astype(np.uint8),
        "overlap": np.where(same, 0.7, 0.0),
        "containment": np.where(same, 0.8, 0.0),
        "hamming": np.full(len(pairs), 64, np.uint8),
    }
    write_pack(edges_path(job, block), columns)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--folder", default=None, help="where there is room")
    return parser.parse_args()


if __name__ == "__main__":
    main()
