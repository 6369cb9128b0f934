"""The evidence of pairs: everything that is measured between two articles, many pairs at once."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nearcopy.kernels as kernels
from nearcopy.config import SLOTS, Features, Recipe
from nearcopy.errors import BadArticle, BadRecipe
from nearcopy.extract.facts import add_chinese_facts
from nearcopy.kernels.result_types import Passage
from nearcopy.match.fact_clash import compare_facts, names_shared
from nearcopy.match.same_event_model import event_scores, title_event_scores
from nearcopy.match.titles import similarity
from nearcopy.match.titles.contrast import find_contrast, find_exchange, find_opposite
from nearcopy.match.titles.substitutions import are_name_swaps, find_swaps, format_swap
from nearcopy.models import Article, Evidence, Fingerprint

Pair = tuple[Fingerprint, Fingerprint]
Side = Sequence[Fingerprint]
Columns = dict[str, list[Any]]
Floats = NDArray[np.float64]
HOUR = timedelta(hours=1)
MEASURES = similarity.SCORES | {"event", "grade", "names", "profile"}
PROFILE_MEASURES = ("profile", "title_coverage", "term_coverage_max", "term_coverage_min")


@dataclass(frozen=True, slots=True)
class Overlap:
    """The exact number of features of two texts, and of those that they share."""

    a: int
    b: int
    shared: int

    @property
    def jaccard(self) -> float | None:
        """The share of all features of both that are in both, 0..1; None without features."""
        union = self.a + self.b - self.shared
        return self.shared / union if union else None

    @property
    def containment(self) -> float | None:
        """The share of the smaller text that is in the other, 0..1; None without features."""
        smaller = min(self.a, self.b)
        return self.shared / smaller if smaller else None


def overlap(
    a: Article, b: Article, recipe: Recipe | None = None, *, features: Features | None = None
) -> Overlap:
    """The exact overlap of two texts.

    >>> a, b = Article(id="a", text="one two three four"), Article(id="b", text="one two three")
    >>> overlap(a, b).jaccard, overlap(a, b).containment
    (0.5, 1.0)

    Args:
        a: An article.
        b: Another article.
        recipe: The recipe whose MinHash features are counted; by default `Recipe()`.
        features: Other features than the recipe's.
    """
    return overlaps([a, b], [(0, 1)], recipe, features=features)[0]


def overlaps(
    articles: Sequence[Article],
    pairs: Sequence[tuple[int, int]],
    recipe: Recipe | None = None,
    *,
    features: Features | None = None,
) -> list[Overlap]:
    """The exact overlap of each pair of indexes into the articles."""
    recipe = recipe or Recipe()
    unit = features or recipe.minhash or recipe.simhash or Features()
    texts, html = [article.text for article in articles], [article.html for article in articles]
    sets = kernels.feature_sets(texts, recipe, unit, html=html)
    rows = np.array(pairs, np.uint64).reshape(-1, 2)
    shared = kernels.shared_counts(sets, rows).tolist()
    sizes = np.diff(sets.starts).tolist()
    return [Overlap(sizes[a], sizes[b], n) for (a, b), n in zip(pairs, shared, strict=True)]


def passages(a: Article, b: Article, *, min_words: int = 8) -> list[Passage]:
    """The passages that both texts contain, with their positions in the two originals.

    >>> a, b = Article(id="a", text="Say: one two three."), Article(id="b", text="One two three")
    >>> [(p.a_start, p.a_end, p.words) for p in passages(a, b, min_words=3)]
    [(5, 18, 3)]

    Args:
        a: An article.
        b: Another article.
        min_words: The length of the shortest passage.
    """
    shared: list[Passage] = kernels.passages(
        a.text, b.text, html_a=a.html, html_b=b.html, min_words=min_words
    )
    return shared


def compare(a: Fingerprint, b: Fingerprint, *, counted: Overlap | None = None) -> Evidence:
    """The evidence of two articles.

    >>> from nearcopy import Article, compare, fingerprints
    >>> a, b = fingerprints([Article(id="a", text="One text."), Article(id="b", text="one text")])
    >>> compare(a, b).same_text
    True

    Args:
        a: The fingerprint of an article.
        b: The fingerprint of another article, of the same recipe.
        counted: The exact overlap of their texts, which replaces the estimate of the MinHashes.
    """
    for fingerprint in (a, b):
        if not isinstance(fingerprint, Fingerprint):
            raise BadArticle(
                f"expected a Fingerprint, got {type(fingerprint).__name__}: "
                "compute it with nearcopy.fingerprints(articles)"
            )
    return compare_pairs([(a, b)], [counted])[0]


def compare_pairs(
    pairs: Sequence[Pair],
    counted: Iterable[Overlap | None] = (),
    *,
    measures: Collection[str] = MEASURES,
    weights: kernels.TermWeights | None = None,
) -> list[Evidence]:
    """The evidence of each pair, in order.

    Args:
        pairs: The fingerprints of each pair.
        counted: The exact overlap of each pair, where it is known.
        measures: The costly measurements to take.
        weights: The term weights of a store; by default those of news in general.
    """
    _check_recipes(pairs)
    left, right = _reread([a for a, _ in pairs]), _reread([b for _, b in pairs])
    columns = (
        _addresses(left, right)
        | _texts(left, right, list(counted) or [None] * len(pairs))
        | _profiles(left, right, measures, weights)
        | _titles(left, right, measures)
        | _facts(left, right, measures)
        | {"hours_apart": _hours_apart(left, right)}
        | {"embedding_cosine": [None] * len(pairs)}  # needs the texts
    )
    columns |= _models(left, right, measures, columns)
    return list(map(Evidence, *(columns[name] for name in Evidence._fields)))


def max_event_scores(left: Side, right: Side, profiles: Floats) -> list[float | None]:
    """An upper bound of the event score of each pair: that of facts that agree where both have any.

    `profiles` are the measures of their profiles.
    """
    left, right = _reread(left), _reread(right)
    shared, _ = kernels.numeral_shares([a.numerals for a in left], [b.numerals for b in right])
    columns: Columns = {
        "same_source": _same([a.source for a in left], [b.source for b in right]),
        "words": [min(a.words, b.words) for a, b in zip(left, right, strict=True)],
        "numerals_shared": _nan_to_none(shared),
        "agreements": [bool(a.facts and b.facts) for a, b in zip(left, right, strict=True)],
        "hours_apart": _hours_apart(left, right),
    }
    return event_scores(columns | _columns(profiles))


def _reread(side: Side) -> list[Fingerprint]:
    """The fingerprints with the facts of titles in Han characters; each is read once."""
    cache: dict[int, Fingerprint] = {}
    return [
        a if a.gist.isascii() else cache.get(id(a)) or cache.setdefault(id(a), add_chinese_facts(a))
        for a in side
    ]


def _check_recipes(pairs: Sequence[Pair]) -> None:
    for a, b in pairs:
        if a.recipe != b.recipe and a.recipe and b.recipe:
            raise BadRecipe(
                f"{a.id!r} was made with recipe {a.recipe}, {b.id!r} with {b.recipe}: "
                "fingerprints compare only within one recipe"
            )


# Each of these measures many pairs at once: a list for each of its fields of the evidence.


def _addresses(left: Side, right: Side) -> Columns:
    declared = [
        None if a.declared_url is None and b.declared_url is None else same_address(a, b)
        for a, b in zip(left, right, strict=True)
    ]
    return {
        "same_url": _same([a.url for a in left], [b.url for b in right]),
        "same_declared_url": declared,
        "same_source": _same([a.source for a in left], [b.source for b in right]),
    }


def same_address(a: Fingerprint, b: Fingerprint) -> bool:
    """Whether an address of one, canonical or declared, is an address of the other."""
    same = a.url is not None and (a.url == b.url or a.url == b.declared_url)
    declared = a.declared_url
    return same or (declared is not None and (declared == b.url or declared == b.declared_url))


def sketch_distances(left: Side, right: Side) -> tuple[NDArray[np.uint8], NDArray[np.uint16]]:
    """The Hamming distances of the SimHashes, and the equal MinHash values; 0 without hashes."""
    left_hashes, right_hashes = [a.minhash or b"" for a in left], [b.minhash or b"" for b in right]
    if b"" in left_hashes or b"" in right_hashes:
        both = [
            pair if all(pair) else (b"", b"")
            for pair in zip(left_hashes, right_hashes, strict=True)
        ]
        left_hashes, right_hashes = [one for one, _ in both], [other for _, other in both]
    return kernels.sketch_distances(
        np.array([a.simhash or 0 for a in left], np.uint64),
        np.array([b.simhash or 0 for b in right], np.uint64),
        left_hashes,
        right_hashes,
    )


def _texts(left: Side, right: Side, counted: list[Overlap | None]) -> Columns:
    bits, equal = sketch_distances(left, right)
    shared, changed = kernels.numeral_shares(
        [a.numerals for a in left], [b.numerals for b in right]
    )
    hashed = [
        a.simhash is not None and b.simhash is not None for a, b in zip(left, right, strict=True)
    ]
    figured = [bool(a.numerals and b.numerals) for a, b in zip(left, right, strict=True)]
    signed = [bool(a.minhash and b.minhash) for a, b in zip(left, right, strict=True)]
    jaccard = np.where(signed, equal / SLOTS, np.nan)
    words = np.array([[a.words for a in left], [b.words for b in right]], np.float64)
    overlap, containment = _nan_to_none(jaccard), _nan_to_none(_containment(jaccard, words))
    for place, count in enumerate(counted):
        if count is not None:
            overlap[place], containment[place] = count.jaccard, count.containment
    return {
        "same_text": _same([a.digest for a in left], [b.digest for b in right]),
        "distance": _where(hashed, bits),
        "overlap": overlap,
        "containment": containment,
        "block_page": _either([a.block_page for a in left], [b.block_page for b in right]),
        "exact": [count is not None for count in counted],
        "words": words.min(0).astype(int).tolist(),
        "numerals_shared": _nan_to_none(shared),
        "numerals_changed": _where(figured, changed),
    }


def _profiles(
    left: Side, right: Side, measures: Collection[str], weights: kernels.TermWeights | None
) -> Columns:
    if "profile" not in measures:
        return {name: [None] * len(left) for name in PROFILE_MEASURES}
    return _columns(profile_measures(left, right, weights))


def profile_measures(left: Side, right: Side, weights: kernels.TermWeights | None = None) -> Floats:
    """The measures of the profiles (`PROFILE_MEASURES`), a row for each pair."""
    profiles = [a.profile for a in left], [b.profile for b in right]
    return kernels.profile_measures(*profiles, weights)


def _columns(profiles: Floats) -> Columns:
    return dict(zip(PROFILE_MEASURES, map(_nan_to_none, profiles.T), strict=True))


def _containment(jaccard: Floats, words: Floats) -> Floats:
    """The containment of texts of these lengths that follows from their overlap."""
    shared = jaccard / (1 + jaccard) * words.sum(0)
    share: Floats = np.minimum(1.0, shared / np.maximum(1.0, words.min(0)))
    return share


def _titles(left: Side, right: Side, measures: Collection[str]) -> Columns:
    left_titles, right_titles = [a.title for a in left], [b.title for b in right]
    score_names = similarity.SCORES.intersection(measures)
    scores = similarity.title_scores(left_titles, right_titles, score_names)._asdict()
    gists = [a.gist for a in left], [b.gist for b in right]
    swaps = list(map(find_swaps, *gists))
    marked = zip(swaps, left, right, strict=True)
    counts = zip(left_titles, right_titles, strict=True)
    return {
        **{f"title_{name}": [None] * len(left) for name in similarity.SCORES - score_names},
        **{f"title_{name}": _nan_to_none(scores[name]) for name in score_names},
        "title_soft": _nan_to_none(kernels.title_cosines(*gists)),
        "title_chars": list(map(min, map(len, left_titles), map(len, right_titles))),
        "title_words": [min(a.count(" "), b.count(" ")) + 1 if a and b else 0 for a, b in counts],
        "title_swap": [format_swap(swap) if swap else None for swap in swaps],
        "name_swap": [bool(swap) and are_name_swaps(swap, a, b) for swap, a, b in marked],
        "contrast": list(map(_contrast, left, right, swaps)),
        "column": _either([a.column for a in left], [b.column for b in right]),
        "refiled": [a.refiled or b.refiled for a, b in zip(left, right, strict=True)],
    }


def _contrast(a: Fingerprint, b: Fingerprint, swap: Sequence[tuple[str, str]]) -> str | None:
    """The words by which two titles contrast: other stages or sides, or the reverse."""
    words = find_contrast(a.stages, b.stages) or find_opposite(swap)
    return words or find_exchange(a.title, b.title)


def _models(left: Side, right: Side, measures: Collection[str], columns: Columns) -> Columns:
    """The scores of the fitted models."""
    title_scores: list[float | None] = [None] * len(left)
    grades: list[float | None] = [None] * len(left)
    if "event" in measures:
        inputs = (columns[name] for name in ("title_soft", "agreements", "hours_apart"))
        title_scores = title_event_scores(left, right, *inputs)
    if "grade" in measures:
        grades = list(map(similarity.title_grade, left, right))
    scores = event_scores(columns) if "profile" in measures else [None] * len(left)
    return {"title_event_score": title_scores, "title_grade": grades, "event_score": scores}


def _facts(left: Side, right: Side, measures: Collection[str]) -> Columns:
    comparisons = list(map(compare_facts, [a.facts for a in left], [b.facts for b in right]))
    names: list[float | None] = [None] * len(comparisons)
    if "names" in measures:
        names = list(map(names_shared, [a.names for a in left], [b.names for b in right]))
    return {
        "agreements": [comparison.agreements for comparison in comparisons],
        "clashes": [comparison.clashes for comparison in comparisons],
        "moved": [comparison.moved for comparison in comparisons],
        "names_shared": names,
    }


def _hours_apart(left: Side, right: Side) -> list[float | None]:
    return [
        None
        if a.published is None or b.published is None
        else abs(a.published - b.published) / HOUR
        for a, b in zip(left, right, strict=True)
    ]


def _same(left: Sequence[object], right: Sequence[object]) -> list[bool | None]:
    """Whether the two are equal; None where one is None."""
    pairs = zip(left, right, strict=True)
    return [None if a is None or b is None else a == b for a, b in pairs]


def _either(left: Sequence[str | None], right: Sequence[str | None]) -> list[str | None]:
    """The value of either; of two, the later in alphabetical order."""
    return [max(a or "", b or "") or None for a, b in zip(left, right, strict=True)]


def _nan_to_none(column: Floats) -> list[float | None]:
    """The numbers, None for NaN."""
    return [None if value != value else value for value in column.tolist()]


def _where(measured: Sequence[bool], column: NDArray[Any]) -> list[int | None]:
    """The numbers where they were measured, else None."""
    pairs = zip(column.tolist(), measured, strict=True)
    return [value if is_measured else None for value, is_measured in pairs]
