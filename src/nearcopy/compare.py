"""Comparing: what can be measured between two, without an opinion on what it means."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearcopy import facts, kernels, titles
from nearcopy.config import SLOTS, Features, Recipe
from nearcopy.errors import BadArticle, BadRecipe
from nearcopy.kernels.results import Passage
from nearcopy.model import Article, Evidence, Fingerprint

Pair = tuple[Fingerprint, Fingerprint]
Floats = NDArray[np.float64]
HOUR = timedelta(hours=1)
MEASURES = titles.SCORES | {"names", "profile"}


@dataclass(frozen=True, slots=True)
class Overlap:
    """How many features two texts have, and share: exact, not estimated."""

    a: int
    b: int
    shared: int

    @property
    def jaccard(self) -> float | None:
        """Shared among all features of both, 0..1; None where there are none."""
        union = self.a + self.b - self.shared
        return self.shared / union if union else None

    @property
    def containment(self) -> float | None:
        """The share of the smaller text that is found in the other, 0..1."""
        smaller = min(self.a, self.b)
        return self.shared / smaller if smaller else None


def overlap(
    a: Article, b: Article, recipe: Recipe | None = None, *, features: Features | None = None
) -> Overlap:
    """The exact overlap of two texts, in the features of the recipe's MinHash."""
    return overlaps([a, b], [(0, 1)], recipe, features=features)[0]


def overlaps(
    articles: Sequence[Article],
    pairs: Sequence[tuple[int, int]],
    recipe: Recipe | None = None,
    *,
    features: Features | None = None,
) -> list[Overlap]:
    """The exact overlap of each pair of places among the articles."""
    recipe = recipe or Recipe()
    wanted = features or recipe.minhash or recipe.simhash or Features()
    texts, html = [each.text for each in articles], [each.html for each in articles]
    sets = kernels.feature_sets(texts, recipe, wanted, html=html)
    places = np.array(pairs, np.uint64).reshape(-1, 2)
    shared = kernels.shared_counts(sets, places).tolist()
    sizes = np.diff(sets.starts).tolist()
    return [Overlap(sizes[a], sizes[b], n) for (a, b), n in zip(pairs, shared, strict=True)]


def passages(a: Article, b: Article, *, min_words: int = 8) -> list[Passage]:
    """The passages that stand in both, with their places in the two originals."""
    found: list[Passage] = kernels.passages(
        a.text, b.text, html_a=a.html, html_b=b.html, min_words=min_words
    )
    return found


def hamming_distance(a: Fingerprint, b: Fingerprint) -> int | None:
    """The number of bits in which the SimHashes differ; None where one has none."""
    if a.simhash is None or b.simhash is None:
        return None
    return (a.simhash ^ b.simhash).bit_count()


def estimated_overlap(a: Fingerprint, b: Fingerprint) -> float | None:
    """The estimated Jaccard overlap, 0..1: the share of equal MinHash values."""
    return compare(a, b).overlap


def compare(a: Fingerprint, b: Fingerprint, *, counted: Overlap | None = None) -> Evidence:
    """What can be measured between two articles; `counted` is their exact overlap, if at hand."""
    for each in (a, b):
        if not isinstance(each, Fingerprint):
            raise BadArticle(
                f"expected a Fingerprint, got {type(each).__name__}: "
                "make them with nearcopy.fingerprints(articles)"
            )
    return compare_pairs([(a, b)], [counted])[0]


def compare_pairs(
    pairs: Sequence[Pair],
    counted: Iterable[Overlap | None] = (),
    *,
    measures: Collection[str] = MEASURES,
) -> list[Evidence]:
    """The evidence of each pair, in order; `measures` says which of the dearer ones to take."""
    _check_recipes(pairs)
    exact = list(counted) or [None] * len(pairs)
    columns = (*_text_columns(pairs), *_title_columns(pairs, measures))
    rows = zip(pairs, exact, zip(*columns, strict=True), strict=True)
    return [_evidence(*row) for row in rows]


def _check_recipes(pairs: Sequence[Pair]) -> None:
    for a, b in pairs:
        if a.recipe != b.recipe and a.recipe and b.recipe:
            raise BadRecipe(
                f"{a.id!r} was made with recipe {a.recipe}, {b.id!r} with {b.recipe}: "
                "fingerprints compare only when their recipes are one"
            )


def _text_columns(pairs: Sequence[Pair]) -> list[list[Any]]:
    """Distance, overlap, containment, numerals shared and changed, a list each."""
    bits, equal = kernels.sketch_distances(
        np.array([a.simhash or 0 for a, _ in pairs], np.uint64),
        np.array([b.simhash or 0 for _, b in pairs], np.uint64),
        [(b.minhash and a.minhash) or b"" for a, b in pairs],  # both, or neither
        [(a.minhash and b.minhash) or b"" for a, b in pairs],
    )
    shared, changed = kernels.numeral_shares(
        [a.numerals for a, _ in pairs], [b.numerals for _, b in pairs]
    )
    hashed = np.array([a.simhash is not None and b.simhash is not None for a, b in pairs], bool)
    sketched = np.array([bool(a.minhash and b.minhash) for a, b in pairs], bool)
    overlap = np.where(sketched, equal / SLOTS, np.nan)
    counted = np.array([bool(a.numerals and b.numerals) for a, b in pairs], bool)
    return [
        _where(hashed, bits),
        _known(overlap),
        _known(_contained(overlap, pairs)),
        _known(shared),
        _where(counted, changed),
    ]


