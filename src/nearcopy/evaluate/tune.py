"""Tuning: thresholds and confidence fitted to labels, and cross-validated.

Pairs are measured once and decided many times. No store and no policy in use is changed.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import nearcopy.kernels as kernels
from nearcopy.config import Policy, Recipe
from nearcopy.deduper.review_queue import Example
from nearcopy.errors import BadFeedback
from nearcopy.evaluate import metrics
from nearcopy.evaluate.labels import LabelledPair
from nearcopy.evaluate.outcomes import judge_labelled
from nearcopy.match.confidence import fit_calibration
from nearcopy.match.decide import decide_pairs
from nearcopy.match.evidence_table import EvidenceTable
from nearcopy.match.judgement import JudgementTable
from nearcopy.models import Relation

MIN_LABELS = 20  # to fit anything
FOLDS = 5
SWEEPS = 3  # over all thresholds, at most
STEPS = (-0.2, -0.15, -0.1, -0.05, -0.02, 0.02, 0.05, 0.1, 0.15, 0.2)
SHIFT_PENALTY = 0.02  # of F1, for a threshold moved by 1: of equal fits the nearest wins
MIN_GAIN = 0.001  # of F1 on held-out pairs
MIN_DUPLICATES = 40  # called so, to fit the confidence
MIN_CALIBRATION_GAIN = 0.005  # of calibration error on held-out pairs


class Scores(NamedTuple):
    """How decisions agree with labels; None where undefined."""

    precision: float | None
    recall: float | None
    f1: float | None
    story_f1: float | None  # of pairs in one story: duplicates, or the same event
    calibration_error: float | None
    confidence_error: float | None  # the calibration error of pairs called duplicates


class Shift(NamedTuple):
    """A threshold before and after tuning."""

    name: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Tuning:
    """The policy fitted to all examples, with its cross-validated scores."""

    policy: Policy
    shifts: tuple[Shift, ...]
    examples: int
    duplicates: int
    folds: int
    before: Scores
    after: Scores  # on held-out pairs
    calibrated: bool = False  # whether the confidence was fitted too

    @property
    def gain(self) -> float:
        """The gain of F1 on held-out pairs."""
        return _quality(self.after) - _quality(self.before)

    @property
    def worth_it(self) -> bool:
        """Whether F1 or the calibration improves on held-out pairs."""
        return self.calibrated or self.gain >= MIN_GAIN


class _Answer(NamedTuple):
    """The answer of a policy to an example."""

    duplicate: bool
    one_story: bool
    score: float


_Answers = list[tuple[Example, _Answer]]


def tune(examples: Sequence[Example], policy: Policy, *, folds: int = FOLDS) -> Tuning:
    """The policy fitted to the examples, with its gain on held-out pairs.

    Thresholds and confidence are fitted separately; each is used only if it helps.

    Args:
        examples: Labelled evidence.
        policy: The policy to start from.
        folds: The folds of the cross-validation.
    """
    _check(examples)
    parts = _split_folds(examples, folds)
    training_sets = [
        [example for other in parts if other is not part for example in other] for part in parts
    ]
    decisions = _Decisions(examples)
    moved = [fit_thresholds(training, policy, decisions) for training in training_sets]
    before, after = _answers(parts, [policy] * len(parts)), _answers(parts, moved)
    thresholds_help = _quality(_scores(after)) - _quality(_scores(before)) >= MIN_GAIN
    used, plain = (moved, after) if thresholds_help else ([policy] * len(parts), before)
    fitted = [
        calibrate_policy(training, fold_policy)
        for training, fold_policy in zip(training_sets, used, strict=True)
    ]
    calibrated_answers = _answers(parts, fitted)
    calibration_helps = _improves(plain, calibrated_answers)
    move = thresholds_help or not calibration_helps
    final = fit_thresholds(examples, policy, decisions) if move else policy
    return Tuning(
        policy=calibrate_policy(examples, final) if calibration_helps else final,
        shifts=_shifts(policy, final),
        examples=len(examples),
        duplicates=sum(example.duplicate for example in examples),
        folds=len(parts),
        before=_scores(before),
        after=_scores(calibrated_answers if calibration_helps else after),
        calibrated=calibration_helps,
    )


def _answers(parts: Sequence[Sequence[Example]], policies: Sequence[Policy]) -> _Answers:
    """The answers to the examples of each part by the policy of the same index."""
    both = zip(parts, policies, strict=True)
    return [
        answer for part, policy in both for answer in zip(part, _answer(part, policy), strict=True)
    ]


def _improves(before: _Answers, after: _Answers) -> bool:
    """Whether the confidence in duplicates is better calibrated on held-out pairs."""
    if sum(answer.duplicate for _, answer in before) < MIN_DUPLICATES:
        return False
    error_before, brier_before = _confidence_errors(before)
    error_after, brier_after = _confidence_errors(after)
    gain = error_before - error_after
    return gain >= MIN_CALIBRATION_GAIN and brier_after < brier_before


def _confidence_errors(answers: _Answers) -> tuple[float, float]:
    """The calibration error and the Brier score of pairs called duplicates."""
    duplicates = [(example, answer) for example, answer in answers if answer.duplicate]
    scores = [answer.score for _, answer in duplicates]
    labels = [example.duplicate for example, _ in duplicates]
    error, brier = metrics.calibration_error(scores, labels), metrics.brier(scores, labels)
    return error.item(), brier.item()


def _check(examples: Sequence[Example]) -> None:
    same = sum(example.duplicate for example in examples)
    if len(examples) < MIN_LABELS:
        raise BadFeedback(
            f"too few labels: {len(examples)} of at least {MIN_LABELS}: "
            "label more pairs with `nearcopy feedback` or on the review page"
        )
    if same in (0, len(examples)):
        kind = "duplicates" if same else "no duplicates"
        raise BadFeedback(f"all {len(examples)} labels are {kind}: label some of both kinds")


def measure_labels(
    pairs: Iterable[LabelledPair], recipe: Recipe, policy: Policy
) -> Iterator[Example]:
    """The examples of the pairs with a label, whatever their distance in time.

    Labels that are relations also say which pairs are of one story.
    """
    labelled = [pair for pair in pairs if pair.same is not None]
    are_relations = all(pair.label in list(Relation) for pair in labelled)
    for outcome in judge_labelled(labelled, recipe, replace(policy, window=None), "duplicate"):
        pair, same = outcome.pair, bool(outcome.pair.same)
        event = same or pair.label == Relation.SAME_EVENT
        evidence = outcome.judgement.evidence
        yield Example(pair.a.id, pair.b.id, evidence, same, event if are_relations else None)


# Fitting.


class _Decisions:
    """What each policy decides on all examples; folds try mostly the same policies."""

    def __init__(self, examples: Sequence[Example]) -> None:
        self._evidence = _evidence(examples)
        self._row_by_example = {id(example): row for row, example in enumerate(examples)}
        self._duplicate = np.array([example.duplicate for example in examples])
        self._one_story = np.array([bool(example.one_story) for example in examples])
        self._story_known = np.array([example.one_story is not None for example in examples])
        self._flags_by_policy: dict[Policy, NDArray[np.bool_]] = {}

    def rows(self, examples: Sequence[Example]) -> NDArray[np.intp]:
        """The rows of some of the examples."""
        return np.array([self._row_by_example[id(example)] for example in examples])

    def quality(self, policy: Policy, rows: NDArray[np.intp]) -> float:
        """The F1 of duplicates, or its mean with that of stories where these are labelled."""
        duplicate, one_story = self._flags(policy)
        known = rows[self._story_known[rows]]
        f1 = [metrics.f1(duplicate[rows], self._duplicate[rows])]
        if len(known):
            f1.append(metrics.f1(one_story[known], self._one_story[known]))
        return _mean([_nan_to_none(value) for value in f1])

    def _flags(self, policy: Policy) -> NDArray[np.bool_]:
        """Which examples are duplicates, and which are of one story."""
        if policy not in self._flags_by_policy:
            decisions = decide_pairs(self._evidence, policy)
            flags = decisions.duplicate, decisions.one_story
            self._flags_by_policy[policy] = np.array(flags)
        return self._flags_by_policy[policy]


def fit_thresholds(
    examples: Sequence[Example], policy: Policy, decisions: _Decisions | None = None
) -> Policy:
    """The policy with each threshold moved in turn to its best value (coordinate descent)."""
    decisions = decisions or _Decisions(examples)
    rows = decisions.rows(examples)
    best, fitness = policy, decisions.quality(policy, rows)
    names = active_thresholds(policy)
    for _ in range(SWEEPS):
        before = best
        for name in names:
            for value in _candidate_values(getattr(policy, name)):
                candidate = _with_threshold(best, name, value)
                moved = sum(abs(shift.after - shift.before) for shift in _shifts(policy, candidate))
                candidate_fitness = decisions.quality(candidate, rows) - SHIFT_PENALTY * moved
                if candidate_fitness > fitness + 1e-9:
                    best, fitness = candidate, candidate_fitness
        if best == before:
            break
    return best


def calibrate_policy(examples: Sequence[Example], policy: Policy) -> Policy:
    """The policy with its confidence in duplicates fitted to the examples."""
    plain = replace(policy, calibration=())
    decisions = decide_pairs(_evidence(examples), plain)
    right = np.array([example.duplicate for example in examples], np.bool_)
    called = decisions.duplicate
    points = fit_calibration(decisions.confidence[called].tolist(), right[called].tolist())
    return replace(policy, calibration=points)


def active_thresholds(policy: Policy) -> tuple[str, ...]:
    """The thresholds that are on: shares from 0 to 1."""
    shares = (field.name for field in fields(policy) if field.type in (float, float | None))
    return tuple(name for name in shares if getattr(policy, name) is not None)


def _with_threshold(policy: Policy, name: str, value: float) -> Policy:
    changed: dict[str, Any] = {name: value}
    return replace(policy, **changed)


def _candidate_values(start: float) -> list[float]:
    return [value for step in STEPS if 0 <= (value := round(start + step, 4)) <= 1]


def _quality(scores: Scores) -> float:
    """The F1 of duplicates, or its mean with that of stories where these are labelled."""
    return _mean([scores.f1, scores.story_f1])


def _mean(values: Iterable[float | None]) -> float:
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if defined else 0.0


def _shifts(before: Policy, after: Policy) -> tuple[Shift, ...]:
    names = active_thresholds(before)
    shifts = (Shift(name, getattr(before, name), getattr(after, name)) for name in names)
    return tuple(shift for shift in shifts if shift.before != shift.after)


# Scores.


def _evidence(examples: Sequence[Example]) -> EvidenceTable:
    return EvidenceTable.of([example.evidence for example in examples])


def _answer(examples: Sequence[Example], policy: Policy) -> list[_Answer]:
    """The answer to each example."""
    judgements = JudgementTable(_evidence(examples), policy)
    decisions = judgements.decisions
    scores = np.where(decisions.duplicate, decisions.confidence, judgements.event_score / 2)
    columns = decisions.duplicate, decisions.one_story, scores
    return list(map(_Answer, *(column.tolist() for column in columns)))


def _scores(answers: _Answers) -> Scores:
    true, duplicates = [e.duplicate for e, _ in answers], [a.duplicate for _, a in answers]
    stories = [(e.one_story, a.one_story) for e, a in answers if e.one_story is not None]
    story_f1 = metrics.f1([called for _, called in stories], [label for label, _ in stories])
    return Scores(
        _nan_to_none(metrics.precision(duplicates, true)),
        _nan_to_none(metrics.recall(duplicates, true)),
        _nan_to_none(metrics.f1(duplicates, true)),
        _nan_to_none(story_f1) if stories else None,
        _nan_to_none(metrics.calibration_error([a.score for _, a in answers], true)),
        _confidence_errors(answers)[0] if any(duplicates) else None,
    )


def _nan_to_none(value: metrics.Floats) -> float | None:
    (number,) = value.tolist()
    return None if number != number else float(number)


# Folds: pairs connected by shared articles are in one fold.


def _split_folds(examples: Sequence[Example], folds: int) -> list[list[Example]]:
    """The examples in folds, with duplicates and other pairs spread evenly."""
    groups = sorted(
        _group_by_article(examples), key=lambda group: (-len(group), min(e[:2] for e in group))
    )
    parts: list[list[Example]] = [[] for _ in range(max(2, min(folds, len(groups))))]
    for group in groups:
        mostly_duplicates = sum(example.duplicate for example in group) * 2 >= len(group)
        _emptiest(parts, mostly_duplicates).extend(group)
    filled = [part for part in parts if part]
    if len(filled) < 2:
        raise BadFeedback(
            "all labels are connected by shared articles, so that none can be held out: "
            "label pairs of other articles"
        )
    return filled


def _emptiest(parts: list[list[Example]], same: bool) -> list[Example]:
    return min(parts, key=lambda part: (sum(e.duplicate is same for e in part), len(part)))


def _group_by_article(examples: Sequence[Example]) -> list[list[Example]]:
    numbers: dict[str, int] = {}
    for example in examples:
        for name in (example.a, example.b):
            numbers.setdefault(name, len(numbers))
    pairs = [(numbers[example.a], numbers[example.b]) for example in examples]
    components = kernels.components(len(numbers), np.array(pairs, np.uint32))
    groups: dict[int, list[Example]] = {}
    for example, (a, _) in zip(examples, pairs, strict=True):
        groups.setdefault(int(components[a]), []).append(example)
    return list(groups.values())
