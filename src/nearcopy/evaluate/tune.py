"""Tuning: thresholds and confidence fitted to what people say, and tried on held-out pairs.

Pairs are measured once and decided many times. Nothing here changes a store, or a policy in use.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from nearcopy.config import Policy, Recipe
from nearcopy.deduper.feedback.labelled_examples import Example
from nearcopy.errors import BadFeedback
from nearcopy.evaluate import pair_metrics as metrics
from nearcopy.evaluate.pair_outcomes import outcomes
from nearcopy.evaluate.result_types import Labelled
from nearcopy.match.calibration import curve
from nearcopy.match.decide import decide
from nearcopy.match.judge_pairs import news
from nearcopy.models.model import Relation

FEWEST = 20  # labels, below which nothing can be learnt
FOLDS = 5
SWEEPS = 3  # over all thresholds, at most
STEPS = (-0.2, -0.15, -0.1, -0.05, -0.02, 0.02, 0.05, 0.1, 0.15, 0.2)
SHIFT_COSTS = 0.02  # of F1, a threshold moved by 1: of equal fits the nearest is taken
LEAST_GAIN = 0.001  # of F1 on held-out pairs
FEWEST_CALLED = 40  # duplicates, right or wrong, below which no confidence can be learnt
LEAST_CALIBRATED = 0.005  # of calibration error on held-out pairs


class Scores(NamedTuple):
    """How decisions agree with what people say; None where it cannot be told."""

    precision: float | None
    recall: float | None
    f1: float | None
    story_f1: float | None  # of being one story: a duplicate, or the same event
    calibration_error: float | None
    confidence_error: float | None  # the same of what is called a duplicate alone


class Shift(NamedTuple):
    """A threshold that was moved."""

    name: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Tuning:
    """The policy fitted to all examples, and how well one so fitted judges held-out pairs."""

    policy: Policy
    shifts: tuple[Shift, ...]
    examples: int
    duplicates: int
    folds: int
    before: Scores
    after: Scores  # on held-out pairs
    calibrated: bool = False  # whether the confidence was fitted too, as that helps

    @property
    def gain(self) -> float:
        """How much F1 there is to win, on held-out pairs."""
        return _quality(self.after) - _quality(self.before)

    @property
    def worth_it(self) -> bool:
        """Whether held-out pairs are judged better, or as well with a truer confidence."""
        return self.calibrated or self.gain >= LEAST_GAIN


class _Said(NamedTuple):
    """What a policy says of an example."""

    duplicate: bool
    one_story: bool
    score: float


_Answers = list[tuple[Example, _Said]]


def tune(examples: Sequence[Example], policy: Policy, *, folds: int = FOLDS) -> Tuning:
    """The policy fitted to the examples, beside what that gains on held-out pairs.

    Where moved thresholds gain nothing there, the confidence alone may; only what helps is taken.
    """
    _check(examples)
    parts = _folds(examples, folds)
    rests = [[each for other in parts if other is not part for each in other] for part in parts]
    moved = [fit(rest, policy) for rest in rests]
    before, after = _answers(parts, [policy] * len(parts)), _answers(parts, moved)
    gained = _quality(_scores(after)) - _quality(_scores(before)) >= LEAST_GAIN
    used, plain = (moved, after) if gained else ([policy] * len(parts), before)
    fitted = [calibrated(rest, each) for rest, each in zip(rests, used, strict=True)]
    truer = _answers(parts, fitted)
    helps = _helps(plain, truer)
    final = fit(examples, policy) if gained or not helps else policy
    return Tuning(
        policy=calibrated(examples, final) if helps else final,
        shifts=_shifts(policy, final),
        examples=len(examples),
        duplicates=sum(each.duplicate for each in examples),
        folds=len(parts),
        before=_scores(before),
        after=_scores(truer if helps else after),
        calibrated=helps,
    )


def _answers(parts: Sequence[Sequence[Example]], policies: Sequence[Policy]) -> _Answers:
    """What is said of the examples of each part by the policy beside it."""
    both = zip(parts, policies, strict=True)
    return [(each, _say(each, policy)) for part, policy in both for each in part]


def _helps(before: _Answers, after: _Answers) -> bool:
    """Whether the confidence in what is called a duplicate is truer on held-out pairs."""
    if sum(said.duplicate for _, said in before) < FEWEST_CALLED:
        return False
    (off, squared), (truer, smaller) = _confidence_errors(before), _confidence_errors(after)
    return off - truer >= LEAST_CALIBRATED and smaller < squared


def _confidence_errors(answers: _Answers) -> tuple[float, float]:
    """The calibration error and the mean squared one of what is called a duplicate."""
    called = [(said.score, each.duplicate) for each, said in answers if said.duplicate]
    scores, right = [score for score, _ in called], [flag for _, flag in called]
    found = metrics.calibration_error(scores, right), metrics.brier(scores, right)
    return found[0].item(), found[1].item()


def _check(examples: Sequence[Example]) -> None:
    same = sum(each.duplicate for each in examples)
    if len(examples) < FEWEST:
        raise BadFeedback(
            f"too few labels: {len(examples)}, it takes {FEWEST} to learn from: say more of pairs, "
            "with `nearcopy feedback` or on the page of review"
        )
    if same in (0, len(examples)):
        kind = "duplicates" if same else "no duplicates"
        raise BadFeedback(f"all {len(examples)} labels are {kind}: it takes some of both kinds")


def labelled_examples(
    pairs: Iterable[Labelled], recipe: Recipe, policy: Policy
) -> Iterator[Example]:
    """Labelled pairs, measured however far apart; those without a yes or a no are left out.

    Where all labels are relations, they also tell what is one story.
    """
    known = [each for each in pairs if each.same is not None]
    ours = all(each.label in list(Relation) for each in known)
    for each in outcomes(known, recipe, replace(policy, window=None), "duplicate"):
        pair, same = each.pair, bool(each.pair.same)
        event = same or pair.label == Relation.SAME_EVENT
        measured = each.judgement.evidence
        yield Example(pair.a.id, pair.b.id, measured, same, event if ours else None)


# Fitting.


def fit(examples: Sequence[Example], policy: Policy) -> Policy:
    """The policy with each threshold moved in turn to where the examples are judged best."""
    best, quality = policy, _fitness(examples, policy, policy)
    names = thresholds(policy)
    for _ in range(SWEEPS):
        before = best
        for name in names:
            for value in _values(getattr(policy, name)):
                tried = _moved(best, name, value)
                found = _fitness(examples, tried, policy)
                if found > quality + 1e-9:
                    best, quality = tried, found
        if best == before:
            break
    return best


def calibrated(examples: Sequence[Example], policy: Policy) -> Policy:
    """The policy with its confidence in duplicates fitted to the examples."""
    plain = replace(policy, calibration=())
    said = [(decide(each.evidence, plain), each.duplicate) for each in examples]
    called = [(how.confidence, right) for how, right in said if how.duplicate]
    points = curve([sure for sure, _ in called], [right for _, right in called])
    return replace(policy, calibration=points)


def thresholds(policy: Policy) -> tuple[str, ...]:
    """The thresholds that are on: shares from 0 to 1."""
    shares = (field.name for field in fields(policy) if field.type in (float, float | None))
    return tuple(name for name in shares if getattr(policy, name) is not None)


def _moved(policy: Policy, name: str, value: float) -> Policy:
    changed: dict[str, Any] = {name: value}
    return replace(policy, **changed)


def _values(start: float) -> list[float]:
    return [value for step in STEPS if 0 <= (value := round(start + step, 4)) <= 1]


def _fitness(examples: Sequence[Example], policy: Policy, start: Policy) -> float:
    found = _quality(_scores([(each, _say(each, policy)) for each in examples]))
    moved = sum(abs(shift.after - shift.before) for shift in _shifts(start, policy))
    return found - SHIFT_COSTS * moved


def _quality(scores: Scores) -> float:
    """F1, the mean of both where stories were spoken of."""
    found = [each for each in (scores.f1, scores.story_f1) if each is not None]
    return sum(found) / len(found) if found else 0.0


def _shifts(before: Policy, after: Policy) -> tuple[Shift, ...]:
    pairs = ((name, getattr(before, name), getattr(after, name)) for name in thresholds(before))
    return tuple(Shift(*each) for each in pairs if each[1] != each[2])


# Judging.


def _say(example: Example, policy: Policy) -> _Said:
    how = decide(example.evidence, policy)
    likely = news(example.evidence, how)
    one_story = how.duplicate or how.relation is Relation.SAME_EVENT
    return _Said(how.duplicate, one_story, how.confidence if how.duplicate else likely / 2)


def _scores(said: Sequence[tuple[Example, _Said]]) -> Scores:
    true, called = [e.duplicate for e, _ in said], [s.duplicate for _, s in said]
    told = [(e.one_story, s.one_story) for e, s in said if e.one_story is not None]
    return Scores(
        _known(metrics.precision(called, true)),
        _known(metrics.recall(called, true)),
        _known(metrics.f1(called, true)),
        _known(metrics.f1([s for _, s in told], [e for e, _ in told])) if told else None,
        _known(metrics.calibration_error([s.score for _, s in said], true)),
        _confidence_errors(list(said))[0] if any(called) else None,
    )


def _known(value: metrics.Floats) -> float | None:
    (found,) = value.tolist()
    return None if found != found else float(found)


# Folds: what shares an article, through others too, is of one.


def _folds(examples: Sequence[Example], wanted: int) -> list[list[Example]]:
    """The examples in at most so many parts, duplicates and others spread over all."""
    groups = sorted(_groups(examples), key=lambda group: (-len(group), min(e[:2] for e in group)))
    parts: list[list[Example]] = [[] for _ in range(max(2, min(wanted, len(groups))))]
    for group in groups:
        _emptiest(parts, sum(each.duplicate for each in group) * 2 >= len(group)).extend(group)
    made = [part for part in parts if part]
    if len(made) < 2:
        raise BadFeedback(
            "all labels are linked by articles that they share: none can be held out to try on; "
            "say more of other articles"
        )
    return made


def _emptiest(parts: list[list[Example]], same: bool) -> list[Example]:
    return min(parts, key=lambda part: (sum(e.duplicate is same for e in part), len(part)))


def _groups(examples: Iterable[Example]) -> list[list[Example]]:
    first: dict[str, str] = {}

    def root(name: str) -> str:
        while first.setdefault(name, name) != name:
            first[name] = first[first[name]]
            name = first[name]
        return name

    listed = list(examples)
    for each in listed:
        one, other = sorted((root(each.a), root(each.b)))
        first[other] = one
    groups: dict[str, list[Example]] = {}
    for each in listed:
        groups.setdefault(root(each.a), []).append(each)
    return list(groups.values())
