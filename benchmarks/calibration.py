"""How far a confidence is from the share that is right among those as confident: 0 is best."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from floors import Row
from nearcopy import Relation
from nearcopy.match.judgement import Judgement

BINS = 10
ROUNDS = 200
COPIES = {"same", "revision", "excerpt"}
SAME_NEWS = 2.5  # the middle of the grades, 1 to 4

Scored = tuple[float, bool]


def calibration_rows(
    near: Sequence[tuple[str, Judgement]],
    headlines: Sequence[tuple[str, str, Judgement]],
    news: Sequence[tuple[str, float, Judgement]],
) -> Iterator[Row]:
    """Of duplicates, of one event in other words, and of the score of the same news."""
    said = [(judgement, label in COPIES) for label, judgement in near]
    said += [(judgement, _right(label, judgement)) for label, _, judgement in headlines]
    yield calibration_row("of duplicates", [_scored(e, r) for e, r in said if e.decision.duplicate])
    events = [(e, grade <= SAME_NEWS) for _, grade, e in news]
    same_event = [_scored(e, r) for e, r in events if e.decision.relation is Relation.SAME_EVENT]
    yield calibration_row("of the same event", same_event)
    yield calibration_row(
        "of the event score", [(judgement.event_score, right) for judgement, right in events]
    )


def _right(label: str, each: Judgement) -> bool:
    """Whether a duplicate is one: a new version may be an update."""
    return label == "same" or (label == "update" and each.decision.relation is Relation.REVISION)


def _scored(each: Judgement, right: bool) -> Scored:
    return each.decision.confidence, right


def calibration_row(name: str, scored: Sequence[Scored], value: float | None = None) -> Row:
    """The calibration error of the stated confidence, or the given value, with its interval."""
    scores = np.array([score for score, _ in scored])
    right = np.array([flag for _, flag in scored], np.float64)
    dice = np.random.default_rng(20250101)
    drawn = [dice.integers(0, len(scores), len(scores)) for _ in range(ROUNDS)]
    spread = [expected_error(scores[rows], right[rows]) for rows in drawn]
    low, high = np.quantile(spread, [0.025, 0.975])
    error = expected_error(scores, right) if value is None else value
    return Row(
        "labelled pairs", f"calibration error {name}", error, float(low), float(high),
        f"{len(scored):,} pairs", {"right": round(float(right.mean()), 4)},
    )  # fmt: skip


def expected_error(scores: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """The expected calibration error over ten bins of as many each.

    >>> float(expected_error(np.array([0.5] * 4), np.array([1.0, 0.0, 1.0, 0.0])))
    0.0
    """
    order = np.argsort(scores, kind="stable")
    scores, right = scores[order], right[order]
    _, places = np.unique(scores, return_inverse=True)
    # Those of one score are spread evenly over the bins it falls in, in whatever order they came.
    evened = (np.bincount(places, right) / np.bincount(places))[places]
    bins = zip(np.array_split(scores, BINS), np.array_split(evened, BINS), strict=True)
    off = sum(abs(float(a.sum() - b.sum())) for a, b in bins)
    return off / max(1, len(scores))
