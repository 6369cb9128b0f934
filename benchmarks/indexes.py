"""The indexes: signatures found through their bands, fingerprints within three bits."""

import os
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import corpora
from fresh import fresh
from nearcopy import RECIPES, Recipe, kernels
from peers import Worker
from results import Bar, Measurement, Work, race, rate
from setting import Setting
from timing import Contender, Timing, interleaved, one_core, timed

BANDS, ROWS = 32, 4
THRESHOLD = 0.5
DISTANCE = 3
BATCH = 100_000
NEAR_COPIES = 0.3  # of the fingerprints made

Array = NDArray[Any]


def lsh(setting: Setting) -> Iterator[Measurement]:
    """Insert and verified query beside rensa and datasketch."""
    filed, asked = _passages(setting)
    signatures, queries = _signatures(filed), _signatures(asked)
    setting.say(f"LSH: {len(filed):,} signatures, {len(asked):,} queries")
    ways = _prepare_lsh(setting, filed, asked, signatures, queries)
    index = _signature_index(signatures)
    works = {
        "insert": lambda: _signature_index(signatures),
        "query": lambda: index.find(queries, THRESHOLD),
    }
    for work, count in (("insert", len(filed)), ("query", len(asked))):
        yield from _lsh_race(setting, Work(work, "", "docs/s", count), works[work], ways)
    yield from _candidates(setting, works["query"], len(asked), ways)
    _drop(setting, ways)


def lsh_memory(setting: Setting) -> Iterator[Measurement]:
    """Bytes a document, signatures and all, each measured in a process of its own."""
    count = setting.sizes.signatures
    texts, _ = _passages(setting)
    signatures = _signatures(texts)
    path = setting.array("signatures", signatures)
    grown = fresh("signature_index", path=path)
    held = _signature_index(signatures).nbytes / count
    title = f"MinHash index of {count:,} with signatures"
    ours = Measurement("lsh/bytes", title, "B/doc", held, details={"resident": grown["each"]})
    yield replace(ours, bar=Bar("<=", 800))
    inputs = {"datasketch": {"signatures": path}, "rensa": {"texts": setting.texts("filed", texts)}}
    for package, given in inputs.items():
        if setting.has(package):
            yield _peer_memory(ours, package, given)


def hamming(setting: Setting) -> Iterator[Measurement]:
    """All fingerprints within three bits, beside faiss."""
    base = kernels.sketch(corpora.english(12_000).texts, Recipe()).simhash
    made, queries = _fingerprints(setting, base, setting.sizes.fingerprints)
    setting.say(f"Hamming: {len(made):,} fingerprints, {len(queries):,} queries")
    index = _hamming_index(made)
    yield from _beside_faiss(setting, index, made, queries)
    yield _bytes(index)
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
    index = _hamming_index(made)
    yield _queries(setting, index, queries, f"hamming/{count}", "")
    yield _bytes(index)
    with one_core():
        filing = [timed(lambda: _hamming_index(made), 0)]
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


def _passages(setting: Setting) -> tuple[list[str], list[str]]:
    """What is filed and what is asked for: near copies of it and strangers, half and half."""
    count, asked = setting.sizes.signatures, setting.sizes.signature_queries
    dice = random.Random(5)
    texts = corpora.passages(count + asked // 2).texts
    filed, strangers = texts[:count], texts[count:]
    copies = [
        corpora.edited(dice.choice(filed), dice.uniform(0, 0.1), dice)
        for _ in range(asked - len(strangers))
    ]
    return filed, [*copies, *strangers]


def _signatures(texts: list[str]) -> Array:
    return kernels.sketch(texts, Recipe(simhash=None)).minhash


def _signature_index(signatures: Array) -> Any:
    index = kernels.SignatureIndex(BANDS, ROWS)
    index.insert(signatures)
    return index


def _prepare_lsh(
    setting: Setting, filed: list[str], asked: list[str], signatures: Array, queries: Array
) -> dict[str, str]:
    """The jobs of the peers that are there, by package."""
    inputs = {
        "rensa": {"texts": filed, "queries": asked},
        "datasketch": {"signatures": signatures, "queries": queries},
    }
    ready = {}
    for package in filter(setting.has, inputs):
        assert setting.worker
        paths = {
            name: setting.texts(f"{package}-{name}", given)
            if isinstance(given, list)
            else setting.array(f"{package}-{name}", given)
            for name, given in inputs[package].items()
        }
        ready[package] = f"{package}_lsh"
        setting.worker.ask(
            "prepare",
            module="peer_indexes",
            job=ready[package],
            threshold=THRESHOLD,
            **paths,
        )
    return ready


LSH_BARS = {"rensa": ("rensa RMinHashLSH", 1.5), "datasketch": ("datasketch MinHashLSH", 20)}


def _lsh_race(
    setting: Setting, work: Work, ours: Callable[[], Any], jobs: dict[str, str]
) -> Iterator[Measurement]:
    contenders, ways = [Contender("nearcopy", lambda: timed(ours))], {}
    for package, job in jobs.items():
        assert setting.worker
        contender, ways[package] = setting.worker.contender(package, job, work.name)
        contenders.append(contender)
    with one_core():
        timings = interleaved(contenders, setting.sizes.rounds)
    said = {"insert": "LSH insert", "query": "LSH query with verification"}[work.name]
    for package, (against, bar) in LSH_BARS.items():
        line = replace(
            work,
            name=f"lsh/{work.name}/{package}",
            title=f"{said}, {setting.sizes.signatures:,} signatures",
        )
        given: dict[str, Any] = {"against": against, "bar": Bar(">=", bar)}
        if package not in ways:
            yield rate(line, timings["nearcopy"], note=f"{package} is absent", **given)
            continue
        note = ways[package]
        if work.name == "query":
            note += "; " + _alike(setting, ours(), jobs[package], ways[package])
        yield race(line, timings["nearcopy"], timings[package], note=note, **given)


def _candidates(
    setting: Setting, ours: Callable[[], Any], count: int, jobs: dict[str, str]
) -> Iterator[Measurement]:
    """Our verified query beside rensa's candidates, which nobody has verified yet."""
    if "rensa" not in jobs:
        return
    assert setting.worker
    theirs, way = setting.worker.contender("rensa", jobs["rensa"], "candidates")
    with one_core():
        timings = interleaved(
            [Contender("nearcopy", lambda: timed(ours)), theirs], setting.sizes.rounds
        )
    title = f"LSH query, rensa's not verified, {setting.sizes.signatures:,} signatures"
    work = Work("lsh/candidates/rensa", title, "docs/s", count)
    yield race(work, timings["nearcopy"], timings["rensa"], "rensa RMinHashLSH", note=way)


def _alike(setting: Setting, ours: tuple[Array, ...], job: str, way: str) -> str:
    """In words: whether the peer found the same."""
    found = _answer(setting, job, way)
    mine = pairs(ours[0], ours[1])
    theirs = pairs(found["starts"], found["positions"])
    if np.array_equal(mine, theirs):
        return f"both find the same {len(mine):,}"
    shared = len(np.intersect1d(mine, theirs))
    return f"we find {len(mine):,}, they {len(theirs):,}, of them both {shared:,}"


def _answer(setting: Setting, job: str, way: str) -> dict[str, Array]:
    assert setting.worker
    path = setting.folder / f"{job}.npz"
    setting.worker.ask("answer", job=job, work="query", way=way, path=str(path))
    with np.load(path) as found:
        return dict(found)


def pairs(starts: Array, positions: Array) -> Array:
    """Each query and match as one number, ascending."""
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts.astype(np.int64)))
    return np.sort((rows << 32) | positions.astype(np.int64))


