"""The peers' ways through a corpus, as their users write them: runs in the peers' environment.

`python peer_corpora.py WAY IN.jsonl OUT.jsonl`: rows read, five-word shingles, MinHash of 128, the
peer's own index at 0.5, every candidate counted exactly, the rows written with what they copy.
On two processes wherever that helps. Prints how many pairs were found.
"""

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

SHINGLE, SLOTS, LEAST, SEED = 5, 128, 0.5, 42
CORES = 2
WORDS = re.compile(r"\w+")
TEXTS: list[str] = []  # read before the processes are forked
Pair = tuple[int, int]


def shingles(text: str) -> set[str]:
    """Every run of five words."""
    words = WORDS.findall(text.lower())
    return {" ".join(words[at : at + SHINGLE]) for at in range(max(1, len(words) - SHINGLE + 1))}


def in_parts(count: int, parts: int = 4 * CORES) -> list[range]:
    """Rows in parts of one size."""
    size = -(-count // parts) or 1
    return [range(at, min(at + size, count)) for at in range(0, count, size)]


def forked(work: Callable[[Any], Any], given: Iterable[Any]) -> Iterator[Any]:
    """What the work answers to each, on as many processes as there are cores."""
    with get_context("fork").Pool(CORES) as pool:
        yield from pool.imap(work, given)


# Each way answers with pairs of rows that are likely alike, the later one first.


def _datasketch_part(rows: range) -> Any:
    import numpy as np
    import xxhash
    from datasketch import MinHash

    sets = ([shingle.encode() for shingle in shingles(TEXTS[row])] for row in rows)
    signatures = MinHash.generator(sets, num_perm=SLOTS, hashfunc=xxhash.xxh32_intdigest)
    return np.array([signature.hashvalues for signature in signatures], np.uint32)


def datasketch() -> Iterator[Pair]:
    """MinHashLSH, the signatures made on all cores."""
    from datasketch import MinHash, MinHashLSH

    index, row = MinHashLSH(threshold=LEAST, num_perm=SLOTS), 0
    for part in forked(_datasketch_part, in_parts(len(TEXTS))):
        for values in part:
            signature = MinHash(num_perm=SLOTS, hashvalues=values, scheme="affine32")
            yield from ((row, other) for other in index.query(signature))
            index.insert(row, signature, check_duplication=False)
            row += 1


def gaoya() -> Iterator[Pair]:
    """Its string index, which tokenises by itself and uses all cores."""
    from gaoya.minhash import MinHashStringIndex

    index = MinHashStringIndex(32, LEAST, 42, 3, None, "word", True, (SHINGLE, SHINGLE), "vec")
    index.par_bulk_insert_docs(list(range(len(TEXTS))), TEXTS)
    for rows in in_parts(len(TEXTS)):
        matches = index.par_bulk_query([TEXTS[row] for row in rows])
        for row, neighbours in zip(rows, matches, strict=True):
            yield from ((row, other) for other in neighbours if other < row)


def _rensa_part(rows: range) -> Any:
    from rensa import RMinHash

    return RMinHash.from_token_sets([shingles(TEXTS[row]) for row in rows], SLOTS, SEED)


def rensa() -> Iterator[Pair]:
    """RMinHashLSH, the signatures made on all cores."""
    from rensa import RMinHashLSH

    index, row = RMinHashLSH(LEAST, SLOTS, 32), 0
    for part in forked(_rensa_part, in_parts(len(TEXTS), 64)):
        for signature in part:
            yield from ((row, other) for other in index.query(signature))
            index.insert(row, signature)
            row += 1


@lru_cache(maxsize=20_000)
def _set(row: int) -> frozenset[int]:
    import xxhash

    return frozenset(xxhash.xxh64_intdigest(shingle.encode()) for shingle in shingles(TEXTS[row]))


def _counted(pairs: list[Pair]) -> list[tuple[int, int, float]]:
    """Those of the pairs that share enough, and how much."""
    similar = []
    for a, b in pairs:
        shared = len(_set(a) & _set(b))
        share = shared / (len(_set(a)) + len(_set(b)) - shared)
        if share >= LEAST:
            similar.append((a, b, share))
    return similar


def _batches(pairs: Iterable[Pair], size: int = 5000) -> Iterator[list[Pair]]:
    remaining = iter(pairs)
    while batch := list(islice(remaining, size)):
        yield batch


WAYS = {"datasketch": datasketch, "gaoya": gaoya, "rensa": rensa}


def main(way: str, source: str, target: str) -> None:
    """Write every row with the first row that it is a copy of."""
    lines = Path(source).read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    TEXTS.extend(row["text"] for row in rows)
    pairs = list(WAYS[way]())
    parents = list(range(len(rows)))

    def find(row: int) -> int:
        while parents[row] != row:
            parents[row] = parents[parents[row]]
            row = parents[row]
        return row

    similar = [pair for part in forked(_counted, _batches(pairs)) for pair in part]
    for a, b, _ in similar:
        first, last = sorted((find(a), find(b)))
        parents[last] = first
    with Path(target).open("w", encoding="utf-8") as out:
        for number, row in enumerate(rows):
            kept = find(number)
            row["duplicate_of"] = None if kept == number else rows[kept]["id"]
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    print(len(similar))


if __name__ == "__main__":
    main(*sys.argv[1:])
