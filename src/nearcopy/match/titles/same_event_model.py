"""Whether two titles report one piece of news: a few measurements, weighed by a fitted model."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nearcopy import kernels
from nearcopy.kernels.reference.titles import MAX_WORDS
from nearcopy.match.titles.similarity import MAX_CHARS
from nearcopy.models.model import Fingerprint

Side = Sequence[Fingerprint]
Floats = NDArray[np.float64]

LEAST_ALIKE = 0.45  # soft cosine; below it too little is shared to say anything
MOST_DAYS = 14.0
PLACES = 4  # logarithms of two machines may differ in the last ones


# Signs that two titles report one piece of news, or two: what the model weighs, and how much.
# Fitted by tools/fit_title_news.py.
WEIGHTS = {
    "soft": 3.611,  # the soft cosine
    "words": 0.204,  # the same, times the words of the shorter title: by chance, few share many
    "fronts": -0.071,  # the weight of the first terms that the other lacks, on the side with less
    "stages": -0.351,  # words for a stage or a side that only one of the titles has
    "figures": -0.556,  # how many facts the title has that has fewer
    "agreement": 1.694,  # whether any of them agree, 0 or 1
    "timed": 1.723,  # whether both times are known, 0 or 1, and
    "days": -2.277,  # ln(1 + the days between)
}
BIAS = -3.237
_WEIGHTS = np.array([*WEIGHTS.values()])


def title_news(
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
        place for place, cosine in enumerate(soft) if cosine is not None and cosine >= LEAST_ALIKE
    ]
    signs = news_signs(
        [left[place] for place in alike],
        [right[place] for place in alike],
        [soft[place] for place in alike],
        [agreements[place] for place in alike],
        [hours[place] for place in alike],
    )
    likely = 1 / (1 + np.exp(-BIAS - signs @ _WEIGHTS))
    for place, sure in zip(alike, np.round(likely, PLACES).tolist(), strict=True):
        scores[place] = sure
    return scores


def news_signs(
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
            np.log1p(np.minimum(np.nan_to_num(apart) / 24, MOST_DAYS)),
        ],
        np.float64,
    ).T


def _word_counts(titles: Sequence[str]) -> Floats:
    return np.array([min(title.count(" ") + 1, MAX_WORDS) for title in titles], np.float64)
