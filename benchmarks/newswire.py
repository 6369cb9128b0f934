"""A made-up wire to fill stores with: as many articles as wanted, the same ones every time.

Texts are made of phrases and titles of snippets of real ones where ../shared/data is there, so that
words are as frequent as in news and strangers meet as often; else of made-up words by Zipf's law.
"""

import gzip
import random
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import accumulate, islice
from typing import NamedTuple

import corpora
from nearcopy import Article

NOW = datetime(2026, 6, 30, 12, tzinfo=UTC)
PHRASE_WORDS = 8
PHRASES = 50  # an article, so 400 words
MOST_PHRASES = 300_000
SOURCES = 200
COPIED = 0.1  # of the articles
RECENT = 2000  # articles that one may be a copy of
SNIPPETS = 3  # a title, of three words each
# What headlines are about moves on: snippets are of so many at a time, so many new every day.
TOPICAL, FRESH_A_DAY = 60_000, 3000
MADE_WORDS = 30_000
SYLLABLES = "ba be bo da de di fo ga ge ha ho ka ki la le lo ma mi na no pa pe ra re ri sa se ta to"


class Parts(NamedTuple):
    """What articles are put together from."""

    phrases: list[str]
    snippets: list[str]  # of titles


def wire(
    count: int,
    days: float,
    *,
    until: datetime = NOW,
    name: str = "a",
    seed: int = 6,
    phrases: int = PHRASES,
) -> Iterator[Article]:
    """Articles in the order of their dates, evenly over the days; a tenth are near copies."""
    dice, recent = random.Random(f"{seed} {name}"), deque[Article](maxlen=RECENT)
    step = timedelta(days=days) / max(1, count)
    for number in range(count):
        published = until - (count - number) * step
        copied = recent and dice.random() < COPIED
        origin = dice.choice(recent) if copied else None
        article = _copy(origin, dice) if origin else _article(dice, _day(published), phrases)
        source = dice.randrange(SOURCES)
        yield replace(
            article,
            id=f"{name}-{number}",
            url=f"https://www.outlet{source}.example/news/{published:%Y/%m/%d}/{name}-{number}",
            source=f"Outlet {source}",
            published=published,
            seen=published + timedelta(minutes=5),
        )
        if origin is None:
            recent.append(article)


def questions(
    count: int, days: float, known: list[Article], *, phrases: int = PHRASES
) -> list[Article]:
    """Articles to look up, by turns new and near copies of known ones."""
    dice = random.Random(8)
    new = wire(count, days, name="asked", phrases=phrases)
    return [
        article if place % 2 else _copied(article, dice.choice(known), dice)
        for place, article in enumerate(new)
    ]


def _copied(into: Article, origin: Article, dice: random.Random) -> Article:
    copy = _copy(origin, dice)
    return replace(into, title=copy.title, text=copy.text)


def _article(dice: random.Random, day: int, phrases: int) -> Article:
    parts = _parts()
    text = " ".join(dice.choices(parts.phrases, k=phrases))
    title = " ".join(_topical(parts.snippets, day, dice) for _ in range(SNIPPETS))
    return Article(id="-", title=title, text=text)


def _day(moment: datetime) -> int:
    return (moment - NOW).days


def _topical(snippets: list[str], day: int, dice: random.Random) -> str:
    return snippets[(day * FRESH_A_DAY + dice.randrange(TOPICAL)) % len(snippets)]


def _copy(origin: Article, dice: random.Random) -> Article:
    """The article with up to a twentieth of its words replaced, half the time under a new title."""
    text = corpora.edited(origin.text, dice.uniform(0, 0.05), dice)
    title = origin.title if dice.random() < 0.5 else corpora.edited(origin.title, 0.15, dice)
    return replace(origin, title=title, text=text)


@cache
def _parts() -> Parts:
    if not (corpora.DATA / "allsides").is_dir() or not (corpora.DATA / "headlines").is_dir():
        return _made_parts()
    words = (word for article in corpora.articles("allsides") for word in article["text"].split())
    snippets = [snippet for title in _headlines() for snippet in _snippets(title)]
    return Parts(list(islice(_joined(words), MOST_PHRASES)), snippets)


def _headlines() -> Iterator[str]:
    with gzip.open(corpora.DATA / "headlines" / "titles.txt.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            title = line.rsplit(" - ", 1)[0].strip()
            if len(title.split()) >= 6:
                yield title


def _snippets(title: str) -> list[str]:
    """The title in runs of three words, a rest of fewer left out."""
    words = title.split()
    return [" ".join(words[at : at + 3]) for at in range(0, len(words) - 2, 3)]


def _joined(words: Iterator[str]) -> Iterator[str]:
    while phrase := list(islice(words, PHRASE_WORDS)):
        yield " ".join(phrase)


def _made_parts() -> Parts:
    """The same of made-up words, the n-th of them as frequent as 1/n."""
    dice = random.Random(7)
    vocabulary = ["".join(dice.choices(SYLLABLES.split(), k=3)) for _ in range(MADE_WORDS)]
    weights = list(accumulate(1 / rank for rank in range(1, MADE_WORDS + 1)))

    def runs(count: int, length: int) -> list[str]:
        words = dice.choices(vocabulary, cum_weights=weights, k=count * length)
        return list(_joined_by(words, length))

    return Parts(runs(20_000, PHRASE_WORDS), runs(60_000, 3))


def _joined_by(words: list[str], length: int) -> Iterator[str]:
    for start in range(0, len(words), length):
        yield " ".join(words[start : start + length])
