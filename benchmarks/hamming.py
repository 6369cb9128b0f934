"""The SimHash index: all fingerprints within three bits, beside faiss."""

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import corpora
from answers import alike
from nearcopy import RECIPES, Recipe, kernels
from results import Measurement, Work, race, rate
from setting import Setting
from timing import Contender, Timing, interleaved, one_core, timed

DISTANCE = 3
BATCH = 100_000
NEAR_COPIES = 0.3  # of the fingerprints made

Array = NDArray[np.uint64]


def hamming(setting: Setting) -> Iterator[Measurement]:
    """All fingerprints within three bits, beside faiss."""
    base = kernels.sketch(corpora.english(12_000).texts, Recipe()).simhash
    made, queries = _fingerprints(setting, base, setting.sizes.fingerprints)
    setting.say(f"Hamming: {len(made):,} fingerprints, {len(queries):,} queries")
    index = _index(made)
    yield from _beside_faiss(setting, index, made, queries)
    yield _bytes(setting, index)
    yield from _one_word(setting)


def hamming_many(setting: Setting) -> Iterator[Measurement]:
    """The same among ten times as many, by ourselves."""
    count = setting.sizes.many_fingerprints
    if _free_bytes() < 400 * count:
        setting.say(f"Hamming: not enough memory for {count:,} fingerprints, left out")
        return
    base = kernels.sketch(corpora.english(12_000).texts, Recipe()).simhash
    made, queries = _fingerprints(setting, base, count)
    setting.say(f"Hamming: {len(made):,} fingerprints, {len(queries):,} queries")
    index = _index(made)
    yield _queries(setting, index, queries, f"hamming/{count}", "")
    yield _bytes(setting, index)
    with one_core():
        filing = [timed(lambda: _index(made), 0)]
    yield rate(
        Work(f"hamming/{count} insert", f"Hamming index, insert {count:,}", "docs/s", count), filing
    )


def real_like(base: Array, count: int, dice: np.random.Generator) -> Array:
    """Fingerprints with the skew of real ones: pairs of those mixed bit by bit, near copies too."""
    copies = round(NEAR_COPIES * count)
    made = np.empty(count, np.uint64)
    made[: count - copies] = mixed(base, count - copies, dice)
    made[count - copies :] = near(made[: count - copies], copies, dice)
    return made[dice.permutation(count)]


def mixed(base: Array, count: int, dice: np.random.Generator) -> Array:
    """Every bit from one or the other of two real fingerprints."""
    a, b = base[dice.integers(len(base), size=(2, count))]
    mask = dice.integers(0, 1 << 64, size=count, dtype=np.uint64)
    return (a & mask) | (b & ~mask)


def near(base: Array, count: int, dice: np.random.Generator) -> Array:
    """Fingerprints of the base with none to three bits flipped."""
    made = base[dice.integers(len(base), size=count)]
    for flips in range(1, DISTANCE + 1):
        flipped = dice.integers(0, DISTANCE + 1, size=count) >= flips
        bits = np.uint64(1) << dice.integers(0, 64, size=count, dtype=np.uint64)
        made = np.where(flipped, made ^ bits, made)
    return made


def _fingerprints(setting: Setting, base: Array, count: int) -> tuple[Array, Array]:
    """Fingerprints to file, and queries: near copies and strangers, half and half."""
    dice = np.random.default_rng(6)
    made = real_like(base, count, dice)
    half = setting.sizes.fingerprint_queries // 2
    queries = np.concatenate((near(made, half, dice), mixed(base, half, dice)))
    return made, queries[dice.permutation(len(queries))]


def _index(made: Array) -> Any:
    index = kernels.HammingIndex(DISTANCE)
    for start in range(0, len(made), BATCH):
        index.insert(made[start : start + BATCH])
    return index


def _beside_faiss(
    setting: Setting, index: Any, made: Array, queries: Array
) -> Iterator[Measurement]:
    work = Work("hamming/faiss", _title(index), "queries/s", len(queries))
    given: dict[str, Any] = {
        "against": "faiss IndexBinaryMultiHash",
        "bar": setting.sized_bar(">=", 10),
    }
    if not setting.has("faiss-cpu"):
        line = _queries(setting, index, queries, work.name, "")
        yield replace(line, note="faiss is absent", **given)
        return
    assert setting.worker
    setting.worker.ask(
        "prepare",
        module="peer_indexes",
        job="faiss_hamming",
        fingerprints=setting.array("fingerprints", made),
        queries=setting.array("queries", queries),
        distance=DISTANCE,
    )
    theirs, way = setting.worker.contender("faiss", "faiss_hamming", "query")
    with one_core():
        ours = Contender("nearcopy", lambda: timed(lambda: index.find(queries)))
        timings = interleaved([ours, theirs], setting.sizes.rounds)
    note = alike(setting, index.find(queries), "faiss_hamming", way)
    setting.worker.ask("drop", job="faiss_hamming")
    yield race(work, timings["nearcopy"], timings["faiss"], note=note, **given)


def _one_word(setting: Setting) -> Iterator[Measurement]:
    """SimHashes of single words, which crowd together."""
    base = kernels.sketch(corpora.english(12_000).texts, RECIPES["feed"]).simhash
    made, queries = _fingerprints(setting, base, setting.sizes.fingerprints)
    index = _index(made)
    yield _queries(setting, index, queries, "hamming/one word", ", of single words")


def _queries(setting: Setting, index: Any, queries: Array, name: str, kind: str) -> Measurement:
    with one_core():
        timings: list[Timing] = [
            timed(lambda: index.find(queries)) for _ in range(setting.sizes.rounds)
        ]
    matches = len(index.find(queries)[1])
    note = f"{matches:,} matches of {len(queries):,} queries"
    work = Work(name, _title(index) + kind, "queries/s", len(queries))
    return rate(work, timings, note=note)


def _title(index: Any) -> str:
    return f"Hamming <= {DISTANCE} among {len(index):,} fingerprints"


def _bytes(setting: Setting, index: Any) -> Measurement:
    return Measurement(
        f"hamming/bytes {len(index)}",
        f"Hamming index of {len(index):,}",
        "B/doc",
        index.nbytes / len(index),
        bar=setting.sized_bar("<=", 60),
    )


def _free_bytes() -> int:
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
