"""The same news in other words: how likely two articles report one thing, by what was measured.

A small logistic model, fitted by tools/fit_news.py on what people said of real pairs. Everything in
it is a measurement of `compare`; nothing is read from the articles.
"""

from math import exp, log1p, sqrt

from nearcopy.model import Evidence

DAY = 24.0
MOST_SCORE = 50.0  # beyond, nothing is added
MOST_DAYS = 90.0
LEAST_WORDS, MOST_WORDS = 3.0, 6.2  # ln(1 + words), from about 20 to 490

# What each measurement is worth, in the order of `features`.
CONSTANT = 1.441
WORTH = (
    2.537,  # alike
    2.935,  # title
    -1.382,  # title squared
    1.669,  # terms_most
    3.157,  # terms_least
    -1.786,  # alike, of one source
    0.307,  # of one source
    0.287,  # both dated
    0.020,  # days
    -0.309,  # days, when alike
    -1.888,  # words
    0.180,  # words squared
    -0.423,  # figures compared
    0.446,  # figures shared
    0.751,  # facts agree
)
# How sure it is that two report the same news, by the score of the model.
SURE = (0.053, 1.374)


def features(e: Evidence) -> tuple[float, ...]:
    """What the model reads of the evidence; a profile must have been compared."""
    alike = sqrt(e.profile or 0.0)
    title = e.title_told or 0.0
    dated = e.hours_apart is not None
    days = log1p(min(MOST_DAYS, (e.hours_apart or 0.0) / DAY))
    words = min(MOST_WORDS, max(LEAST_WORDS, log1p(e.words)))
    figures = e.numerals_shared is not None
    return (
        alike,
        title,
        title**2,
        e.terms_most or 0.0,
        e.terms_least or 0.0,
        alike * bool(e.same_source),
        float(bool(e.same_source)),
        float(dated),
        days,
        days * alike,
        words,
        words**2,
        float(figures),
        e.numerals_shared or 0.0,
        float(bool(e.agreements)),
    )


def news(e: Evidence) -> float | None:
    """0..1: how likely the two report the same news; None where no profiles were compared."""
    score = _score(e)
    return None if score is None else _share(score)


def sureness(e: Evidence) -> float:
    """0..1: of those that the model finds as likely, the share that do report the same news."""
    score = _score(e)
    return 0.0 if score is None else _share(SURE[0] + SURE[1] * score)


def _score(e: Evidence) -> float | None:
    if e.profile is None:
        return None
    return CONSTANT + sum(x * worth for x, worth in zip(features(e), WORTH, strict=True))


def _share(score: float) -> float:
    return 1 / (1 + exp(-max(-MOST_SCORE, score)))
