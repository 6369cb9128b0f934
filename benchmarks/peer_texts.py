"""How each peer makes signatures from raw text: every way of it that might be its fastest.

Runs in the peers' interpreter. A function makes the texts ready and returns works with their ways.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

Ways = dict[str, dict[str, Callable[[], Any]]]

SLOTS = 128
SEED = 42
BATCHES = (16, 256)


def gaoya(texts: str, analyzer: str) -> Ways:
    """gaoya tokenises, shingles and hashes by itself; it has no sketch apart from its indexes."""
    from gaoya.minhash import MinHashStringIndex
    from gaoya.simhash import SimHashStringIndex

    documents = read_texts(texts)
    ids = list(range(len(documents)))

    def minhash_index() -> Any:
        return MinHashStringIndex(32, 0.5, 32, 4, None, analyzer, True, (3, 3), "vec")

    def simhash_index() -> Any:
        return SimHashStringIndex(64, 6, 3, analyzer, True, (3, 3))

    return {
        "minhash": {
            "insert_document": lambda: _insert_all(minhash_index(), documents),
            "par_bulk_insert_docs": lambda: minhash_index().par_bulk_insert_docs(ids, documents),
            # Not in its documentation, but all of the work and no index: the closest to ours.
            "bulk_hash_docs": lambda: minhash_index().minhash_index.bulk_hash_docs(documents),
        },
        "simhash": {
            "insert_document": lambda: _insert_all(simhash_index(), documents),
            "par_bulk_doc2signatures": lambda: simhash_index().index.par_bulk_doc2signatures(
                documents
            ),
        },
    }


def rensa(texts: str) -> Ways:
    """rensa has no tokeniser: Python makes the shingles, and that is counted."""
    from rensa import RMinHash

    documents = read_texts(texts)
    matrix = RMinHash.digest_matrix_from_token_sets

    def in_batches(size: int) -> Callable[[], Any]:
        return lambda: [
            matrix([shingles(text) for text in batch], SLOTS, SEED)
            for batch in _batches(documents, size)
        ]

    return {
        "text": {
            "all at once": lambda: matrix([shingles(text) for text in documents], SLOTS, SEED),
            "as a generator": lambda: matrix(map(shingles, documents), SLOTS, SEED),
            **{f"batches of {size}": in_batches(size) for size in BATCHES},
        }
    }


def rensa_sketch(texts: str) -> Ways:
    """rensa's part alone, from shingles made before."""
    from rensa import RMinHash

    token_sets = [shingles(text) for text in read_texts(texts)]
    return {
        "sketch": {
            "tokens": lambda: RMinHash.digest_matrix_from_token_sets(token_sets, SLOTS, SEED),
        }
    }


def datasketch(texts: str) -> Ways:
    """datasketch takes bytes: shingles encoded one by one, or cut from the encoded text."""
    from datasketch import MinHash
    from xxhash import xxh32_intdigest

    documents = read_texts(texts)

    def bulk(tokens: Iterable[list[bytes]]) -> Any:
        return MinHash.bulk(tokens, num_perm=SLOTS, hashfunc=xxh32_intdigest)

    return {
        "text": {
            "tokens encoded": lambda: bulk(map(encoded_shingles, documents)),
            "text encoded": lambda: bulk(map(byte_shingles, documents)),
        }
    }


def datasketch_search(texts: str) -> Ways:
    """Every text looked up and added: as users of datasketch write it, and its quickest way."""
    from datasketch import MinHash, MinHashLSH
    from xxhash import xxh32_intdigest

    documents = read_texts(texts)

    def one_by_one() -> Iterator[Any]:
        for text in documents:
            signature = MinHash(num_perm=SLOTS)
            signature.update_batch(byte_shingles(text))
            yield signature

    def at_once() -> Iterable[Any]:
        tokens = map(byte_shingles, documents)
        return MinHash.generator(tokens, num_perm=SLOTS, hashfunc=xxh32_intdigest)

    def search(signatures: Iterable[Any]) -> list[list[int]]:
        index = MinHashLSH(threshold=0.5, num_perm=SLOTS)
        repeated = []
        for row, signature in enumerate(signatures):
            repeated.append(index.query(signature))
            index.insert(row, signature, check_duplication=False)
        return repeated

    return {
        "update": {"update_batch": lambda: search(one_by_one())},
        "generator": {"generator": lambda: search(at_once())},
    }


def shingles(text: str) -> list[str]:
    """The 3-word shingles of a text, the quickest way plain Python has."""
    words = text.lower().split()
    return list(map(" ".join, zip(words, words[1:], words[2:], strict=False)))


def encoded_shingles(text: str) -> list[bytes]:
    """The shingles as bytes."""
    return [shingle.encode() for shingle in shingles(text)]


def byte_shingles(text: str) -> list[bytes]:
    """The same for text with ASCII spaces, encoding once."""
    words = text.lower().encode().split()
    return list(map(b" ".join, zip(words, words[1:], words[2:], strict=False)))


def _insert_all(index: Any, documents: list[str]) -> Any:
    for number, document in enumerate(documents):
        index.insert_document(number, document)
    return index


def _batches(documents: list[str], size: int) -> Iterator[list[str]]:
    return (documents[start : start + size] for start in range(0, len(documents), size))


def read_texts(path: str) -> list[str]:
    documents: list[str] = json.loads(Path(path).read_text(encoding="utf-8"))
    return documents
