"""Descriptions of facts in English, for explanations."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from nearcopy.extract.facts.word_lists import CURRENCY_NAMES
from nearcopy.models import Fact


class Finding(NamedTuple):
    """A fact without its neighbours. One without a kind is cut out and dropped: a live counter."""

    kind: str
    value: str
    amount: float | None
    about: str
    start: int
    end: int


Finder = Callable[[str], Iterator[Finding]]


class Rule(NamedTuple):
    """A finder of one kind of fact, and its triggers: without one of them it finds nothing."""

    triggers: frozenset[str]
    find: Finder
    needs_digit: bool = True


_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_SCALES = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))
_INDIAN = ((1e7, "crore"), (1e5, "lakh"))


def describe_fact(fact: Fact) -> str:
    """A short description of the fact.

    >>> describe_fact(Fact("money", "INR 50000000000", 5e10, "INR"))
    '5,000 crore rupees'
    >>> describe_fact(Fact("date", "2025-10-30")), describe_fact(Fact("series", "series a"))
    ('30 October 2025', 'Series A')
    """
    describe = _WORDS.get(fact.kind)
    return describe(fact) if describe else fact.value


def _money(fact: Fact) -> str:
    scales = _INDIAN if fact.about == "INR" else _SCALES
    unit = CURRENCY_NAMES.get(fact.about, fact.about)
    amount = fact.amount or 0.0
    for scale, word in scales:
        if amount >= scale:
            return f"{_figure(amount / scale)} {word} {unit}"
    return f"{_figure(amount)} {unit}"


def _figure(amount: float) -> str:
    text = f"{amount:,.2f}"
    return text.rstrip("0").rstrip(".")


def _date(fact: Fact) -> str:
    *year, month, day = fact.value.split("-")
    return " ".join((str(int(day)), _MONTHS[int(month) - 1], *year))


def _series(fact: Fact) -> str:
    key, _, place = fact.value.rpartition(" ")
    if key in ("#", "第"):
        return key + place
    return f"No. {place}" if key == "no" else f"{key} {place}".title().replace(" Of ", " of ")


def _ordinal(fact: Fact) -> str:
    n = int(fact.value)
    ending = "th" if 10 <= n % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending} {fact.about.removeprefix('toll ')}".strip()


def _count(fact: Fact) -> str:
    return f"{_figure(fact.amount or 0.0)} {fact.about.removeprefix('toll ')}".strip()


def _version(fact: Fact) -> str:
    return f"version {fact.value}" if fact.about == "v" else f"{fact.about} {fact.value}"


_WORDS: dict[str, Callable[[Fact], str]] = {
    "money": _money,
    "date": _date,
    "month": lambda fact: _MONTHS[int(fact.value) - 1],
    "series": _series,
    "ordinal": _ordinal,
    "count": _count,
    "age": lambda fact: f"{fact.value} {fact.about}s old",
    "version": _version,
    "percent": lambda fact: f"{fact.value} %",
    "basis points": lambda fact: f"{fact.value} basis points",
    "magnitude": lambda fact: f"magnitude {fact.value}",
    "weekday": lambda fact: fact.value.title(),
    "quarter": lambda fact: fact.value.upper(),
    "name": lambda fact: fact.value.title(),
}