def _peer_memory(ours: Measurement, package: str, given: dict[str, str]) -> Measurement:
    with Worker() as worker:
        each = worker.ask("measure", module="peer_indexes", function=f"{package}_memory", **given)
    return replace(
        ours,
        name=f"lsh/bytes/{package}",
        against=f"{package}, resident",
        theirs=each["both"],
        ratio=each["both"] / ours.ours,
        details={"index_alone": each["index"]},
    )


def _fingerprints(setting: Setting, base: Array, count: int) -> tuple[Array, Array]:
    """Fingerprints to file, and queries: near copies and strangers, half and half."""
    dice = np.random.default_rng(6)
    made = real_like(base, count, dice)
    half = setting.sizes.fingerprint_queries // 2
    queries = np.concatenate((near(made, half, dice), mixed(base, half, dice)))
    return made, queries[dice.permutation(len(queries))]


def _hamming_index(made: Array) -> Any:
    index = kernels.HammingIndex(DISTANCE)
    for start in range(0, len(made), BATCH):
        index.insert(made[start : start + BATCH])
    return index


def _beside_faiss(
    setting: Setting, index: Any, made: Array, queries: Array
) -> Iterator[Measurement]:
    work = Work("hamming/faiss", _hamming_title(index), "queries/s", len(queries))
    given: dict[str, Any] = {"against": "faiss IndexBinaryMultiHash", "bar": Bar(">=", 10)}
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
    note = _alike(setting, index.find(queries), "faiss_hamming", way)
    setting.worker.ask("drop", job="faiss_hamming")
    yield race(work, timings["nearcopy"], timings["faiss"], note=note, **given)


def _one_word(setting: Setting) -> Iterator[Measurement]:
    """SimHashes of single words, which crowd together."""
    base = kernels.sketch(corpora.english(12_000).texts, RECIPES["feed"]).simhash
    made, queries = _fingerprints(setting, base, setting.sizes.fingerprints)
    index = _hamming_index(made)
    yield _queries(setting, index, queries, "hamming/one word", ", of single words")


def _queries(setting: Setting, index: Any, queries: Array, name: str, kind: str) -> Measurement:
    with one_core():
        timings: list[Timing] = [
            timed(lambda: index.find(queries)) for _ in range(setting.sizes.rounds)
        ]
    matches = len(index.find(queries)[1])
    note = f"{matches:,} matches of {len(queries):,} queries"
    work = Work(name, _hamming_title(index) + kind, "queries/s", len(queries))
    return rate(work, timings, note=note)


def _hamming_title(index: Any) -> str:
    return f"Hamming <= {DISTANCE} among {len(index):,} fingerprints"


def _bytes(index: Any) -> Measurement:
    return Measurement(
        f"hamming/bytes {len(index)}",
        f"Hamming index of {len(index):,}",
        "B/doc",
        index.nbytes / len(index),
        bar=Bar("<=", 60),
    )


def _drop(setting: Setting, jobs: dict[str, str]) -> None:
    for job in jobs.values():
        assert setting.worker
        setting.worker.ask("drop", job=job)


def _free_bytes() -> int:
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
