"""The native kernels, with the signatures of the reference."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import get_args

import numpy as np
from numpy.typing import NDArray

import nearcopy.kernels._native as _native
from nearcopy.config import DigestName, Features, HashName, Recipe, Scheme, Weights
from nearcopy.kernels import reference
from nearcopy.kernels._native import (
    KeyIndex,
    TermWeights,
    band_keys,
    components,
    fmix64,
    fnv1a64,
    level,
    md5,
    murmur3_64,
    murmur3_128,
    normalised,
    numeral_shares,
    profile_measures,
    strip_html,
    strip_html_positions,
    term_keys,
    term_rarities,
    title_cosines,
    title_fronts,
    title_keys,
    use_level,
    word_cosines,
    word_spans,
    words,
    xxh3_64,
    xxh3_128,
)
from nearcopy.kernels.data_tables import entities, fold_table, term_weights, title_weights
from nearcopy.kernels.reference.numerals import number_words
from nearcopy.kernels.reference.overlap import ALL
from nearcopy.kernels.result_types import FeatureSets, Passage, Readings, SimilarPairs, Sketches

__all__ = ["level", "use_level"]
__all__ += reference.__all__

# The order of the compiled enumerations.
HASHES: tuple[HashName, ...] = ("fnv1a", "murmur3", "xxh3")
NO_LIMIT = (1 << 63) - 1
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
        max_chars=recipe.max_chars or NO_LIMIT,
        known=np.frombuffer(table.known if table else b"", "<u8"),
        weight=np.frombuffer(table.weights if table else b"", "<u4"),
        unknown_weight=table.unknown_weight if table else 1,
    )


def sketch(
    texts: Sequence[str], recipe: Recipe, *, html: Sequence[bool] = (), threads: int = 1
) -> Sketches:
    """The sketches of many texts, a row each; `threads` 0 means all cores."""
    columns = _native.sketch(texts, list(map(bool, html)), _plan(recipe), threads)
    return Sketches.of(recipe, *columns)


def readings(
    titles: Sequence[str],
    texts: Sequence[str],
    recipe: Recipe,
    *,
    html: Sequence[bool] = (),
    threads: int = 1,
) -> Readings:
    """Everything that is read from texts and titles, folding each text once."""
    columns = _native.readings(titles, texts, list(map(bool, html)), _plan(recipe), threads)
    return Readings(*columns)


class TitleScanner:
    """The rules that the words, signs and shapes of titles trigger, as bit masks, and the names."""

    def __init__(
        self,
        triggers: Mapping[str, int],
        common: Collection[str],
        ascii_forms: Mapping[int, str],
        *,
        longest: int,
        most: int,
    ) -> None:
        self._reference = reference.TitleScanner(
            triggers, common, ascii_forms, longest=longest, most=most
        )
        self._most = most
        self._table = _native.TitleScanTable(
            [(word, bits) for word, bits in triggers.items() if word.isascii()],
            [word for word in common if word.isascii()],
            [(point, ord(letter)) for point, letter in ascii_forms.items()],
            longest,
        )

    def scan(self, titles: Sequence[str]) -> tuple[list[int], list[tuple[str, ...]]]:
        """The bit mask of each title, -1 if it is not ASCII, and the names in it."""
        return self._table.read(titles, self._most)

    def find_names(self, text: str) -> list[tuple[str, int, int]]:
        """The names in a text, with their spans."""
        names = self._table.names(text, PRIVATE)
        return self._reference.find_names(text) if names is None else names


class WordFinder:
    """Finds the words of a table in texts."""

    def __init__(self, table: Iterable[str]) -> None:
        self._finder = _native.WordFinder(list(dict.fromkeys(table)))

    def find(self, texts: Sequence[str], *, most: int) -> list[tuple[str, ...]]:
        """The words of each text that are in the table, in order."""
        return self._finder.find(texts, most)


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


def similar_pairs(sets: FeatureSets, min_overlap: float, *, threads: int = 1) -> SimilarPairs:
    """All pairs of sets with at least this Jaccard overlap, exactly."""
    return SetJoin(sets, min_overlap).find(threads=threads)[1]


def passages(
    a: str, b: str, *, html_a: bool = False, html_b: bool = False, min_words: int = 8
) -> list[Passage]:
    """Passages: runs of words in both texts, in the order of b, the longest at each place."""
    return [Passage(*row) for row in _native.passages(a, b, html_a, html_b, min_words)]


def numerals(texts: Sequence[str], *, html: Sequence[bool] = (), threads: int = 1) -> list[bytes]:
    """The numeral profile of each text: the hashed context and value of the first 32."""
    return _native.numerals(texts, list(map(bool, html)), threads)


def profiles(
    titles: Sequence[str], texts: Sequence[str], *, html: Sequence[bool] = (), threads: int = 1
) -> list[bytes]:
    """The term profile of each article: its 128 heaviest terms by hash, or empty."""
    return _native.profiles(titles, texts, list(map(bool, html)), threads)


def technical_details(
    texts: Sequence[str], *, html: Sequence[bool] = (), threads: int = 1
) -> NDArray[np.uint8]:
    """The number of distinct technical details of each text, at most five."""
    return _native.technical_details(texts, list(map(bool, html)), threads)


def sketch_distances(
    simhash_a: NDArray[np.uint64],
    simhash_b: NDArray[np.uint64],
    minhash_a: Sequence[bytes],
    minhash_b: Sequence[bytes],
) -> tuple[NDArray[np.uint8], NDArray[np.uint16]]:
    """The Hamming distance of the SimHashes and the number of equal MinHash slots of each pair."""
    left, right = (np.ascontiguousarray(bits, np.uint64) for bits in (simhash_a, simhash_b))
    return _native.sketch_distances(left, right, minhash_a, minhash_b)
