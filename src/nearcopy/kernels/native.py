"""The native kernels, with the signatures of the reference."""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import get_args

import numpy as np
from numpy.typing import NDArray

import nearcopy.kernels._native as _native
from nearcopy.config import DigestName, Features, HashName, Recipe, Scheme, Weights
from nearcopy.kernels import reference
from nearcopy.kernels._native import level, use_level
from nearcopy.kernels.data_tables import entities, fold_table, term_weights, title_weights
from nearcopy.kernels.reference.addresses import CleanAddress
from nearcopy.kernels.reference.numerals import number_words
from nearcopy.kernels.reference.overlap import ALL
from nearcopy.kernels.result_types import FeatureSets, Passage, Readings, SimilarPairs, Sketches

__all__ = ["level", "use_level"]
__all__ += reference.__all__

# The order of the compiled enumerations.
HASHES: tuple[HashName, ...] = ("fnv1a", "murmur3", "xxh3")
PRIVATE = 0xE000  # marks facts that were cut out, and is no letter


def _set_tables() -> None:
    table = fold_table()
    _native.set_tables(
        table.pages.ravel(), table.index, table.sequences, table.joins.ravel(), entities()
    )
    _native.set_numbers([(word, *entry) for word, entry in number_words().items()])
    _native.set_term_weights(*term_weights())
    _native.set_title_weights(*title_weights())


_set_tables()


def _native_features(features: Features | None) -> _native.Features:
    if features is None:
        return _native.Features(False, 0)
    return _native.Features(features.unit == "characters", features.size)


@lru_cache(maxsize=64)
def _plan(recipe: Recipe) -> _native.Plan:
    table = recipe.frequencies
    return _native.Plan(
        hash=HASHES.index(recipe.hash),
        simhash=_native_features(recipe.simhash),
        minhash=_native_features(recipe.minhash),
        weights=get_args(Weights).index(recipe.weights),
        scheme=get_args(Scheme).index(recipe.scheme),
        digest=get_args(DigestName).index(recipe.digest),
        max_chars=recipe.max_chars or ALL,
        known=np.frombuffer(table.known if table else b"", "<u8"),
        weight=np.frombuffer(table.weights if table else b"", "<u4"),
        unknown_weight=table.unknown_weight if table else 1,
    )


def sketch(
    texts: Sequence[str], recipe: Recipe, *, html: Sequence[bool] = (), threads: int = 1
) -> Sketches:
    """The sketches of many texts, a row each; `threads` 0 means all cores."""
    columns = _native.sketch(texts, list(map(bool, html)), _plan(recipe), threads)
    return Sketches(*columns).of(recipe)


def readings(
    titles: Sequence[str],
    texts: Sequence[str],
    recipe: Recipe,
    *,
    html: Sequence[bool] = (),
    threads: int = 1,
    short_titles: Sequence[str] | None = None,
    short_words: int = 0,
) -> Readings:
    """Everything that is read from texts and titles, folding each text once."""
    short_titles = titles if short_titles is None else short_titles
    marks = list(map(bool, html))
    columns = _native.readings(
        titles, texts, marks, _plan(recipe), threads, short_titles, short_words
    )
    return Readings(*columns)


class AddressReader(reference.AddressReader):
    """Reads addresses by the names of the sections and the index files of sites."""

    @cached_property
    def _reader(self) -> _native.AddressReader:
        return _native.AddressReader(
            [name for name in self._sections if name.isascii()],
            [name for name in self._index_files if name.isascii()],
        )

    def read(self, urls: Sequence[str]) -> list[CleanAddress | None]:
        """The parts of each clean URL without a query; None for all others."""
        return self._reader.read(urls)

    def slugs(self, forms: Sequence[str]) -> list[str]:
        """The words of each canonical URL that name the story, or "" if there are none."""
        slugs = self._reader.slugs(forms)
        return [
            self._slug(form) if slug is None else slug
            for form, slug in zip(forms, slugs, strict=True)
        ]


