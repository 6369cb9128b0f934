"""Confidence on held-out pairs: fitted to four fifths, read on the fifth, an article in one only.

In every fold all is fitted anew that rests on these labels: the models of titles and of news, and
the curves that say how sure a rule is. `tools/fit_confidence.py` prints the curves of all pairs.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import corpora
import relations
from calibration import COPIES, SAME_NEWS, Scored, calibration_row, expected_error
from floors import HERE, Row
from nearcopy import POLICIES, Decision, Evidence, Relation
from nearcopy.match.decide import decide
from nearcopy.match.evidence_table import EvidenceTable
from nearcopy.match.judgement import Judgement, JudgementTable
from nearcopy.match.same_event_model import event_features

sys.path.append(str(HERE.parent / "tools"))
import fit_event_score
import fit_title_event_score

Floats = NDArray[np.float64]
FOLDS, SPLITS = 5, 5
POLICY = POLICIES["default"]
BY_TITLE = {"figure-moved", "like-titles", "titles-and-facts"}
OVER_OTHER_TEXTS = "like-titles-over-different-texts"


class Told(NamedTuple):
    """A labelled pair, and what was measured of it."""

    a: str
    b: str
    label: str
    evidence: Evidence


class Judged(NamedTuple):
    """A decided pair, and whether its label says that it is right."""

    evidence: Evidence
    decision: Decision
    right: bool


# Folds: what shares an article, through others too, is of one.


def folds(told: Sequence[Told], seed: int) -> NDArray[np.intp]:
    """The fold of each pair, drawn by groups, all folds of about one size."""
    groups = _groups(told)
    sizes, load = Counter(groups), [0] * FOLDS
    names = np.random.default_rng(seed).permutation(sorted(sizes)).tolist()
    home: dict[str, int] = {}
    for name in sorted(names, key=lambda name: -sizes[name]):
        home[name] = min(range(FOLDS), key=load.__getitem__)
        load[home[name]] += sizes[name]
    return np.array([home[name] for name in groups], np.intp)


def _groups(told: Sequence[Told]) -> list[str]:
    first: dict[str, str] = {}

    def root(name: str) -> str:
        while first.setdefault(name, name) != name:
            name = first[name]
        return name

    for pair in told:
        one, other = sorted((root(pair.a), root(pair.b)))
        first[other] = one
    return [root(pair.a) for pair in told]


# Curves: how sure a rule is, by the one or two measures that it rests on.


def alike(evidence: Evidence) -> list[float]:
    """What like titles rest on: how alike they are, and whether facts agree."""
    soft = evidence.title_ratio if evidence.title_soft is None else evidence.title_soft
    return [soft or 0.0, float(bool(evidence.agreements))]


def title_curve(known: Sequence[Judged], width: int = 2) -> Floats:
    """The constant and the worth of what like titles rest on."""
    x = np.array([alike(pair.evidence)[:width] for pair in known])
    return fit_event_score.fit_model(x, np.array([pair.right for pair in known], np.float64))


def sure(evidence: Evidence, curve: Floats) -> float:
    """What a curve says of a pair."""
    x = np.array([alike(evidence)[: len(curve) - 1]])
    return float(fit_event_score.predict(x, curve)[0])


def text_share(known: Sequence[Judged]) -> float:
    """The share that is right of what texts and addresses decide: nearly all, too few for more."""
    return (sum(pair.right for pair in known) + 1) / (len(known) + 2)


# Duplicates.


def duplicates(near: Sequence[Told], headlines: Sequence[Told], seed: int) -> Iterator[Scored]:
    """The confidence in each duplicate, and whether it is one."""
    rows = _headline_rows()
    signs, free = fit_title_event_score.signs(rows)
    same = np.array([pair.label == "same" for pair in headlines])
    at_near, at_headlines = folds(near, seed), folds(headlines, seed)
    for fold in range(FOLDS):
        training = free & (at_headlines != fold)
        model = fit_title_event_score.fit_model(signs[training], same[training])
        likely = np.round(fit_title_event_score.likely(signs, model), 4).tolist()
        judged = [headline(pair, score) for pair, score in zip(headlines, likely, strict=True)]
        pairs = [*map(copy, near), *judged]
        training, unseen = _parted(pairs, np.concatenate([at_near, at_headlines]) == fold)
        yield from _duplicates(training, unseen)


def _parted(pairs: Sequence[Judged], held: NDArray[np.bool_]) -> tuple[list[Judged], list[Judged]]:
    """The duplicates that may be fitted to, and those that are held out."""
    called = [(pair, out) for pair, out in zip(pairs, held, strict=True) if pair.decision.duplicate]
    return [pair for pair, out in called if not out], [pair for pair, out in called if out]


def _duplicates(known: Sequence[Judged], unseen: Sequence[Judged]) -> Iterator[Scored]:
    curve = title_curve([pair for pair in known if pair.decision.rule in BY_TITLE])
    share = text_share([pair for pair in known if pair.decision.rule not in BY_TITLE])
    for pair in unseen:
        by_title = pair.decision.rule in BY_TITLE
        yield (sure(pair.evidence, curve) if by_title else share), pair.right


def copy(told: Told) -> Judged:
    return Judged(told.evidence, decide(told.evidence, POLICY), told.label in COPIES)


def headline(told: Told, likely: float) -> Judged:
    e = told.evidence
    evidence = e if e.title_event_score is None else e._replace(title_event_score=likely)
    decision = decide(evidence, POLICY)
    update = told.label == "update" and decision.relation is Relation.REVISION
    return Judged(evidence, decision, told.label == "same" or update)


# The same news.


def same_news(told: Sequence[Told], seed: int) -> Iterator[tuple[Judged, float, float]]:
    """Each pair as it is judged, the event score, and the confidence in the same event."""
    at = folds(told, seed)
    x = event_features(EvidenceTable.of([pair.evidence for pair in told]))
    grades = np.array([float(pair.label) for pair in told])
    same = (grades <= SAME_NEWS).astype(np.float64)
    y = fit_event_score.VERDICT * same + (1 - fit_event_score.VERDICT) * (4 - grades) / 3
    for fold in range(FOLDS):
        training = at != fold
        scores = np.round(
            fit_event_score.predict(x, fit_event_score.fit_model(x[training], y[training])), 6
        ).tolist()
        judged, event_scores = reported(told, scores)
        odds = np.array([[_odds(score)] for score in scores])
        by_news = fit_event_score.fit_model(odds[training], same[training])
        kept = (pair for pair, fit in zip(judged, training, strict=True) if fit)
        titled = [pair for pair in kept if pair.decision.rule == OVER_OTHER_TEXTS]
        by_title = title_curve(titled, width=1)
        for place in np.flatnonzero(~training).tolist():
            pair = judged[place]
            certain = (
                sure(pair.evidence, by_title)
                if pair.decision.rule == OVER_OTHER_TEXTS
                else float(fit_event_score.predict(odds[place : place + 1], by_news)[0])
            )
            yield pair, event_scores[place], certain


def reported(told: Sequence[Told], scores: Sequence[float]) -> tuple[list[Judged], list[float]]:
    """The pairs as they are judged by these event scores, and the score of each."""
    evidence = EvidenceTable.of([pair.evidence for pair in told])
    evidence.add(event_score=np.where(np.isnan(evidence.event_score), np.nan, scores))
    judgements = JudgementTable(evidence, POLICY)
    judged = [
        Judged(judgement.evidence, judgement.decision, float(pair.label) <= SAME_NEWS)
        for pair, judgement in zip(told, judgements, strict=True)
    ]
    return judged, judgements.event_score.tolist()


def _odds(score: float) -> float:
    held = min(max(score, 1e-6), 1 - 1e-6)
    return log(held / (1 - held))


# Rows.


def held_out_rows(
    near: Sequence[tuple[str, Judgement]],
    headlines: Sequence[tuple[str, str, Judgement]],
    news_pairs: Sequence[tuple[str, float, Judgement]],
) -> Iterator[Row]:
    """The calibration error of duplicates, of the same event and of the event score, held out."""
    copies, titles, reports = told(near, headlines, news_pairs)
    yield _row("of duplicates", lambda seed: list(duplicates(copies, titles, seed)))
    judged = [list(same_news(reports, seed)) for seed in range(SPLITS)]
    yield _row(
        "of the same event",
        lambda seed: [
            (certain, pair.right)
            for pair, _, certain in judged[seed]
            if pair.decision.relation is Relation.SAME_EVENT
        ],
    )
    yield _row(
        "of the event score", lambda seed: [(score, e.right) for e, score, _ in judged[seed]]
    )


def _row(name: str, scored: Callable[[int], list[Scored]]) -> Row:
    """The mean over all splits, with the interval of the first."""
    splits = [scored(seed) for seed in range(SPLITS)]
    errors = [expected_error(*map(np.array, zip(*split, strict=True))) for split in splits]
    row = calibration_row(f"{name}, held out", splits[0], float(np.mean(errors)))
    row.details["splits"] = [round(error, 4) for error in errors]
    return row


def told(
    near: Sequence[tuple[str, Judgement]],
    headlines: Sequence[tuple[str, str, Judgement]],
    news_pairs: Sequence[tuple[str, float, Judgement]],
) -> tuple[list[Told], list[Told], list[Told]]:
    """The pairs of near-relations, headline-pairs and semeval22 with the names of the two."""
    here = {row["id"] for row in corpora.articles("semeval22")}
    graded = [
        row
        for row in relations.rows("semeval22")
        if row["lang_a"] == row["lang_b"] and row["a"] in here and row["b"] in here
    ]
    return (
        [
            Told(row["a"], row["b"], label, judgement.evidence)
            for row, (label, judgement) in zip(relations.rows("near-relations"), near, strict=True)
        ],
        [
            Told(row["id_a"], row["id_b"], label, judgement.evidence)
            for row, (label, _, judgement) in zip(_headline_rows(), headlines, strict=True)
        ],
        [
            Told(row["a"], row["b"], str(grade), judgement.evidence)
            for row, (_, grade, judgement) in zip(graded, news_pairs, strict=True)
        ],
    )


def _headline_rows() -> list[dict[str, str]]:
    return [row for row in relations.rows("headline-pairs") if row["label"] != "unsure"]
