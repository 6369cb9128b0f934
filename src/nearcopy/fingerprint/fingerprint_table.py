"""Fingerprints in columns: what pairs are compared by, a row for each fingerprint."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from nearcopy.config.units import NO_TIME, to_micros
from nearcopy.extract.facts import add_chinese_facts
from nearcopy.models import Fingerprint

Rows = NDArray[np.int64]

# Numbers of fixed length. Addresses, ids and the like are hashes, 0 where there is none: two are
# compared without their strings.
NUMBERS = np.dtype(
    [
        *((name, np.int64) for name in ("id", "url", "declared_url", "source", "digest", "recipe")),
        *((name, np.int64) for name in ("published", "seen", "words", "stages", "title")),
        *((name, np.int32) for name in ("title_chars", "title_words", "gist_words", "facts")),
        *((name, np.bool_) for name in ("hashed", "signed", "figured", "refiled", "column")),
        *((name, np.bool_) for name in ("block_page", "beyond_ascii")),
        ("simhash", np.uint64),
    ]
)


class Texts(NamedTuple):
    """The columns of strings and bytes."""

    title: list[str]
    gist: list[str]
    minhash: list[bytes]
    numerals: list[bytes]
    profile: list[bytes]


class FingerprintTable:
    """Fingerprints in columns. It grows: a fingerprint that it has already keeps its row."""

    def __init__(self) -> None:
        self.originals: list[Fingerprint] = []
        self.fingerprints: list[Fingerprint] = []  # the same with the facts in Chinese characters
        self.texts = Texts([], [], [], [], [])
        self._numbers = np.zeros(64, NUMBERS)
        self._row_of: dict[int, int] = {}  # by identity
        self._stages: dict[tuple[str, ...], int] = {(): 0}

    def __len__(self) -> int:
        return len(self.originals)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A column of numbers."""
        column: NDArray[Any] = self._numbers[name][: len(self)]
        return column

    def ages(self, rows: Rows) -> NDArray[np.int64]:
        """When each was published, else seen; the latest of all times where neither is known."""
        published, seen = self["published"][rows], self["seen"][rows]
        ages = np.where(published == NO_TIME, seen, published)
        return np.where(ages == NO_TIME, np.iinfo(np.int64).max, ages)

    def rows(self, fingerprints: Sequence[Fingerprint]) -> Rows:
        """The row of each fingerprint; those that are new are added."""
        rows = list(map(self._row_of.get, map(id, fingerprints)))
        if None in rows:
            missing = [row is None for row in rows]
            self._add(item for item, new in zip(fingerprints, missing, strict=True) if new)
            rows = list(map(self._row_of.get, map(id, fingerprints)))
        return np.array(rows, np.int64)

    def _add(self, fingerprints: Iterable[Fingerprint]) -> None:
        new = list({id(item): item for item in fingerprints}.values())
        start, stop = len(self), len(self) + len(new)
        if stop > len(self._numbers):
            grown = np.zeros(max(stop, 2 * len(self._numbers)), NUMBERS)
            grown[:start] = self._numbers[:start]
            self._numbers = grown
        read = [item if item.gist.isascii() else add_chinese_facts(item) for item in new]
        self._numbers[start:stop] = list(map(self._row, read))
        self.fingerprints += read
        self.texts.title.extend(item.title for item in read)
        self.texts.gist.extend(item.gist for item in read)
        self.texts.minhash.extend(item.minhash or b"" for item in read)
        self.texts.numerals.extend(item.numerals for item in read)
        self.texts.profile.extend(item.profile for item in read)
        self._row_of.update(zip(map(id, new), range(start, stop), strict=True))
        self.originals += new

    def _row(self, item: Fingerprint) -> tuple[Any, ...]:
        """The numbers of a fingerprint, in the order of `NUMBERS`."""
        published, seen = to_micros(item.published), to_micros(item.seen)
        return (
            hash(item.id),
            _hash(item.url),
            _hash(item.declared_url),
            _hash(item.source),
            _hash(item.digest),
            _hash(item.recipe or None),
            NO_TIME if published is None else published,
            NO_TIME if seen is None else seen,
            item.words,
            self._stages.setdefault(item.stages, len(self._stages)),
            hash(item.title),
            len(item.title),
            item.title.count(" ") + 1 if item.title else 0,
            item.gist.count(" "),
            len(item.facts),
            item.simhash is not None,
            bool(item.minhash),
            bool(item.numerals),
            item.refiled,
            item.column is not None,
            item.block_page is not None,
            not item.gist.isascii(),
            item.simhash or 0,
        )


@dataclass(frozen=True, slots=True)
class RowPairs:
    """Pairs of rows of a table."""

    table: FingerprintTable
    left: Rows
    right: Rows

    @classmethod
    def of(cls, pairs: Iterable[tuple[Fingerprint, Fingerprint]]) -> Self:
        """The pairs of these fingerprints, in a table of their own."""
        table = FingerprintTable()
        rows = table.rows([fingerprint for pair in pairs for fingerprint in pair])
        return cls(table, rows[::2], rows[1::2])

    def __len__(self) -> int:
        return len(self.left)

    def numbers(self, name: str) -> tuple[NDArray[Any], NDArray[Any]]:
        """A column of numbers, of both sides."""
        column = self.table[name]
        return column[self.left], column[self.right]

    def texts(self, name: str) -> tuple[list[Any], list[Any]]:
        """A column of strings or bytes, of both sides."""
        item = getattr(self.table.texts, name).__getitem__
        return list(map(item, self.left.tolist())), list(map(item, self.right.tolist()))

    def fingerprints(self) -> Iterator[tuple[Fingerprint, Fingerprint]]:
        """The two fingerprints of each pair."""
        item = self.table.fingerprints.__getitem__
        return zip(map(item, self.left.tolist()), map(item, self.right.tolist()), strict=True)

    def older_first(self) -> "RowPairs":
        """The pairs, each with the older article first; of one age the first by id."""
        left, right = self.table.ages(self.left), self.table.ages(self.right)
        swapped = left > right
        for place in np.flatnonzero(left == right).tolist():
            a, b = self.left[place], self.right[place]
            swapped[place] = self.table.originals[a].id > self.table.originals[b].id
        first, second = (
            np.where(swapped, self.right, self.left),
            np.where(swapped, self.left, self.right),
        )
        return RowPairs(self.table, first, second)

    def take(self, places: Rows | slice) -> "RowPairs":
        """The pairs at these places."""
        return RowPairs(self.table, self.left[places], self.right[places])


def _hash(value: str | bytes | None) -> int:
    """A hash that is 0 for None alone."""
    return 0 if value is None else hash(value) or 1
