"""The cost of stories where many articles are alike: it must grow linearly with their number.

`python benchmarks/stories.py [--articles N] [--only KIND ...] [--store ADDRESS] [--batch B]` adds
N, 2N and 4N made articles of each kind to a new store, and prints a line each: the processor time
an article, and the ratio to the time of half as many articles.
"""

import argparse
import random
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice

from nearcopy import Article, Deduper
from nearcopy.models.batches import batches

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
MAX_RATIO = 2.3  # for twice as many articles
SYLLABLES = re.findall("...", "balcordenfilgarhobjunkellammornipostpraquorossedtamurbvelwyn")
NOTICE = (
    "The weather service has issued a {colour} warning of {hazard} for {place} and the surrounding "
    "valleys from {start} until {end} o'clock. Gusts of up to {gust} kilometres an hour and {rain} "
    "millimetres of rain are expected above {height} metres. Residents of {place} should fasten "
    "loose objects, keep away from trees and scaffolding, and avoid the banks of the river. The "
    "warning was issued by the regional office in {office} and will be updated at {end} o'clock."
)
COLOURS, HAZARDS = ("yellow", "orange", "red"), ("wind", "rain", "snow", "thunderstorms", "ice")
Made = Iterator[Article]


def notices(dice: random.Random) -> Made:
    """Notices of one template, each of another place and with other figures."""
    for number in _count():
        place, office = _name(dice), _name(dice)
        figures = {
            "start": dice.randrange(1, 12),
            "end": dice.randrange(12, 24),
            "gust": dice.randrange(60, 140),
            "rain": dice.randrange(5, 90),
            "height": 100 * dice.randrange(1, 30),
        }
        colour, hazard = dice.choice(COLOURS), dice.choice(HAZARDS)
        text = NOTICE.format(place=place, office=office, colour=colour, hazard=hazard, **figures)
        yield _article(number, f"{colour.title()} warning of {hazard} for {place}", text)


def equal_titles(dice: random.Random) -> Made:
    """Articles of one title, such as a column has, over texts that have nothing in common."""
    for number in _count():
        yield _article(number, "Letters to the editor of the morning post", _words(dice, 90))


def equal_texts(dice: random.Random) -> Made:
    """Copies of one article."""
    text = _words(dice, 120)
    for number in _count():
        yield _article(number, "The lighthouse keeper retires after forty years", text)


def one_event(dice: random.Random) -> Made:
    """Reports of one event by others: its names, its words, and as many of their own."""
    names = [_name(dice) for _ in range(6)]
    facts = [_words(dice, 12) for _ in range(8)]
    for number in _count():
        told = dice.sample(facts, 5)
        own = [_words(dice, 8) for _ in range(4)]
        text = " ".join(f"{dice.choice(names)} {part}." for part in (*told, *own))
        title = " ".join([*dice.sample(names, 3), _words(dice, 3)])
        yield _article(number, title, text)


KINDS: dict[str, tuple[Callable[[random.Random], Made], int]] = {
    "notices of one template": (notices, 5_000),
    "equal titles": (equal_titles, 1_250),
    "equal texts": (equal_texts, 5_000),
    "reports of one event": (one_event, 1_250),
}


def _count() -> range:
    return range(1_000_000)


def _article(number: int, title: str, text: str) -> Article:
    published = NOON + number * timedelta(seconds=1)
    source = f"outlet{number % 97}.example"
    return Article(id=f"a{number}", title=title, text=text, source=source, published=published)


def _name(dice: random.Random) -> str:
    return "".join(dice.choices(SYLLABLES, k=3)).title()


def _words(dice: random.Random, count: int) -> str:
    return " ".join("".join(dice.choices(SYLLABLES, k=2)) for _ in range(count))


def seconds(articles: list[Article], address: str, batch: int) -> float:
    """The processor time of adding these articles to a new store."""
    with Deduper(address, clock=lambda: NOON) as deduper:
        start = time.process_time()
        for some in batches(articles, batch):
            for _ in deduper.run(some):
                pass
        return time.process_time() - start


def measure(kind: str, articles: int, store: str, batch: int) -> bool:
    """Print a line for each number of articles; whether all ratios are linear."""
    make, usual = KINDS[kind]
    before, linear = None, True
    for count in ((articles or usual) * factor for factor in (1, 2, 4)):
        with tempfile.TemporaryDirectory() as folder:
            made = list(islice(make(random.Random(7)), count))
            took = seconds(made, store.format(folder=folder), batch)
        ratio = "" if before is None else f"{took / before:6.2f} x"
        linear &= before is None or took <= MAX_RATIO * before
        print(
            f"{kind:24} {count:7,} {took:8.2f} s {1000 * took / count:8.3f} ms {ratio}", flush=True
        )
        before = took
    return linear


def main() -> int:
    """Measure the kinds asked for; 1 where one is worse than linear."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--articles", type=int, default=0, help="the smallest number of each kind")
    parser.add_argument("--only", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--store", default="memory://", help="{folder} is a temporary one")
    parser.add_argument("--batch", type=int, default=512, help="articles of one transaction")
    arguments = parser.parse_args()
    linear = [
        measure(kind, arguments.articles, arguments.store, arguments.batch)
        for kind in arguments.only
    ]
    return int(not all(linear))


if __name__ == "__main__":
    raise SystemExit(main())
