"""Made-up news for tests of whole stores: as many articles as wanted, the same ones every time."""

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from nearcopy import Article

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
SYLLABLES = re.findall("...", "balcordenfilgarhobjunkellammornipostpraquorossedtamurbvel")
SPREAD_HOURS = 24 * 10  # within the window of all
UNDATED = 0.1  # of the articles
FRESH = 0.55  # of the articles; the rest are something to an earlier one


def news(count: int, seed: int = 1) -> list[Article]:
    """Articles, of which nearly half are copies, excerpts, revisions and the like of others."""
    dice = random.Random(seed)
    articles: list[Article] = []
    for number in range(count):
        fresh = not articles or dice.random() < FRESH
        base = _fresh(dice) if fresh else dice.choice(CHANGES)(dice.choice(articles), dice)
        articles.append(_placed(base, number, dice))
    return articles


def shuffled(articles: list[Article], order: int) -> list[Article]:
    """The articles in another order; as they are for 0."""
    if not order:
        return articles
    return random.Random(order).sample(articles, len(articles))


def near_copies(article: Article, name: str) -> Article:
    """A near copy of an article under another id, the same one for the same name."""
    words = article.text.split()
    words[len(words) // 2] = f"said{name}"
    return replace(article, id=f"{article.id}-{name}", text=" ".join(words), url=None)


def apart(count: int, words: int = 80) -> Iterator[Article]:
    """Articles that have nothing in common."""
    for number in range(count):
        text = " ".join(f"word{number}of{place}" for place in range(words))
        yield Article(id=str(number), text=text, published=NOON, seen=NOON)


def copied(count: int, seed: int = 1) -> list[Article]:
    """As many articles, four of each text and in any order; the id begins with that of the text."""
    texts = apart(count // 4)
    articles = [
        article for one in texts for article in (one, *(near_copies(one, name) for name in "xyz"))
    ]
    return random.Random(seed).sample(articles, len(articles))


def _placed(article: Article, number: int, dice: random.Random) -> Article:
    when = NOON - dice.randrange(SPREAD_HOURS) * HOUR
    return replace(
        article,
        id=f"a{number}",
        source=f"Outlet {dice.randrange(12)}",
        published=None if dice.random() < UNDATED else when,
        seen=when + HOUR,
        tier=dice.choice([None, 1, 2, 3]),
    )


def _word(dice: random.Random) -> str:
    return "".join(dice.choices(SYLLABLES, k=dice.choice([3, 4])))


def _fresh(dice: random.Random) -> Article:
    topic = [_word(dice) for _ in range(30)]
    sentences = []
    for _ in range(dice.randrange(6, 14)):
        words = [dice.choice(topic) if dice.random() < 0.5 else _word(dice) for _ in range(12)]
        sentences.append(" ".join(words).capitalize() + f" {dice.randrange(2, 900)} percent.")
    title = " ".join(dice.sample(topic, 6)).capitalize()
    url = f"https://example.org/{dice.randrange(10**9)}" if dice.random() < 0.7 else None
    return Article(id="-", title=title, text=" ".join(sentences), url=url)


def _same_text(base: Article, _: random.Random) -> Article:
    return replace(base, url=None)


def _near_text(base: Article, dice: random.Random) -> Article:
    words = base.text.split()
    for _ in range(dice.randrange(1, 5)):
        words[dice.randrange(len(words))] = _word(dice)
    return replace(base, url=None, text=" ".join(words))


def _same_address(base: Article, dice: random.Random) -> Article:
    return replace(base, text=base.text + " " + _fresh(dice).text[:80])


def _excerpt(base: Article, _: random.Random) -> Article:
    words = base.text.split()
    return replace(base, url=None, text=" ".join(words[: max(30, len(words) * 2 // 3)]))


def _other_figures(base: Article, dice: random.Random) -> Article:
    words = [str(dice.randrange(2, 900)) if word.isdigit() else word for word in base.text.split()]
    return replace(base, url=None, text=" ".join(words))


def _same_title(base: Article, dice: random.Random) -> Article:
    return replace(_fresh(dice), title=base.title)


CHANGES: tuple[Callable[[Article, random.Random], Article], ...] = (
    _same_text,
    _near_text,
    _near_text,
    _same_address,
    _excerpt,
    _other_figures,
    _same_title,
)
