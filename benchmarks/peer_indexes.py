"""How each peer files signatures and finds them again. Runs in the peers' interpreter."""

import gc
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from peer_texts import SEED, SLOTS, read_texts, shingles

Ways = dict[str, dict[str, Callable[[], Any]]]

BANDS, ROWS = 32, 4


def rensa_lsh(texts: str, queries: str, threshold: float) -> Ways:
    """rensa's index of its own signatures: candidates, which the caller verifies by `jaccard`."""
    from rensa import RMinHash, RMinHashLSH

    matrix = _rensa_matrix(texts)
    filed = RMinHash.from_token_sets(map(shingles, read_texts(texts)), SLOTS, SEED)
    asked = RMinHash.from_token_sets(map(shingles, read_texts(queries)), SLOTS, SEED)

    def insert_matrix() -> Any:
        index = RMinHashLSH(threshold, SLOTS, BANDS)
        index.insert_matrix(matrix)
        return index

    def insert_many() -> Any:
        index = RMinHashLSH(threshold, SLOTS, BANDS)
        index.insert_many(filed)
        return index

    index = insert_matrix()

    def verified() -> list[list[int]]:
        return [
            [key for key in candidates if query.jaccard(filed[key]) >= threshold]
            for query, candidates in zip(asked, index.query_all(asked), strict=True)
        ]

    return {
        "insert": {"insert_matrix": insert_matrix, "insert_many": insert_many},
        "query": {"query_all, then jaccard": verified},
        "candidates": {"query_all": lambda: index.query_all(asked)},
    }


def datasketch_lsh(signatures: str, queries: str, threshold: float) -> Ways:
    """datasketch's index of our very signatures, verified by `jaccard` as its manual shows."""
    from datasketch import MinHashLSH

    filed, asked = _minhashes(signatures), _minhashes(queries)

    def insert() -> Any:
        index = MinHashLSH(threshold=threshold, num_perm=SLOTS, params=(BANDS, ROWS))
        for key, minhash in enumerate(filed):
            index.insert(key, minhash, check_duplication=False)
        return index

    index = insert()

    def verified() -> list[list[int]]:
        return [
            [key for key in index.query(query) if query.jaccard(filed[key]) >= threshold]
            for query in asked
        ]

    return {"insert": {"insert": insert}, "query": {"query, then jaccard": verified}}


def faiss_hamming(fingerprints: str, queries: str, distance: int) -> Ways:
    """faiss's multi-index hashing: as many blocks of 16 bits as we have."""
    import faiss

    faiss.omp_set_num_threads(1)
    filed = np.load(fingerprints).view(np.uint8).reshape(-1, 8)
    asked = np.load(queries).view(np.uint8).reshape(-1, 8)

    def insert() -> Any:
        index = faiss.IndexBinaryMultiHash(64, 4, 16)
        index.add(filed)
        return index

    index = insert()

    def find() -> Any:
        # faiss looks for distances under the radius, not up to it.
        return index.range_search(asked, distance + 1)

    return {"insert": {"add": insert}, "query": {"range_search": find}}


def rensa_memory(texts: str) -> dict[str, float]:
    """The bytes a document of rensa's index, and of its signatures."""
    from rensa import RMinHashLSH

    before = resident_bytes()
    matrix = _rensa_matrix(texts)
    signed = resident_bytes()
    index = RMinHashLSH(0.5, SLOTS, BANDS)
    index.insert_matrix(matrix)
    return _each(matrix.len(), before, signed, resident_bytes())


def datasketch_memory(signatures: str) -> dict[str, float]:
    """The bytes a document of datasketch's index, and of its signatures."""
    from datasketch import MinHashLSH

    before = resident_bytes()
    filed = _minhashes(signatures)
    signed = resident_bytes()
    index = MinHashLSH(threshold=0.5, num_perm=SLOTS, params=(BANDS, ROWS))
    for key, minhash in enumerate(filed):
        index.insert(key, minhash, check_duplication=False)
    return _each(len(filed), before, signed, resident_bytes())


def resident_bytes() -> int:
    """The memory this process has now."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096


def _each(documents: int, before: int, signed: int, after: int) -> dict[str, float]:
    return {"index": (after - signed) / documents, "both": (after - before) / documents}


def _rensa_matrix(texts: str) -> Any:
    from rensa import RMinHash

    return RMinHash.digest_matrix_from_token_sets(map(shingles, read_texts(texts)), SLOTS, SEED)


def _minhashes(signatures: str) -> list[Any]:
    from datasketch import MinHash

    like = MinHash(num_perm=SLOTS)
    return [
        MinHash(hashvalues=row.copy(), permutations=like.permutations, scheme=like.scheme)
        for row in np.load(signatures, mmap_mode="r")
    ]


def arrays(found: Any) -> dict[str, Any]:
    """What a query found, as (starts, positions)."""
    if isinstance(found, tuple):  # faiss: where each row starts, distances, positions
        return {"starts": found[0], "positions": found[2]}
    starts = np.cumsum([0, *map(len, found)])
    return {"starts": starts, "positions": np.fromiter(chain.from_iterable(found), np.int64)}
