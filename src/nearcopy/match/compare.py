"""The evidence of pairs: everything that is measured between two articles, many pairs at once."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nearcopy.kernels as kernels
from nearcopy.config import SLOTS, Features, Recipe
from nearcopy.config.units import NO_TIME
from nearcopy.errors import BadArticle, BadRecipe
from nearcopy.fingerprint.fingerprint_table import RowPairs
from nearcopy.kernels.result_types import Passage
from nearcopy.match.evidence_table import EvidenceTable, Floats, Mask
from nearcopy.match.fact_clash import Comparison, compare_facts, names_shared
from nearcopy.match.same_event_model import event_scores, title_event_scores
from nearcopy.match.titles import similarity
from nearcopy.match.titles.contrast import find_contrast, find_exchange, find_opposite
from nearcopy.match.titles.substitutions import are_name_swaps, find_swaps, format_swap
from nearcopy.models import Article, Evidence, Fingerprint

Columns = dict[str, NDArray[Any]]
Swap = tuple[tuple[str, str], ...]
Pair = tuple[Fingerprint, Fingerprint]
MEASURES = similarity.SCORES | {"event", "grade", "names", "profile"}
PROFILE_MEASURES = ("profile", "title_coverage", "term_coverage_max", "term_coverage_min")
HOUR = 3_600_000_000  # microseconds


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
    (evidence,) = compare_pairs(RowPairs.of([(a, b)]), [counted])
    return evidence


def compare_pairs(
    pairs: RowPairs,
    counted: Sequence[Overlap | None] = (),
    *,
    measures: Collection[str] = MEASURES,
    weights: kernels.TermWeights | None = None,
) -> EvidenceTable:
    """The evidence of each pair.

    Args:
        pairs: The pairs.
        counted: The exact overlap of each pair, where it is known.
        measures: The costly measurements to take.
        weights: The term weights of a store; by default those of news in general.
    """
    _check_recipes(pairs)
    evidence = EvidenceTable(len(pairs), _addresses(pairs) | _texts(pairs), {})
    evidence.add(hours_apart=_hours_apart(pairs))
    set_overlaps(evidence, range(len(counted)), counted)
    if "profile" in measures:
        profiles = profile_measures(pairs, weights).T
        evidence.add(**dict(zip(PROFILE_MEASURES, profiles, strict=True)))
    _add_flags(evidence, pairs)
    _add_title_scores(evidence, pairs, measures)
    _add_facts(evidence, pairs, measures)
    _add_model_scores(evidence, pairs, measures)
    return evidence


def set_overlaps(
    evidence: EvidenceTable, places: Iterable[int], counted: Iterable[Overlap | None]
) -> None:
    """Replace the estimated overlaps of the pairs at these places by those counted."""
    for place, count in zip(places, counted, strict=True):
        if count is not None:
            jaccard, containment = count.jaccard, count.containment
            evidence.overlap[place] = np.nan if jaccard is None else jaccard
            evidence.containment[place] = np.nan if containment is None else containment
            evidence.exact[place] = True


def max_event_scores(pairs: RowPairs, profiles: Floats) -> Floats:
    """An upper bound of the event score of each pair: that of facts that agree where both have any.

    `profiles` are the measures of their profiles.
    """
    shared, _ = kernels.numeral_shares(*pairs.texts("numerals"))
    facts_of_a, facts_of_b = pairs.numbers("facts")
    columns = {
        "same_source": _same(pairs, "source"),
        "words": np.minimum(*pairs.numbers("words")),
        "numerals_shared": shared,
        "agreements": (facts_of_a > 0) & (facts_of_b > 0),
        "hours_apart": _hours_apart(pairs),
        **dict(zip(PROFILE_MEASURES, profiles.T, strict=True)),
    }
    return event_scores(EvidenceTable(len(pairs), columns, {}))


def _check_recipes(pairs: RowPairs) -> None:
    left, right = pairs.numbers("recipe")
    (unlike,) = np.nonzero((left != right) & (left != 0) & (right != 0))
    for a, b in pairs.take(unlike[:1]).fingerprints():
        raise BadRecipe(
            f"{a.id!r} was made with recipe {a.recipe}, {b.id!r} with {b.recipe}: "
            "fingerprints compare only within one recipe"
        )


def same_addresses(pairs: RowPairs) -> Mask:
    """Whether an address of one, canonical or declared, is an address of the other."""
    urls, declared = pairs.numbers("url"), pairs.numbers("declared_url")
    of_b = urls[1], declared[1]
    equal = [(a != 0) & (a == b) for a in (urls[0], declared[0]) for b in of_b]
    mask: Mask = np.any(equal, axis=0)
    return mask


def sketch_distances(pairs: RowPairs) -> tuple[NDArray[np.uint8], NDArray[np.uint16]]:
    """The Hamming distances of the SimHashes, and the equal MinHash values; 0 without hashes."""
    left, right = pairs.texts("minhash")
    (unsigned,) = np.nonzero(~_both(pairs, "signed"))
    for place in unsigned.tolist():
        left[place] = right[place] = b""
    return kernels.sketch_distances(*pairs.numbers("simhash"), left, right)


def profile_measures(pairs: RowPairs, weights: kernels.TermWeights | None = None) -> Floats:
    """The measures of the profiles (`PROFILE_MEASURES`), a row for each pair."""
    return kernels.profile_measures(*pairs.texts("profile"), weights)


# Each of these measures a part of the evidence.


def _addresses(pairs: RowPairs) -> Columns:
    either_declares = np.any([side != 0 for side in pairs.numbers("declared_url")], axis=0)
    return {
        "same_url": _same(pairs, "url"),
        "same_declared_url": np.where(either_declares, same_addresses(pairs), np.nan),
        "same_source": _same(pairs, "source"),
    }


def _texts(pairs: RowPairs) -> Columns:
    bits, equal = sketch_distances(pairs)
    shared, changed = kernels.numeral_shares(*pairs.texts("numerals"))
    words = np.array(pairs.numbers("words"), np.int64)
    jaccard = np.where(_both(pairs, "signed"), equal / SLOTS, np.nan)
    return {
        "same_text": _same(pairs, "digest"),
        "distance": np.where(_both(pairs, "hashed"), bits, np.nan),
        "overlap": jaccard,
        "containment": _containment(jaccard, words),
        "words": words.min(0),
        "numerals_shared": shared,
        "numerals_changed": np.where(_both(pairs, "figured"), changed, np.nan),
    }


def _containment(jaccard: Floats, words: NDArray[np.int64]) -> Floats:
    """The containment of texts of these lengths that follows from their overlap."""
    shared = jaccard / (1 + jaccard) * words.sum(0)
    share: Floats = np.minimum(1.0, shared / np.maximum(1, words.min(0)))
    return share


def _hours_apart(pairs: RowPairs) -> Floats:
    left, right = pairs.numbers("published")
    undated = (left == NO_TIME) | (right == NO_TIME)
    return np.where(undated, np.nan, np.abs(left - right) / HOUR)


def _add_flags(evidence: EvidenceTable, pairs: RowPairs) -> None:
    """Add what is marked in either article; of two names the later in alphabetical order."""
    for name in ("block_page", "column", "refiled"):
        left, right = pairs.numbers(name)
        evidence.add(**{name: left | right})
    for name in ("block_page", "column"):
        (places,) = np.nonzero(getattr(evidence, name))
        both = pairs.take(places).fingerprints()
        marks = (max(getattr(a, name) or "", getattr(b, name) or "") for a, b in both)
        evidence.details[name] = dict(zip(places.tolist(), marks, strict=True))


def _add_title_scores(evidence: EvidenceTable, pairs: RowPairs, measures: Collection[str]) -> None:
    """Add the similarity of the titles, and the words by which they differ."""
    for name in ("title_chars", "title_words"):
        evidence.add(**{name: np.minimum(*pairs.numbers(name))})
    evidence.add(title_soft=kernels.title_cosines(*pairs.texts("gist")))
    if names := similarity.SCORES.intersection(measures):
        scores = similarity.title_scores(*pairs.texts("title"), names)._asdict()
        evidence.add(**{f"title_{name}": scores[name] for name in names})
    swaps = _find_swaps(pairs)
    contrasts = _find_contrasts(pairs, swaps)
    evidence.add(title_swap=_mask(len(pairs), swaps))
    evidence.details["title_swap"] = {place: format_swap(swap) for place, swap in swaps.items()}
    places = np.array(list(swaps), np.int64)
    marked = zip(swaps.items(), pairs.take(places).fingerprints(), strict=True)
    named = [place for (place, swap), (a, b) in marked if are_name_swaps(swap, a, b)]
    evidence.add(name_swap=_mask(len(pairs), named))
    evidence.add(contrast=_mask(len(pairs), contrasts))
    evidence.details["contrast"] = contrasts


def _find_swaps(pairs: RowPairs) -> dict[int, Swap]:
    """The words that titles swap, by the places of the pairs."""
    words, beyond_ascii = pairs.numbers("gist_words"), _both(pairs, "beyond_ascii")
    (places,) = np.nonzero((words[0] == words[1]) | beyond_ascii)
    gists = zip(*pairs.take(places).texts("gist"), strict=True)
    swaps = zip(places.tolist(), starmap(find_swaps, gists), strict=True)
    return {place: swap for place, swap in swaps if swap}


def _find_contrasts(pairs: RowPairs, swaps: Mapping[int, Swap]) -> dict[int, str]:
    """The words by which titles contrast: other stages or sides, or the reverse, by place."""
    opposites = ((place, find_opposite(swap)) for place, swap in swaps.items())
    weaker = [*_find_exchanges(pairs), *opposites]
    return {place: words for place, words in weaker if words} | _find_stage_contrasts(pairs)


def _find_exchanges(pairs: RowPairs) -> Iterator[tuple[int, str | None]]:
    chars, titles = pairs.numbers("title_chars"), pairs.numbers("title")
    (places,) = np.nonzero((chars[0] == chars[1]) & (titles[0] != titles[1]))
    both = zip(*pairs.take(places).texts("title"), strict=True)
    yield from zip(places.tolist(), starmap(find_exchange, both), strict=True)


def _find_stage_contrasts(pairs: RowPairs) -> dict[int, str]:
    """The contrast of the stage words; each two lists of them are compared once."""
    left, right = pairs.numbers("stages")
    (places,) = np.nonzero(left != right)
    both = left[places] << 32 | right[places]
    _, firsts, numbers = np.unique(both, return_index=True, return_inverse=True)
    fingerprints = pairs.take(places[firsts]).fingerprints()
    contrasts = [find_contrast(a.stages, b.stages) for a, b in fingerprints]
    found = zip(places.tolist(), numbers.tolist(), strict=True)
    return {place: words for place, number in found if (words := contrasts[number])}


def _add_facts(evidence: EvidenceTable, pairs: RowPairs, measures: Collection[str]) -> None:
    """Add the facts that agree, clash or moved, and the share of the names."""
    left, right = pairs.numbers("facts")
    (places,) = np.nonzero((left > 0) & (right > 0))
    both = pairs.take(places).fingerprints()
    compared = dict(
        zip(places.tolist(), (compare_facts(a.facts, b.facts) for a, b in both), strict=True)
    )
    for name in Comparison._fields:
        details = {place: facts for place, c in compared.items() if (facts := getattr(c, name))}
        evidence.details[name] = details
        evidence.add(**{name: _mask(len(pairs), details)})
    if "names" in measures:
        shares = [names_shared(a.names, b.names) for a, b in pairs.fingerprints()]
        evidence.add(names_shared=np.array(shares, np.float64))


def _add_model_scores(evidence: EvidenceTable, pairs: RowPairs, measures: Collection[str]) -> None:
    """Add the scores of the fitted models."""
    if "event" in measures:
        evidence.add(title_event_score=title_event_scores(pairs, evidence))
    if "grade" in measures:
        grades = list(starmap(similarity.title_grade, pairs.fingerprints()))
        evidence.add(title_grade=np.array(grades, np.float64))
    if "profile" in measures:
        evidence.add(event_score=event_scores(evidence))


def _same(pairs: RowPairs, name: str) -> Floats:
    """Whether the two are equal; NaN where one is unknown."""
    left, right = pairs.numbers(name)
    return np.where((left == 0) | (right == 0), np.nan, left == right)


def _both(pairs: RowPairs, name: str) -> Mask:
    """Whether both have it."""
    left, right = pairs.numbers(name)
    mask: Mask = left & right
    return mask


def _mask(size: int, places: Collection[int]) -> Mask:
    """A mask of these places."""
    mask = np.zeros(size, np.bool_)
    mask[list(places)] = True
    return mask