def _contained(overlap: Floats, pairs: Sequence[Pair]) -> Floats:
    """The containment that this overlap means for texts of so many words."""
    words = np.array([(a.words, b.words) for a, b in pairs], np.float64).reshape(-1, 2)
    shared = overlap / (1 + overlap) * words.sum(1)
    share: Floats = np.minimum(1.0, shared / np.maximum(1.0, words.min(1)))
    return share


def _title_columns(pairs: Sequence[Pair], measures: Collection[str]) -> list[list[float | None]]:
    """The scores in their order, the soft cosine, names shared, profile cosine, a list each."""
    alike = titles.scores([a.title for a, _ in pairs], [b.title for _, b in pairs], measures)
    soft = kernels.title_cosines([a.gist for a, _ in pairs], [b.gist for _, b in pairs])
    named: list[float | None] = [None] * len(pairs)
    if "names" in measures:
        named = [facts.names_shared(a.names, b.names) for a, b in pairs]
    profiles = np.full(len(pairs), np.nan)
    if "profile" in measures:
        profiles = kernels.profile_cosines(
            [a.profile for a, _ in pairs], [b.profile for _, b in pairs]
        )
    return [*map(_known, (*alike, soft)), named, _known(profiles)]


def _known(column: Floats) -> list[float | None]:
    """The numbers, None where there is none."""
    return [None if value != value else value for value in column.tolist()]


def _where(measured: NDArray[np.bool_], column: NDArray[Any]) -> list[int | None]:
    """The numbers where they were measured, else None."""
    pairs = zip(column.tolist(), measured.tolist(), strict=True)
    return [value if known else None for value, known in pairs]


def _evidence(pair: Pair, counted: Overlap | None, measured: tuple[Any, ...]) -> Evidence:
    a, b = pair
    distance, overlap, containment, numerals_shared, numerals_changed, *alike = measured
    ratio, indel, token_set, token_sort, partial, cosine, soft, names_shared, profile = alike
    found = facts.compare(a.facts, b.facts)
    swap = titles.swapped(a.gist, b.gist)
    return Evidence(
        same_url=_same(a.url, b.url),
        same_declared_url=_declared(a, b),
        same_text=_same(a.digest, b.digest),
        distance=distance,
        overlap=counted.jaccard if counted else overlap,
        containment=counted.containment if counted else containment,
        exact=counted is not None,
        words=min(a.words, b.words),
        numerals_shared=numerals_shared,
        numerals_changed=numerals_changed,
        title_ratio=ratio,
        title_indel=indel,
        title_token_set=token_set,
        title_token_sort=token_sort,
        title_partial=partial,
        title_cosine=cosine,
        title_soft=soft,
        title_chars=min(len(a.title), len(b.title)),
        title_words=min(_words(a.title), _words(b.title)),
        title_swap=_side_by_side(swap) if swap else None,
        name_swap=bool(swap) and _are_names(swap, a, b),
        contrast=titles.contrast(a.stages, b.stages),
        column=max(a.column or "", b.column or "") or None,
        agreements=found.agreements,
        clashes=found.clashes,
        moved=found.moved,
        names_shared=names_shared,
        profile=profile,
        refiled=a.refiled or b.refiled,
        same_source=_same(a.source, b.source),
        hours_apart=_hours_apart(a, b),
        junk=max(a.junk or "", b.junk or "") or None,
    )


def _same(a: object, b: object) -> bool | None:
    return None if a is None or b is None else a == b


def _declared(a: Fingerprint, b: Fingerprint) -> bool | None:
    """Whether an address that a page declares is the other's; None where none declares any."""
    if a.declared_url is None and b.declared_url is None:
        return None
    left, right = {a.url, a.declared_url}, {b.url, b.declared_url}
    return bool(left & right - {None})


def _words(title: str) -> int:
    return title.count(" ") + 1 if title else 0


def _side_by_side(swap: Iterable[tuple[str, str]]) -> str:
    return " / ".join(map(" ".join, zip(*swap, strict=True)))


def _are_names(swap: Iterable[tuple[str, str]], a: Fingerprint, b: Fingerprint) -> bool:
    """Whether every word in the other's place looks like a name: it stands in one, or is rare."""
    ours, theirs = " ".join(a.names).split(), " ".join(b.names).split()
    return all(
        titles.is_other(x, y)
        and ((x in ours and y in theirs) or (titles.is_rare(x) and titles.is_rare(y)))
        for x, y in swap
    )


def _hours_apart(a: Fingerprint, b: Fingerprint) -> float | None:
    if a.published is None or b.published is None:
        return None
    return abs(a.published - b.published) / HOUR