class TitleScanner(reference.TitleScanner):
    """The rules that the words, signs and shapes of titles trigger, as bit masks, and the names."""

    @cached_property
    def _table(self) -> _native.TitleScanTable:
        return _native.TitleScanTable(
            [(word, bits) for word, bits in self._triggers.items() if word.isascii()],
            [word for word in self._common if word.isascii()],
            [(point, ord(letter)) for point, letter in self._ascii_forms.items()],
            self._longest,
        )

    def scan(self, titles: Sequence[str]) -> tuple[list[int], list[tuple[str, ...]]]:
        """The bit mask of each title, -1 if it is not ASCII, and the names in it."""
        return self._table.read(titles, self._most)

    def find_names(self, text: str) -> list[tuple[str, int, int]]:
        """The names in a text, with their spans."""
        names = self._table.names(text, PRIVATE)
        return super().find_names(text) if names is None else names


def neighbours(text: str, spans: Sequence[tuple[int, int]], most: int) -> list[tuple[str, str]]:
    """Up to `most` words before and after each span, without words that overlap it."""
    rows = _native.neighbours(text, spans, most)
    return reference.neighbours(text, spans, most) if rows is None else rows


def clause_words(
    text: str, start: int, end: int, *, reach: int, before: int, after: int
) -> tuple[list[str], list[str]]:
    """The last words before a span and the first after it, in its clause and `reach` characters."""
    words = _native.clause_words(text, start, end, reach, before, after)
    if words is None:
        return reference.clause_words(text, start, end, reach=reach, before=before, after=after)
    return words


def features(
    text: str, recipe: Recipe, wanted: Features, *, html: bool = False
) -> NDArray[np.uint64]:
    """The hashes of all features of a text, in order, with duplicates."""
    return _native.features(text, html, _plan(recipe), _native_features(wanted))


def feature_sets(
    texts: Sequence[str],
    recipe: Recipe,
    wanted: Features,
    *,
    html: Sequence[bool] = (),
    threads: int = 1,
) -> FeatureSets:
    """The distinct features of each text, ascending."""
    columns = _native.feature_sets(
        texts, list(map(bool, html)), _plan(recipe), _native_features(wanted), threads
    )
    return FeatureSets(*columns)


def shared_counts(
    sets: FeatureSets, pairs: NDArray[np.uint64], *, threads: int = 1
) -> NDArray[np.uint32]:
    """The number of features that each pair of texts shares."""
    return _native.shared_counts(sets.starts, sets.values, pairs, threads)


def pair_overlaps(
    texts: Sequence[str],
    recipe: Recipe,
    wanted: Features,
    pairs: NDArray[np.uint64],
    *,
    html: Sequence[bool] = (),
    threads: int = 1,
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The number of distinct features of each text, and of those shared by each pair."""
    marks = list(map(bool, html))
    return _native.pair_overlaps(
        texts, marks, _plan(recipe), _native_features(wanted), pairs, threads
    )


class SetJoin:
    """A similarity join: all pairs of sets with a Jaccard overlap of at least `min_overlap`."""

    def __init__(self, sets: FeatureSets, min_overlap: float) -> None:
        self._join = _native.SetJoin(sets.starts, sets.values, min_overlap)

    def __len__(self) -> int:
        return len(self._join)

    @property
    def nbytes(self) -> int:
        """All memory held, in bytes."""
        return self._join.nbytes

    def find(
        self, first: int = 0, most: int = ALL, *, threads: int = 1
    ) -> tuple[int, SimilarPairs]:
        """The pairs of each set from `first` on with later ones, and where to continue."""
        place, pairs, shared = self._join.find(first, most, threads)
        return place, SimilarPairs(pairs, shared)


def passages(
    a: str, b: str, *, html_a: bool = False, html_b: bool = False, min_words: int = 8
) -> list[Passage]:
    """Passages: runs of words in both texts, in the order of b, the longest at each place."""
    return [Passage(*row) for row in _native.passages(a, b, html_a, html_b, min_words)]


def sketch_distances(
    simhash_a: NDArray[np.uint64],
    simhash_b: NDArray[np.uint64],
    minhash_a: Sequence[bytes],
    minhash_b: Sequence[bytes],
) -> tuple[NDArray[np.uint8], NDArray[np.uint16]]:
    """The Hamming distance of the SimHashes and the number of equal MinHash slots of each pair."""
    left, right = (np.ascontiguousarray(bits, np.uint64) for bits in (simhash_a, simhash_b))
    return _native.sketch_distances(left, right, minhash_a, minhash_b)


# The other kernels need no wrapper.
try:
    globals().update({name: getattr(_native, name) for name in __all__ if name not in globals()})
except AttributeError as missing:
    raise ImportError(f"{missing}: the extension is of another version") from missing
