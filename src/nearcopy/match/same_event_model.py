"""The same news in other words: how likely two articles report one thing, by what was measured.

A small logistic model, fitted by tools/fit_news.py on what people said of real pairs. Everything in
it was measured by `compare`; nothing is read from the articles.
"""

from collections.abc import Mapping, Sequence
from math import exp, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
DAY = 24.0
MOST_DAYS = 90.0
LEAST_WORDS, MOST_WORDS = 3.0, 6.2  # ln(1 + words), from about 20 to 490

READ = (
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
WORTH = (
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
WORTHS = np.array(WORTH)
# How sure it is that two report the same news, by the score of the model.
SURE = (0.049, 1.347)


def features(columns_in: Mapping[str, Sequence[Any]]) -> Floats:
    """What the model reads of measurements, given by the field: a row for each pair."""
    measured = np.array([columns_in[name] for name in READ], np.float64)  # None is no number
    present = ~np.isnan(measured)
    columns = dict(zip(READ, np.where(present, measured, 0.0), strict=True))
    is_known = dict(zip(READ, present, strict=True))
    alike, title = np.sqrt(columns["profile"]), columns["title_told"]
    days = np.log1p(np.minimum(MOST_DAYS, columns["hours_apart"] / DAY))
    words = np.clip(np.log1p(columns["words"]), LEAST_WORDS, MOST_WORDS)
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


def likelihoods(columns: Mapping[str, Sequence[Any]]) -> list[float | None]:
    """0..1: how likely the two of each pair report the same news; None without profiles.

    Rounded, so that it is the same on every machine.
    """
    if not columns["profile"]:
        return []
    probabilities = 1 / (1 + np.exp(-(CONSTANT + features(columns) @ WORTHS)))
    pairs = zip(columns["profile"], np.round(probabilities, 6).tolist(), strict=True)
    return [None if profile is None else likely for profile, likely in pairs]


def sureness(news: float) -> float:
    """0..1: of those that are as likely to report the same news, the share that do.

    >>> sureness(0.0) < sureness(0.5) < sureness(1.0) <= 1
    True
    """
    likely = min(max(news, 1e-6), 1 - 1e-6)
    return 1 / (1 + exp(-(SURE[0] + SURE[1] * log(likely / (1 - likely)))))
