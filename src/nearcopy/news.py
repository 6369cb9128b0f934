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
CONSTANT = 1.262
WORTH = (
    2.481,  # alike
    2.526,  # title
    -1.269,  # title squared
    1.468,  # terms_most
    2.851,  # terms_least
    -1.804,  # alike, of one source
    0.397,  # of one source
    0.229,  # both dated
    0.034,  # days
    -0.311,  # days, when alike
    -1.692,  # words
    0.160,  # words squared
    -0.342,  # figures compared
    0.364,  # figures shared
    0.664,  # facts agree
)


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
    if e.profile is None:
        return None
    score = CONSTANT + sum(x * worth for x, worth in zip(features(e), WORTH, strict=True))
    return 1 / (1 + exp(-max(-MOST_SCORE, score)))
