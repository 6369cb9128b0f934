"""The MinHash index: signatures found through their bands, beside rensa and datasketch."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import corpora
from answers import alike
from fresh import fresh
from nearcopy import Recipe, kernels
from peers import Worker
from results import Measurement, Work, race, rate
from setting import Setting
from timing import Contender, interleaved, one_core, timed

BANDS, ROWS = 32, 4
THRESHOLD = 0.5
TITLES = {"insert": "LSH insert", "query": "LSH query with verification"}
RIVALS = {"rensa": ("rensa RMinHashLSH", 1.5), "datasketch": ("datasketch MinHashLSH", 20)}

Array = NDArray[np.uint32]


def lsh(setting: Setting) -> Iterator[Measurement]:
    """Insert and verified query beside rensa and datasketch."""
    filed, asked = _passages(setting)
    signatures, queries = _signatures(filed), _signatures(asked)
    setting.say(f"LSH: {len(filed):,} signatures, {len(asked):,} queries")
    ways = _prepare(setting, filed, asked, signatures, queries)
    index = _index(signatures)
    works = {
        "insert": lambda: _index(signatures),
        "query": lambda: index.find(queries, THRESHOLD),
    }
    for work, count in (("insert", len(filed)), ("query", len(asked))):
        yield from _race(setting, Work(work, "", "docs/s", count), works[work], ways)
    yield from _candidates(setting, works["query"], len(asked), ways)
    _drop(setting, ways)


def lsh_memory(setting: Setting) -> Iterator[Measurement]:
    """Bytes a document, signatures and all, each measured in a process of its own."""
    count = setting.sizes.signatures
    texts, _ = _passages(setting)
    signatures = _signatures(texts)
    path = setting.array("signatures", signatures)
    grown = fresh("signature_index", path=path)
    held = _index(signatures).nbytes / count
    title = f"MinHash index of {count:,} with signatures"
    ours = Measurement("lsh/bytes", title, "B/doc", held, details={"resident": grown["each"]})
    yield replace(ours, bar=setting.sized_bar("<=", 800))
    inputs = {"datasketch": {"signatures": path}, "rensa": {"texts": setting.texts("filed", texts)}}
    for package, given in inputs.items():
        if setting.has(package):
            yield _peer_memory(ours, package, given)


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


def _index(signatures: Array) -> Any:
    index = kernels.SignatureIndex(BANDS, ROWS)
    index.insert(signatures)
    return index


def _prepare(
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


def _race(
    setting: Setting, work: Work, ours: Callable[[], Any], jobs: dict[str, str]
) -> Iterator[Measurement]:
    contenders, ways = [Contender("nearcopy", lambda: timed(ours))], {}
    for package, job in jobs.items():
        assert setting.worker
        contender, ways[package] = setting.worker.contender(package, job, work.name)
        contenders.append(contender)
    # Queries wait for memory, which neighbours disturb most: more rounds, they are short.
    rounds = setting.sizes.rounds * (3 if work.name == "query" else 1)
    with one_core():
        timings = interleaved(contenders, rounds)
    for package, (against, bar) in RIVALS.items():
        line = replace(
            work,
            name=f"lsh/{work.name}/{package}",
            title=f"{TITLES[work.name]}, {setting.sizes.signatures:,} signatures",
        )
        given: dict[str, Any] = {"against": against, "bar": setting.sized_bar(">=", bar)}
        if package not in ways:
            yield rate(line, timings["nearcopy"], note=f"{package} is absent", **given)
            continue
        note = ways[package]
        if work.name == "query":
            note += "; " + alike(setting, ours(), jobs[package], ways[package])
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
            [Contender("nearcopy", lambda: timed(ours)), theirs], 3 * setting.sizes.rounds
        )
    title = f"LSH query, rensa's not verified, {setting.sizes.signatures:,} signatures"
    work = Work("lsh/candidates/rensa", title, "docs/s", count)
    yield race(work, timings["nearcopy"], timings["rensa"], "rensa RMinHashLSH", note=way)


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


def _drop(setting: Setting, jobs: dict[str, str]) -> None:
    for job in jobs.values():
        assert setting.worker
        setting.worker.ask("drop", job=job)
