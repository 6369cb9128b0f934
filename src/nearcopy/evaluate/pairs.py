"""Evaluation of labelled or graded pairs."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import numpy as np

from nearcopy.config import Policy, Recipe
from nearcopy.evaluate import metrics
from nearcopy.evaluate.labels import LabelledPair, LabelledPairs, Scheme
from nearcopy.evaluate.metrics import Estimate, Metric, bootstrap, estimate_share
from nearcopy.evaluate.outcomes import (
    Bar,
    Cell,
    Evaluation,
    Outcome,
    Table,
    group_by_language,
    judge_labelled,
    worst_mistakes,
)
from nearcopy.models import Relation

HISTOGRAM_BARS = 20
TARGET_MEANINGS = {
    "duplicate": "called a duplicate by the policy; the score is the confidence",
    "event": "called the same event or a duplicate; the score is `event_score`",
    "copy": "called a copy by address or text; the score is `overlap`",
}
DECISION_METRICS = {"precision": metrics.precision, "recall": metrics.recall, "f1": metrics.f1}
SCORE_METRICS = {
    "auc": metrics.auc,
    "average_precision": metrics.average_precision,
    "brier": metrics.brier,
    "calibration_error": metrics.calibration_error,
}
Progress = Callable[[Iterable[LabelledPair]], Iterable[LabelledPair]]


def evaluate_pairs(
    labels: LabelledPairs,
    scheme: Scheme,
    recipe: Recipe,
    policy: Policy,
    *,
    mistakes: int = 10,
    progress: Progress = lambda pairs: pairs,
) -> Evaluation:
    """The metrics of labelled pairs, with bootstrap intervals over the pairs.

    Args:
        labels: The labelled pairs.
        scheme: How their labels were read.
        recipe: The recipe of the fingerprints.
        policy: The policy to evaluate.
        mistakes: The number of false alarms and of misses to explain.
        progress: Wraps the pairs, to show progress.
    """
    outcomes = list(judge_labelled(progress(labels.pairs), recipe, policy, scheme.target))
    labelled = [outcome for outcome in outcomes if outcome.pair.same is not None]
    scores = [outcome.score for outcome in labelled]
    same = [bool(outcome.pair.same) for outcome in labelled]
    curve = metrics.precision_recall_curve(scores, same) if labelled else []
    return Evaluation(
        kind="pairs",
        about=f"positive where {scheme.about}; {TARGET_MEANINGS[scheme.target]}",
        counts=_counts(labels, outcomes),
        scores=_scores(outcomes, scheme),
        resampled="pairs",
        tables=tuple(_tables(outcomes, scheme)),
        lines=tuple(curve),
        best=metrics.best_operating_point(curve),
        bins=tuple(metrics.calibration_bins(scores, same)) if labelled else (),
        histogram=tuple(score_histogram(labelled)),
        mistakes=worst_mistakes(outcomes, recipe, policy, mistakes),
        unknown=tuple(labels.unknown),
    )


def _counts(labels: LabelledPairs, outcomes: Sequence[Outcome]) -> dict[str, int]:
    return {
        "pairs": len(outcomes),
        "same": sum(outcome.pair.same is True for outcome in outcomes),
        "called_same": sum(outcome.called_same for outcome in outcomes),
        "ignored": labels.ignored,
        "with_unknown_ids": labels.unpaired,
    }


# The metrics.


def _scores(outcomes: Sequence[Outcome], scheme: Scheme) -> dict[str, Estimate]:
    """All metrics that the labels allow."""
    measures: dict[str, Metric] = {}
    scores = [outcome.score for outcome in outcomes]
    if any(outcome.pair.same is not None for outcome in outcomes):
        called = [outcome.called_same for outcome in outcomes]
        same = [bool(outcome.pair.same) for outcome in outcomes]
        measures |= {name: partial(by, called, same) for name, by in DECISION_METRICS.items()}
        measures |= {name: partial(by, scores, same) for name, by in SCORE_METRICS.items()}
    if scheme.grade is not None:
        grades = [(-1 if scheme.less else 1) * (outcome.pair.grade or 0.0) for outcome in outcomes]
        measures["pearson"] = partial(metrics.pearson, scores, grades)
        measures["spearman"] = partial(metrics.spearman, scores, grades)
    return bootstrap(measures, len(outcomes))


def score_histogram(labelled: Sequence[Outcome]) -> Iterator[Bar]:
    """The number of positive and negative pairs by score."""
    edges = np.linspace(0, 1, HISTOGRAM_BARS + 1)
    same, _ = np.histogram([outcome.score for outcome in labelled if outcome.pair.same], edges)
    negative, _ = np.histogram(
        [outcome.score for outcome in labelled if not outcome.pair.same], edges
    )
    for bar in range(HISTOGRAM_BARS if labelled else 0):
        low, high = bar / HISTOGRAM_BARS, (bar + 1) / HISTOGRAM_BARS
        yield Bar(low, high, int(same[bar]), int(negative[bar]))


# The tables.


def _tables(outcomes: Sequence[Outcome], scheme: Scheme) -> Iterator[Table]:
    yield _by_relation(outcomes, scheme)
    yield _confusion(outcomes)
    yield from _by_language(outcomes, scheme)


def _by_relation(outcomes: Sequence[Outcome], scheme: Scheme) -> Table:
    """The share of positive pairs of each relation."""
    rows: list[tuple[Cell, ...]] = []
    for relation in Relation:
        group = [outcome for outcome in outcomes if outcome.judgement.decision.relation is relation]
        if group:
            same = [outcome.pair.same for outcome in group if outcome.pair.same is not None]
            grades = [outcome.pair.grade for outcome in group if outcome.pair.grade is not None]
            mean = (round(sum(grades) / len(grades), 4),) if grades and scheme.grade else ()
            rows.append((relation.value, len(group), estimate_share(same), *mean))
    columns = ("relation", "pairs", "same", *(("mean grade",) if scheme.grade else ()))
    return Table("by_relation", "By relation: share of positive pairs", columns, tuple(rows))


def _confusion(outcomes: Sequence[Outcome]) -> Table:
    """The relations of the pairs of each label."""
    band_of = _label_bands([outcome.pair for outcome in outcomes])
    counts = Counter(
        (band_of(outcome.pair), outcome.judgement.decision.relation) for outcome in outcomes
    )
    relations = [relation for relation in Relation if any(key[1] is relation for key in counts)]
    called_same = Counter(band_of(outcome.pair) for outcome in outcomes if outcome.called_same)
    rows: list[tuple[Cell, ...]] = []
    for label in sorted({label for label, _ in counts}):
        row = [counts[label, relation] for relation in relations]
        rows.append((label, sum(row), called_same[label], *row))
    columns = ("label", "pairs", "called same", *(relation.value for relation in relations))
    return Table("confusion", "By label: relations decided", columns, tuple(rows))


def _label_bands(pairs: Sequence[LabelledPair]) -> Callable[[LabelledPair], str]:
    """Labels as they are; grades in bands of 1, or of 0.1 where none is above 1."""
    grades = [pair.grade for pair in pairs if pair.grade is not None]
    if not grades or any(pair.label != f"{pair.grade:g}" for pair in pairs):
        return lambda pair: pair.label
    digits = 1 if max(grades) <= 1 else 0
    return lambda pair: f"{round(pair.grade or 0.0, digits):g}"


def _by_language(outcomes: Sequence[Outcome], scheme: Scheme) -> Iterator[Table]:
    """The metrics of each language, and of all pairs in one language if some are mixed."""
    ranked = group_by_language(outcomes, lambda outcome: outcome.pair.language)
    if not ranked:
        return
    mixed = [name for name, _ in ranked if " / " in name]
    if mixed and len(ranked) > len(mixed):
        alike = [outcome for outcome in outcomes if outcome.pair.language not in mixed]
        ranked.insert(0, ("one language", alike))
    scored = [(name, group, _scores(group, scheme)) for name, group in ranked]
    names = tuple(scored[0][2])
    rows: list[tuple[Cell, ...]] = [
        (name, len(group), sum(outcome.pair.same is True for outcome in group), *scores.values())
        for name, group, scores in scored
    ]
    yield Table("by_language", "By language", ("language", "pairs", "same", *names), tuple(rows))
