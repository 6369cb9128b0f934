"""Evaluation of candidates and decisions against a list of all pairs whose texts overlap.

Candidates are found as by the Deduper, through blocking keys, and decided by the policy. Pairs with
a veto, such as two uses of one template, count as found but not as duplicates.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

from nearcopy.config import Policy, Recipe
from nearcopy.deduper.found_matches import StoredMatch
from nearcopy.deduper.matches import find_matches
from nearcopy.errors import NearcopyError
from nearcopy.evaluate.labels import (
    TEXT_RELATIONS,
    LabelledPair,
    LabelOptions,
    Values,
    find_scheme,
    parse_number,
)
from nearcopy.evaluate.metrics import estimate_share
from nearcopy.evaluate.outcomes import (
    Cell,
    Evaluation,
    Outcome,
    Table,
    judge_labelled,
    target_score,
    worst_mistakes,
)
from nearcopy.fingerprint.blocking_keys import VERSION, blocking_keys
from nearcopy.fingerprint.fingerprint import fingerprints
from nearcopy.match.judgement import Judgement
from nearcopy.models import Article, Fingerprint, Relation, ordered
from nearcopy.stores import Store, StoredArticle, open_store

BATCH = 512
OVERLAP_BOUNDS = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3)
MIN_WORDS = 30  # of both texts; such lists omit shorter ones
OVERLAP_COLUMNS = ("jaccard5", "jaccard", "overlap")
PairIds = tuple[str, str]


class ListedPair(NamedTuple):
    """A listed pair with the overlap of its texts."""

    line: int
    a: str
    b: str
    overlap: float


@dataclass(frozen=True, slots=True)
class Findings:
    """The pairs found among all articles; judgements of listed pairs and of text copies only."""

    recipe: Recipe
    articles: dict[str, Article] = field(default_factory=dict)
    pairs: dict[PairIds, Judgement] = field(default_factory=dict)
    copies: list[PairIds] = field(default_factory=list)  # of MIN_WORDS and more
    # By relation, and whether they are listed.
    tally: Counter[tuple[Relation, bool]] = field(default_factory=Counter)

    def judgement(self, pair: ListedPair) -> Judgement | None:
        """The judgement of a listed pair; None where it was no candidate."""
        return self.pairs.get(ordered(pair.a, pair.b))

    def duplicate(self, pair: ListedPair) -> bool:
        """Whether a listed pair was decided to be a duplicate."""
        judgement = self.judgement(pair)
        return judgement is not None and judgement.decision.duplicate


def read_listed_pairs(
    rows: Sequence[tuple[int, Values]], options: LabelOptions, policy: Policy
) -> tuple[list[ListedPair], float]:
    """The pairs of a table with their overlap, and the overlap of a positive pair."""
    columns = tuple(rows[0][1]) if rows else ()
    column = options.grade or next((name for name in OVERLAP_COLUMNS if name in columns), None)
    scheme = (
        find_scheme(replace(options, label=None, grade=column), rows, policy) if column else None
    )
    if column is None or scheme is None or scheme.ids is None:
        raise NearcopyError(
            f"listed pairs need the columns a, b and jaccard, or one named with --grade: "
            f"there are {', '.join(columns)}"
        )
    pairs = []
    for line, row in rows:
        a, b = (str(row.get(name)) for name in scheme.ids)
        overlap = parse_number(row.get(column), f"line {line}: {column}")
        pairs.append(ListedPair(line, a, b, overlap))
    return pairs, 0.5 if scheme.bound is None else scheme.bound


def evaluate_near_pairs(
    articles: Iterable[Article],
    listed: Sequence[ListedPair],
    recipe: Recipe | None,
    policy: Policy,
    *,
    bound: float = 0.5,
    mistakes: int = 10,
) -> Evaluation:
    """The recall of listed pairs, and the precision of the text copies found.

    Args:
        articles: The articles, in order of arrival.
        listed: All pairs whose texts overlap.
        recipe: The recipe of the fingerprints.
        policy: The policy to evaluate.
        bound: The overlap of a positive pair.
        mistakes: The number of false alarms and of misses to explain.
    """
    listed_ids = {ordered(pair.a, pair.b) for pair in listed}
    findings = find_pairs(articles, recipe, policy, listed_ids)
    available = [
        pair for pair in listed if pair.a in findings.articles and pair.b in findings.articles
    ]
    expected = [pair for pair in available if pair.overlap >= bound]
    unknown = {name for pair in listed_ids for name in pair} - findings.articles.keys()
    mistaken = _find_mistakes(expected, listed_ids, findings, policy)
    return Evaluation(
        kind="near_pairs",
        about=f"pairs whose texts overlap by {bound:g} or more, found among all articles",
        counts={
            "articles": len(findings.articles),
            "listed": len(listed),
            "at_the_bound": len(expected),
            "copies_found": len(findings.copies),
            "with_unknown_ids": len(listed) - len(available),
        },
        scores={
            "found": estimate_share(findings.judgement(pair) is not None for pair in expected),
            "recall": estimate_share(findings.duplicate(pair) for pair in expected),
            "precision": estimate_share(copy in listed_ids for copy in findings.copies),
        },
        resampled="pairs",
        tables=(_by_overlap(available, findings), _by_relation(findings)),
        mistakes=worst_mistakes(mistaken, findings.recipe, policy, mistakes, _severity),
        unknown=tuple(sorted(unknown)),
    )


# Finding.


def find_pairs(
    articles: Iterable[Article], recipe: Recipe | None, policy: Policy, listed: set[PairIds]
) -> Findings:
    """All pairs that the Deduper would find and store."""
    store = open_store("memory://")
    findings = Findings(store.bind(recipe, VERSION))
    remaining = iter(articles)
    while batch := list(islice(remaining, BATCH)):
        _add(batch, store, policy, findings, listed)
    store.close()
    return findings


def _add(
    batch: Sequence[Article], store: Store, policy: Policy, findings: Findings, listed: set[PairIds]
) -> None:
    new_fingerprints = list(fingerprints(batch, findings.recipe))
    keys = blocking_keys(new_fingerprints, findings.recipe)
    entries = list(map(StoredArticle, batch, new_fingerprints, keys))
    findings.articles.update((article.id, article) for article in batch)
    with store.transaction():
        store.save_articles(entries)
        match_lists = find_matches(store, entries, findings.recipe, policy)
    for entry, found in zip(entries, match_lists, strict=True):
        for match in found.matches:
            _record_match(entry.fingerprint, match, findings, listed)


def _record_match(
    one: Fingerprint, match: StoredMatch, findings: Findings, listed: set[PairIds]
) -> None:
    pair, relation = ordered(one.id, match.other.id), match.judgement.decision.relation
    long = min(one.words, match.other.words) >= MIN_WORDS
    if long:
        findings.tally[relation, pair in listed] += 1
    if pair in listed or (long and relation in TEXT_RELATIONS):
        findings.pairs[pair] = match.judgement
    if long and relation in TEXT_RELATIONS:
        findings.copies.append(pair)


# Measuring.


def _by_overlap(available: Sequence[ListedPair], findings: Findings) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for bound in OVERLAP_BOUNDS:
        pairs = [pair for pair in available if pair.overlap >= bound]
        judged = [findings.judgement(pair) for pair in pairs]
        candidates = [judgement for judgement in judged if judgement is not None]
        vetoed = sum(judgement.decision.rule == "vetoed" for judgement in candidates)
        found = estimate_share(judgement is not None for judgement in judged)
        duplicates = estimate_share(map(findings.duplicate, pairs))
        rows.append((f"{bound:g}", len(pairs), found, duplicates, vetoed))
    columns = ("overlap from", "pairs", "found", "called duplicates", "vetoed")
    return Table("by_overlap", "By overlap: how many are found", columns, tuple(rows))


def _by_relation(findings: Findings) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for relation in Relation:
        yes, no = findings.tally[relation, True], findings.tally[relation, False]
        if yes or no:
            rows.append((relation.value, yes + no, yes, round(yes / (yes + no), 4)))
    title = f"By relation, texts of {MIN_WORDS} words or more: how many are listed"
    return Table("by_relation", title, ("relation", "pairs", "listed", "share"), tuple(rows))


def _find_mistakes(
    expected: Sequence[ListedPair], listed_ids: set[PairIds], findings: Findings, policy: Policy
) -> Iterator[Outcome]:
    """Text copies that are not listed, and listed pairs that are not called duplicates."""
    for pair in findings.copies:
        if pair not in listed_ids:
            a, b = (findings.articles[name] for name in pair)
            unlisted = LabelledPair(0, a, b, "not listed", False)
            judgement = findings.pairs[pair]
            yield Outcome(unlisted, judgement, True, target_score(judgement, "copy"))
    missed = [_label_missed(pair, findings) for pair in expected if not findings.duplicate(pair)]
    for outcome in judge_labelled(missed, findings.recipe, policy, "copy"):
        yield outcome._replace(called_same=False)  # also where it was no candidate


def _label_missed(pair: ListedPair, findings: Findings) -> LabelledPair:
    lost = "; no candidate" if findings.judgement(pair) is None else ""
    a, b = findings.articles[pair.a], findings.articles[pair.b]
    return LabelledPair(pair.line, a, b, f"overlap {pair.overlap:g}{lost}", True, pair.overlap)


def _severity(outcome: Outcome) -> float:
    """The score of a false alarm; a miss is the worse, the more the texts overlap."""
    return outcome.score if outcome.called_same else -(outcome.pair.grade or 0.0)
