"""The event score: logistic models of the likelihood that two articles report the same event.

One model reads the evidence of both articles (fitted by tools/fit_event_score.py on labelled
pairs), the other one that of their titles (fitted by tools/fit_title_event_score.py).
"""

from collections.abc import Sequence

import numpy as np

import nearcopy.kernels as kernels
from nearcopy.fingerprint.fingerprint_table import RowPairs, Rows
from nearcopy.kernels.reference.titles import MAX_WORDS
from nearcopy.match.evidence_table import EvidenceTable, Floats
from nearcopy.match.titles.similarity import MAX_CHARS

DAY = 24.0
MAX_DAYS = 90.0
MIN_LOG_WORDS, MAX_LOG_WORDS = 3.0, 6.2  # ln(1 + words), from about 20 to 490

INPUTS = (
    "profile",
    "title_coverage",
    "term_coverage_max",
    "term_coverage_min",
    "same_source",
    "hours_apart",
    "words",
    "numerals_shared",
)
# The weights, in the order of `event_features`.
BIAS = 1.488
WEIGHTS = (
    2.507,  # root of the profile
    3.011,  # title coverage
    -1.391,  # title coverage squared
    1.707,  # larger term coverage
    3.243,  # smaller term coverage
    -1.776,  # root of the profile, if of one source
    0.289,  # one source
    0.292,  # both dated
    0.017,  # days
    -0.303,  # days times the root of the profile
    -1.927,  # words
    0.184,  # words squared
    -0.444,  # figures compared
    0.468,  # figures shared
    0.757,  # facts agree
)
_WEIGHTS = np.array(WEIGHTS)
# The intercept and slope that turn the log-odds of the score into a confidence.
CALIBRATION = (0.049, 1.347)


def event_features(evidence: EvidenceTable) -> Floats:
    """The features of the model, a row for each pair."""
    measured = np.array([getattr(evidence, name) for name in INPUTS], np.float64)
    present = ~np.isnan(measured)
    columns = dict(zip(INPUTS, np.where(present, measured, 0.0), strict=True))
    is_measured = dict(zip(INPUTS, present, strict=True))
    profile, title = np.sqrt(columns["profile"]), columns["title_coverage"]
    days = np.log1p(np.minimum(MAX_DAYS, columns["hours_apart"] / DAY))
    words = np.clip(np.log1p(columns["words"]), MIN_LOG_WORDS, MAX_LOG_WORDS)
    same_source = columns["same_source"]
    return np.array(
        [
            profile,
            title,
            title**2,
            columns["term_coverage_max"],
            columns["term_coverage_min"],
            profile * same_source,
            same_source,
            is_measured["hours_apart"],
            days,
            days * profile,
            words,
            words**2,
            is_measured["numerals_shared"],
            columns["numerals_shared"],
            evidence.agreements,
        ],
        np.float64,
    ).T


def event_scores(evidence: EvidenceTable) -> Floats:
    """The event score of each pair, 0..1; NaN without profiles.

    Rounded, so that it is the same on every machine.
    """
    probabilities = np.round(1 / (1 + np.exp(-(BIAS + event_features(evidence) @ _WEIGHTS))), 6)
    return np.where(np.isnan(evidence.profile), np.nan, probabilities)


def event_confidence(scores: Floats) -> Floats:
    """The share of pairs with this event score that report the same event, 0..1.

    >>> low, middle, high = event_confidence(np.array([0.0, 0.5, 1.0]))
    >>> bool(low < middle < high <= 1)
    True
    """
    probabilities = np.clip(scores, 1e-6, 1 - 1e-6)
    log_odds = np.log(probabilities / (1 - probabilities))
    confidence: Floats = 1 / (1 + np.exp(-(CALIBRATION[0] + CALIBRATION[1] * log_odds)))
    return confidence


MIN_TITLE_SIMILARITY = 0.45  # soft cosine; titles with less are not scored
TITLE_MAX_DAYS = 14.0
DECIMALS = 4  # logarithms may differ between machines beyond these
# The features of the title model and their weights, fitted by tools/fit_title_event_score.py.
TITLE_WEIGHTS = {
    "soft": 3.611,  # the soft cosine
    "words": 0.204,  # the soft cosine times the words of the shorter title
    "fronts": -0.071,  # the weight of the first terms that the other lacks, the smaller
    "stages": -0.351,  # words for a stage or a side in only one of the titles
    "figures": -0.556,  # facts of the title with fewer
    "agreement": 1.694,  # whether any fact agrees, 0 or 1
    "timed": 1.723,  # whether both times are known, 0 or 1, and
    "days": -2.277,  # ln(1 + the days between)
}
TITLE_BIAS = -3.237
_TITLE_WEIGHTS = np.array([*TITLE_WEIGHTS.values()])


def title_event_scores(pairs: RowPairs, evidence: EvidenceTable) -> Floats:
    """The event score of two titles, 0..1; NaN where they share too little."""
    scores = np.full(len(pairs), np.nan)
    (places,) = np.nonzero(evidence.title_soft >= MIN_TITLE_SIMILARITY)
    if len(places):
        features = title_event_features(pairs, evidence, places)
        probabilities = 1 / (1 + np.exp(-TITLE_BIAS - features @ _TITLE_WEIGHTS))
        scores[places] = np.round(probabilities, DECIMALS)
    return scores


def title_event_features(pairs: RowPairs, evidence: EvidenceTable, places: Rows) -> Floats:
    """The features of the title model, a row for each of the pairs at these places."""
    chosen = pairs.take(places)
    titles = [[title[:MAX_CHARS] for title in side] for side in chosen.texts("title")]
    similarity, hours_apart = evidence.title_soft[places], evidence.hours_apart[places]
    stages = ((a.stages, b.stages) for a, b in chosen.fingerprints())
    return np.array(
        [
            similarity,
            similarity * np.minimum(*map(_word_counts, titles)),
            kernels.title_fronts(*titles) / 100,
            [len({*a} ^ {*b}) if a != b else 0 for a, b in stages],
            np.minimum(*chosen.numbers("facts")),
            evidence.agreements[places],
            ~np.isnan(hours_apart),
            np.log1p(np.minimum(np.nan_to_num(hours_apart) / 24, TITLE_MAX_DAYS)),
        ],
        np.float64,
    ).T


def _word_counts(titles: Sequence[str]) -> Floats:
    return np.array([min(title.count(" ") + 1, MAX_WORDS) for title in titles], np.float64)
