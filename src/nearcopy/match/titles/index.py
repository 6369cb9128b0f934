"""An index of titles: the most alike among many, however they are reworded or reordered."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from rapidfuzz import fuzz, process

from nearcopy import kernels
from nearcopy.extract.titles.normalize import normals
from nearcopy.match.titles.similarity import MAX_CHARS

# Titles looked at closely for one query: those under its rarest keys first.
MAX_CANDIDATES = 1000


class TitleMatch(NamedTuple):
    """A title found, and how alike it is, 0..1."""

    id: int
    score: float


class TitleIndex:
    """Titles filed under the keys of their heaviest terms, by id; adding an id again replaces it.

    >>> index = TitleIndex()
    >>> index.add([7, 8], ["Ferry runs aground off Norway", "Port opens a second bridge"])
    >>> [(match.id, round(match.score, 2)) for match in index.find("Norway: a ferry runs aground")]
    [(7, 0.92)]
    """

    def __init__(self) -> None:
        self._keys: Any = kernels.KeyIndex()
        self._titles: list[str] = []  # by position, as are
        self._ids: list[int] = []
        self._positions: dict[int, int] = {}  # by id

    def __len__(self) -> int:
        return len(self._positions)

    def add(self, ids: Sequence[int], titles: Sequence[str]) -> None:
        """File titles as they are given: clean them first if they have publishers' names."""
        last = dict(zip(ids, titles, strict=True))
        normal_titles = [title[:MAX_CHARS] for title in normals(list(last.values()))]
        replaced = [self._positions[name] for name in last if name in self._positions]
        if replaced:
            self._keys.remove(np.array(replaced, np.uint32))
        starts, keys = kernels.title_keys(normal_titles)
        first = self._keys.insert_ragged(keys, starts, np.zeros(len(normal_titles), np.int64))
        self._titles += normal_titles
        self._ids += last
        self._positions.update(zip(last, range(first, first + len(normal_titles)), strict=True))

    def find(self, title: str, *, at_least: float = 0.6, limit: int = 10) -> list[TitleMatch]:
        """The titles most alike, best first, then by id.

        The score is the mean of the soft cosine and the ratio of the sorted words.
        """
        query = normals([title])[0][:MAX_CHARS]
        candidates = self._candidates(query)
        matches = sorted(self._scored(query, candidates, at_least), key=lambda m: (-m.score, m.id))
        return matches[:limit]

    def _candidates(self, query: str) -> list[int]:
        """Where the titles stand that share a key, as many rare keys as can be looked at."""
        keys = np.unique(kernels.title_keys([query])[1])
        counts = self._keys.counts(keys)
        order = np.argsort(counts, kind="stable")
        within = np.cumsum(counts[order]) <= MAX_CANDIDATES
        within[:1] = True
        chosen = keys[order[within]]
        positions: list[int] = self._keys.find(chosen[None])[1].tolist()
        return positions[:MAX_CANDIDATES]

    def _scored(self, query: str, candidates: list[int], at_least: float) -> Iterator[TitleMatch]:
        titles = [self._titles[position] for position in candidates]
        soft = kernels.title_cosines([query] * len(titles), titles)
        hopeful = np.flatnonzero(soft >= 2 * at_least - 1).tolist()
        if not hopeful:
            return
        sort = process.cdist(
            [query], [titles[at] for at in hopeful], scorer=fuzz.token_sort_ratio, dtype=np.float64
        )[0]
        for at, ratio in zip(hopeful, sort.tolist(), strict=True):
            score = (float(soft[at]) + ratio / 100) / 2
            if score >= at_least:
                yield TitleMatch(self._ids[candidates[at]], min(1.0, score))
