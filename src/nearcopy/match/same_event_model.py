"""The same news in other words: how likely two articles report one thing, by what was measured.

A small logistic model, fitted by tools/fit_news.py on what people said of real pairs. Everything in
it was measured by `compare`; nothing is read from the articles.
"""

from collections.abc import Mapping, Sequence
from math import exp, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearcopy import kernels
from nearcopy.kernels.reference.titles import MAX_WORDS
from nearcopy.match.titles.similarity import MAX_CHARS
from nearcopy.models import Fingerprint

Floats = NDArray[np.float64]
DAY = 24.0
MAX_DAYS = 90.0
MIN_LOG_WORDS, MAX_LOG_WORDS = 3.0, 6.2  # ln(1 + words), from about 20 to 490

INPUTS = (
    "profile",
    "title_told",
    "terms_most",
    "terms_least",
    "same_source",
    "hours_apart",
    "words",
    "numerals_shared",
)
# What each measurement is worth, in the order of `features`.
CONSTANT = 1.488
WEIGHTS = (
    2.507,  # alike
    3.011,  # title
    -1.391,  # title squared
    1.707,  # terms_most
    3.243,  # terms_least
    -1.776,  # alike, of one source
    0.289,  # of one source
    0.292,  # both dated
    0.017,  # days
    -0.303,  # days, when alike
    -1.927,  # words
    0.184,  # words squared
    -0.444,  # figures compared
    0.468,  # figures shared
    0.757,  # facts agree
)
_WEIGHTS = np.array(WEIGHTS)
# How sure it is that two report the same news, by the score of the model.
CALIBRATION = (0.049, 1.347)


def event_features(columns_in: Mapping[str, Sequence[Any]]) -> Floats:
    """What the model reads of measurements, given by the field: a row for each pair."""
    measured = np.array([columns_in[name] for name in INPUTS], np.float64)  # None is no number
    present = ~np.isnan(measured)
    columns = dict(zip(INPUTS, np.where(present, measured, 0.0), strict=True))
    is_known = dict(zip(INPUTS, present, strict=True))
    alike, title = np.sqrt(columns["profile"]), columns["title_told"]
    days = np.log1p(np.minimum(MAX_DAYS, columns["hours_apart"] / DAY))
    words = np.clip(np.log1p(columns["words"]), MIN_LOG_WORDS, MAX_LOG_WORDS)
    same_source = columns["same_source"]
    return np.array(
        [
            alike,
            title,
            title**2,
            columns["terms_most"],
            columns["terms_least"],
            alike * same_source,
            same_source,
            is_known["hours_apart"],
            days,
            days * alike,
            words,
            words**2,
            is_known["numerals_shared"],
            columns["numerals_shared"],
            [bool(facts) for facts in columns_in["agreements"]],
        ],
        np.float64,
    ).T


def event_scores(columns: Mapping[str, Sequence[Any]]) -> list[float | None]:
    """0..1: how likely the two of each pair report the same news; None without profiles.

    Rounded, so that it is the same on every machine.
    """
    if not columns["profile"]:
        return []
    probabilities = 1 / (1 + np.exp(-(CONSTANT + event_features(columns) @ _WEIGHTS)))
    pairs = zip(columns["profile"], np.round(probabilities, 6).tolist(), strict=True)
    return [None if profile is None else likely for profile, likely in pairs]


def event_confidence(news: float) -> float:
    """0..1: of those that are as likely to report the same news, the share that do.

    >>> event_confidence(0.0) < event_confidence(0.5) < event_confidence(1.0) <= 1
    True
    """
    likely = min(max(news, 1e-6), 1 - 1e-6)
    return 1 / (1 + exp(-(CALIBRATION[0] + CALIBRATION[1] * log(likely / (1 - likely)))))


Side = Sequence[Fingerprint]
Floats = NDArray[np.float64]

MIN_TITLE_SIMILARITY = 0.45  # soft cosine; below it too little is shared to say anything
TITLE_MAX_DAYS = 14.0
DECIMALS = 4  # logarithms of two machines may differ in the last ones


# Signs that two titles report one piece of news, or two: what the model weighs, and how much.
# Fitted by tools/fit_title_news.py.
TITLE_WEIGHTS = {
    "soft": 3.611,  # the soft cosine
    "words": 0.204,  # the same, times the words of the shorter title: by chance, few share many
    "fronts": -0.071,  # the weight of the first terms that the other lacks, on the side with less
    "stages": -0.351,  # words for a stage or a side that only one of the titles has
    "figures": -0.556,  # how many facts the title has that has fewer
    "agreement": 1.694,  # whether any of them agree, 0 or 1
    "timed": 1.723,  # whether both times are known, 0 or 1, and
    "days": -2.277,  # ln(1 + the days between)
}
TITLE_BIAS = -3.237
_TITLE_WEIGHTS = np.array([*TITLE_WEIGHTS.values()])


def title_event_scores(
    left: Side,
    right: Side,
    soft: Sequence[float | None],
    agreements: Sequence[object],
    hours: Sequence[float | None],
) -> list[float | None]:
    """How sure it is that two titles report one piece of news, 0..1; None where little is alike.

    Given are of each pair the soft cosine, the facts that agree, and the hours between the two.
    """
    scores: list[float | None] = [None] * len(left)
    alike = [
        place
        for place, cosine in enumerate(soft)
        if cosine is not None and cosine >= MIN_TITLE_SIMILARITY
    ]
    signs = title_event_features(
        [left[place] for place in alike],
        [right[place] for place in alike],
        [soft[place] for place in alike],
        [agreements[place] for place in alike],
        [hours[place] for place in alike],
    )
    likely = 1 / (1 + np.exp(-TITLE_BIAS - signs @ _TITLE_WEIGHTS))
    for place, sure in zip(alike, np.round(likely, DECIMALS).tolist(), strict=True):
        scores[place] = sure
    return scores


def title_event_features(
    left: Side,
    right: Side,
    soft: Sequence[float | None],
    agreements: Sequence[object],
    hours: Sequence[float | None],
) -> Floats:
    """What the model weighs, in the order of its weights: a row for each pair."""
    titles = [a.title[:MAX_CHARS] for a in left], [b.title[:MAX_CHARS] for b in right]
    pairs = list(zip(left, right, strict=True))
    likeness = np.array(soft, np.float64)
    apart = np.array(hours, np.float64)  # None is no number
    return np.array(
        [
            likeness,
            likeness * np.minimum(*map(_word_counts, titles)),
            kernels.title_fronts(*titles) / 100,
            [len({*a.stages} ^ {*b.stages}) if a.stages != b.stages else 0 for a, b in pairs],
            [min(len(a.facts), len(b.facts)) for a, b in pairs],
            [bool(facts) for facts in agreements],
            ~np.isnan(apart),
            np.log1p(np.minimum(np.nan_to_num(apart) / 24, TITLE_MAX_DAYS)),
        ],
        np.float64,
    ).T


def _word_counts(titles: Sequence[str]) -> Floats:
    return np.array([min(title.count(" ") + 1, MAX_WORDS) for title in titles], np.float64)
