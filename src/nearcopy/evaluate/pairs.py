"""Evaluating pairs that people have labelled or graded."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import numpy as np

from nearcopy.config import Policy, Recipe
from nearcopy.evaluate import pair_metrics as metrics
from nearcopy.evaluate.bootstrap import Measure, Measured, measured, share
from nearcopy.evaluate.label_schemes import Scheme
from nearcopy.evaluate.labelled_pairs import Labels
from nearcopy.evaluate.pair_outcomes import outcomes, worst
from nearcopy.evaluate.result_types import Bar, Cell, Evaluation, Labelled, Outcome, Table
from nearcopy.models.model import Relation

BARS = 20
MEANINGS = {
    "duplicate": "called a duplicate by the policy; the score is how surely",
    "news": "called the same news: a duplicate or the same event; the score is `news`",
    "copy": "called a copy by address or text; the score is `copy`",
}
Watch = Callable[[Iterable[Labelled]], Iterable[Labelled]]


def evaluate_pairs(
    labels: Labels,
    by: Scheme,
    recipe: Recipe,
    policy: Policy,
    *,
    mistakes: int = 10,
    watch: Watch = lambda pairs: pairs,
) -> Evaluation:
    """All that can be measured of labelled pairs; intervals are from drawing the pairs again."""
    found = list(outcomes(watch(labels.pairs), recipe, policy, by.target))
    scores, same = _arrays(found)
    drawn = metrics.lines(scores, same) if len(same) else []
    return Evaluation(
        kind="pairs",
        about=f"the same where {by.about}; {MEANINGS[by.target]}",
        counts=_counts(labels, found),
        scores=_scores(found, by),
        resampled="pairs",
        tables=tuple(_tables(found, by)),
        lines=tuple(drawn),
        best=metrics.best_line(drawn),
        bins=tuple(metrics.bins(scores, same)) if len(same) else (),
        histogram=tuple(histogram(found)),
        mistakes=worst(found, recipe, policy, mistakes),
        unknown=tuple(labels.unknown),
    )


def _counts(labels: Labels, found: Sequence[Outcome]) -> dict[str, int]:
    return {
        "pairs": len(found),
        "same": sum(each.pair.same is True for each in found),
        "called_same": sum(each.said for each in found),
        "ignored": labels.ignored,
        "with_unknown_ids": labels.unpaired,
    }


# The measures.


def _scores(found: Sequence[Outcome], by: Scheme) -> dict[str, Measured]:
    """All measures that the labels allow."""
    measures: dict[str, Measure] = {}
    scores = [each.score for each in found]
    if any(each.pair.same is not None for each in found):
        said, same = [each.said for each in found], [bool(each.pair.same) for each in found]
        for name, called in (
            ("precision", metrics.precision),
            ("recall", metrics.recall),
            ("f1", metrics.f1),
        ):
            measures[name] = partial(called, said, same)
        for name, ranked in (
            ("auc", metrics.auc),
            ("average_precision", metrics.average_precision),
            ("brier", metrics.brier),
            ("calibration_error", metrics.calibration_error),
        ):
            measures[name] = partial(ranked, scores, same)
    if by.grade is not None:
        grades = [(-1 if by.less else 1) * (each.pair.grade or 0.0) for each in found]
        measures["pearson"] = partial(metrics.pearson, scores, grades)
        measures["spearman"] = partial(metrics.spearman, scores, grades)
    return measured(measures, len(found))


def _arrays(found: Sequence[Outcome]) -> tuple[metrics.Floats, metrics.Floats]:
    known = [each for each in found if each.pair.same is not None]
    scores = np.array([each.score for each in known], np.float64)
    return scores, np.array([bool(each.pair.same) for each in known], np.float64)


def histogram(found: Iterable[Outcome]) -> Iterator[Bar]:
    """How many of the same and of the others have which score."""
    known = [each for each in found if each.pair.same is not None]
    edges = np.linspace(0, 1, BARS + 1)
    same, _ = np.histogram([each.score for each in known if each.pair.same], edges)
    others, _ = np.histogram([each.score for each in known if not each.pair.same], edges)
    for place in range(BARS if known else 0):
        yield Bar(place / BARS, (place + 1) / BARS, int(same[place]), int(others[place]))


# The tables.


def _tables(found: Sequence[Outcome], by: Scheme) -> Iterator[Table]:
    yield _by_relation(found, by)
    yield _confusion(found)
    yield from _by_language(found, by)


def _by_relation(found: Sequence[Outcome], by: Scheme) -> Table:
    """For each relation that was found, how many of these are the same."""
    rows: list[tuple[Cell, ...]] = []
    for relation in Relation:
        some = [each for each in found if each.judgement.decision.relation is relation]
        if some:
            rows.append((relation.value, len(some), *_told(some, by)))
    columns = ("relation", "pairs", "same", *(("mean grade",) if by.grade else ()))
    return Table("by_relation", "By relation: how many are the same", columns, tuple(rows))


def _told(some: Sequence[Outcome], by: Scheme) -> tuple[Cell, ...]:
    grades = [each.pair.grade for each in some if each.pair.grade is not None]
    mean = (round(sum(grades) / len(grades), 4),) if grades and by.grade else ()
    return (share(each.pair.same for each in some if each.pair.same is not None), *mean)


def _confusion(found: Sequence[Outcome]) -> Table:
    """What each label was found to be."""
    named = _band([each.pair for each in found])
    counts = Counter((named(each.pair), each.judgement.decision.relation) for each in found)
    relations = [each for each in Relation if any(key[1] is each for key in counts)]
    said = Counter(named(each.pair) for each in found if each.said)
    rows: list[tuple[Cell, ...]] = []
    for label in sorted({label for label, _ in counts}):
        row = [counts[label, relation] for relation in relations]
        rows.append((label, sum(row), said[label], *row))
    columns = ("label", "pairs", "called same", *(each.value for each in relations))
    return Table("confusion", "By label: what they are found to be", columns, tuple(rows))


def _band(pairs: Sequence[Labelled]) -> Callable[[Labelled], str]:
    """Labels as they are; grades in bands of one, or where none is above 1 of a tenth."""
    grades = [pair.grade for pair in pairs if pair.grade is not None]
    if not grades or any(pair.label != f"{pair.grade:g}" for pair in pairs):
        return lambda pair: pair.label
    digits = 1 if max(grades) <= 1 else 0
    return lambda pair: f"{round(pair.grade or 0.0, digits):g}"


def _by_language(found: Sequence[Outcome], by: Scheme) -> Iterator[Table]:
    """The measures for each language, and for all pairs in one language where some are not."""
    groups: dict[str, list[Outcome]] = {}
    for each in found:
        groups.setdefault(each.pair.language or "unknown", []).append(each)
    if set(groups) == {"unknown"}:
        return
    ranked = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
    mixed = [name for name in groups if " / " in name]
    if mixed and len(groups) > len(mixed):
        alike = [each for each in found if each.pair.language not in mixed]
        ranked.insert(0, ("one language", alike))
    scored = [(name, some, _scores(some, by)) for name, some in ranked]
    names = tuple(scored[0][2])
    rows: list[tuple[Cell, ...]] = [
        (name, len(some), sum(each.pair.same is True for each in some), *scores.values())
        for name, some, scores in scored
    ]
    yield Table("by_language", "By language", ("language", "pairs", "same", *names), tuple(rows))
