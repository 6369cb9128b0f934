"""Results of an evaluation: metrics with intervals, tables, curves, and the worst mistakes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Literal, NamedTuple, TypeVar

from nearcopy.config import Policy, Recipe
from nearcopy.evaluate.labels import LabelledPair, Target, positive_relations
from nearcopy.evaluate.metrics import Bin, Estimate, OperatingPoint
from nearcopy.fingerprint.fingerprint import fingerprints
from nearcopy.fingerprint.fingerprint_table import RowPairs
from nearcopy.match.eligibility import NOT_COMPARED, are_comparable
from nearcopy.match.explain import Explanation, explain
from nearcopy.match.judgement import Judgement, judge_pairs
from nearcopy.models import Article, Evidence

Item = TypeVar("Item")
Cell = str | int | float | Estimate | None
Kind = Literal["pairs", "near_pairs", "clusters"]


class Outcome(NamedTuple):
    """A labelled pair with its judgement."""

    pair: LabelledPair
    judgement: Judgement
    called_same: bool
    score: float  # 0..1, of the target


class Mistake(NamedTuple):
    """A wrong outcome, explained."""

    kind: Literal["false alarm", "miss"]
    outcome: Outcome
    explanation: Explanation


class Bar(NamedTuple):
    """A bar of the histogram: positive and other pairs with a score between two bounds."""

    low: float
    high: float
    same: int
    others: int


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under named columns."""

    name: str  # "by_language"
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The evaluation of one labelled set."""

    kind: Kind
    about: str  # what was evaluated, in one sentence
    counts: Mapping[str, int]
    scores: Mapping[str, Estimate]
    resampled: str  # the unit of the bootstrap
    tables: tuple[Table, ...] = ()
    lines: tuple[OperatingPoint, ...] = ()
    best: OperatingPoint | None = None
    bins: tuple[Bin, ...] = ()
    histogram: tuple[Bar, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    unknown: tuple[str, ...] = ()  # ids without an article
    settings: Mapping[str, str] = field(default_factory=dict)


BATCH = 2048  # pairs judged at once
NOT_JUDGED = Judgement(Evidence(), NOT_COMPARED, 0.0, None)


def judge_labelled(
    pairs: Iterable[LabelledPair], recipe: Recipe, policy: Policy, target: Target
) -> Iterator[Outcome]:
    """The outcome of each pair, in order."""
    positive = positive_relations(target, policy)
    remaining = iter(pairs)
    while batch := list(islice(remaining, BATCH)):
        for pair, judgement in zip(batch, _judge_batch(batch, recipe, policy), strict=True):
            called_same = judgement.decision.relation in positive
            yield Outcome(pair, judgement, called_same, target_score(judgement, target))


def target_score(judgement: Judgement, target: Target) -> float:
    """The score of the target, 0..1.

    For duplicates the confidence; for other pairs half of the event score, so that they rank below.
    """
    if target == "event":
        return judgement.event_score
    if target == "copy":
        return judgement.overlap or 0.0
    return (
        judgement.decision.confidence if judgement.decision.duplicate else judgement.event_score / 2
    )


def _judge_batch(batch: Sequence[LabelledPair], recipe: Recipe, policy: Policy) -> list[Judgement]:
    """The judgements under ids of their own, as rows may use one id for different articles."""
    names: dict[Article, str] = {}
    for article in (article for pair in batch for article in (pair.a, pair.b)):
        names.setdefault(article, str(len(names)))
    articles = {name: replace(article, id=name) for article, name in names.items()}
    prints = dict(zip(articles, fingerprints(articles.values(), recipe), strict=True))
    pairs = [(prints[names[pair.a]], prints[names[pair.b]]) for pair in batch]
    judgements = judge_pairs(
        RowPairs.of(pairs),
        recipe,
        policy,
        lambda ids: {name: articles[name] for name in sorted(ids)},
    )
    return [
        judgement if are_comparable(*pair, policy) else NOT_JUDGED
        for judgement, pair in zip(judgements, pairs, strict=True)
    ]


def worst_mistakes(
    outcomes: Iterable[Outcome],
    recipe: Recipe,
    policy: Policy,
    limit: int,
    severity: Callable[[Outcome], float] = lambda outcome: outcome.score,
) -> tuple[Mistake, ...]:
    """The worst false alarms, then the worst misses, at most `limit` of each."""
    wrong = [
        outcome
        for outcome in outcomes
        if outcome.pair.same is not None and outcome.called_same != outcome.pair.same
    ]
    alarms = [outcome for outcome in wrong if outcome.called_same]
    misses = [outcome for outcome in wrong if not outcome.called_same]
    alarms.sort(key=severity, reverse=True)
    misses.sort(key=severity)
    return tuple(
        _explain_mistake(outcome, recipe, policy) for outcome in (*alarms[:limit], *misses[:limit])
    )


def _explain_mistake(outcome: Outcome, recipe: Recipe, policy: Policy) -> Mistake:
    explanation = explain(outcome.pair.a, outcome.pair.b, recipe, policy)
    explanation = replace(explanation, judgement=outcome.judgement)
    return Mistake("false alarm" if outcome.called_same else "miss", outcome, explanation)


def group_by_language(
    items: Iterable[Item], language_of: Callable[[Item], str | None]
) -> list[tuple[str, list[Item]]]:
    """The items of each language, the largest group first; empty if no language is known."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(language_of(item) or "unknown", []).append(item)
    if set(groups) <= {"unknown"}:
        return []
    return sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
