"""datasketch's way of de-duplicating a file, as its users write it: runs in the peers' environment.

MinHash of 128 over five-word shingles, MinHashLSH at 0.5, groups by union-find, the first of each
group kept. `python peer_dedupe.py IN.jsonl OUT.jsonl` prints how many rows went.
"""

import json
import re
import sys
from collections.abc import Iterator

import xxhash
from datasketch import MinHash, MinHashLSH

SHINGLE = 5
WORDS = re.compile(r"\w+")


class Groups:
    """Union-find; the first row of a group represents it."""

    def __init__(self) -> None:
        self._parents: dict[int, int] = {}

    def find(self, row: int) -> int:
        """The row that represents the group of this one."""
        while (parent := self._parents.get(row, row)) != row:
            self._parents[row] = self._parents.get(parent, parent)
            row = parent
        return row

    def join(self, a: int, b: int) -> None:
        """Make two groups one."""
        first, last = sorted((self.find(a), self.find(b)))
        self._parents[last] = first


def shingles(text: str) -> list[bytes]:
    """Every run of five words, as bytes."""
    words = WORDS.findall(text.lower())
    runs = {" ".join(words[at : at + SHINGLE]) for at in range(max(1, len(words) - SHINGLE + 1))}
    return [run.encode() for run in runs]


def lines(path: str) -> Iterator[str]:
    """The rows of a file, unchanged."""
    with open(path, encoding="utf-8") as rows:
        yield from rows


def main(source: str, target: str) -> None:
    """Write the rows that are kept."""
    index, groups = MinHashLSH(threshold=0.5, num_perm=128), Groups()
    texts = (shingles(json.loads(line)["text"]) for line in lines(source))
    signatures = MinHash.generator(texts, num_perm=128, hashfunc=xxhash.xxh32_intdigest)
    for row, signature in enumerate(signatures):
        for other in index.query(signature):
            groups.join(row, other)
        index.insert(row, signature, check_duplication=False)
    removed = 0
    with open(target, "w", encoding="utf-8") as out:
        for row, line in enumerate(lines(source)):
            kept = groups.find(row) == row
            removed += not kept
            out.write(line if kept else "")
    print(removed)


if __name__ == "__main__":
    main(*sys.argv[1:])
