"""Reading a title: each kind of fact in its turn takes its span, and the rest is left."""

import re
from bisect import bisect_left
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from nearcopy.facts import dates, figures, names, series
from nearcopy.facts.days import WEEKDAYS
from nearcopy.facts.finding import Finding, Rule
from nearcopy.facts.tables import INDIAN, NAMED, ROMAN
from nearcopy.model import Fact

LONGEST_TITLE = 500  # characters of a title that are read; what is longer is not a title
MOST_FACTS = 32  # facts of a title that are kept, the first ones; all are cut out
NEIGHBOURS = 3
TAKEN = "\ue000"  # stands where a fact was taken, so that no other rule reads across it


class Facts(NamedTuple):
    """The facts of a title in order of place, and the title without them (names stay)."""

    facts: tuple[Fact, ...]
    rest: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names among the facts."""
        return tuple([fact.value for fact in self.facts if fact.kind == "name"])

    @property
    def figures(self) -> tuple[Fact, ...]:
        """The facts that can clash: all but names without a figure."""
        return tuple([fact for fact in self.facts if fact.kind != "name" or fact.about])


JOINED, GLUED, CENTURY, POINTED = "0-0", "a0", "20", "0.0"  # shapes of figures, seen as words
ANY = "0"
# The order matters: each rule sees only what those before it have left.
RULES = (
    Rule(series.VERSION_TRIGGERS, series.versions),
    Rule(series.MODEL_TRIGGERS, series.models),
    Rule(dates.MONTH_TRIGGERS, dates.dates),
    Rule(frozenset((JOINED,)), names.fixed),
    Rule(frozenset((JOINED,)), dates.numeric_dates),
    Rule(frozenset((POINTED,)), series.dotted_versions),
    Rule(dates.CLOCK_TRIGGERS, dates.clocks),
    Rule(dates.QUARTER_TRIGGERS, dates.quarters, figured=False),
    Rule(frozenset((JOINED,)), dates.seasons),
    Rule(figures.MAGNITUDE_TRIGGERS, figures.magnitudes),
    Rule(figures.CURRENCY_TRIGGERS, figures.money),
    Rule(figures.CURRENCY_TRIGGERS, figures.spelled_money, figured=False),
    Rule(INDIAN, figures.rupees),
    Rule(figures.PERCENT_TRIGGERS, figures.percentages, figured=False),
    Rule(figures.BASIS_TRIGGERS, figures.basis_points),
    Rule(figures.AGE_TRIGGERS, figures.ages, figured=False),
    Rule(figures.BARE_AGE_TRIGGERS, figures.bare_ages),
    Rule(series.SERIES_TRIGGERS, series.places, figured=False),
    Rule(frozenset("第"), series.han_places, figured=False),
    Rule(NAMED, names.numbered),
    Rule(frozenset((JOINED,)), series.scores),
    Rule(series.ORDINAL_TRIGGERS, series.ordinals, figured=False),
    Rule(frozenset((CENTURY,)), dates.years),
    Rule(frozenset(WEEKDAYS), dates.weekdays, figured=False),
    Rule(dates.HAN_WEEK, dates.han_weekdays, figured=False),
    Rule(dates.MONTH_TRIGGERS, dates.months, figured=False),
    Rule(frozenset((ANY,)), figures.counts),
    Rule(figures.SPELLED_TRIGGERS, figures.spelled_counts, figured=False),
)
# The rules that a word triggers, as bits: one look-up a word instead of one a rule.
BITS: dict[str, int] = {}
for _bit, _rule in enumerate(RULES):
    for _word in _rule.triggers:
        BITS[_word] = BITS.get(_word, 0) | 1 << _bit
WORDED = sum(1 << bit for bit, rule in enumerate(RULES) if not rule.figured)
# What stands for a figure, and the rules that find nothing where there is neither.
SPELLED = figures.SPELLED_TRIGGERS
PLACES = SPELLED | frozenset(ROMAN) | frozenset("abcdefgh")
_SPELT = {
    SPELLED: (figures.spelled_money, figures.percentages, figures.ages),
    PLACES: (series.places,),
}
SPELT = {
    words: sum(1 << bit for bit, rule in enumerate(RULES) if rule.find in finds)
    for words, finds in _SPELT.items()
}
MARKS = frozenset(c for c in BITS if len(c) == 1 and not c.isalpha())

# Figures and marks of other scripts, one character for one, so that places stay true.
_TABLE = {zero + n: str(n) for zero in (0x660, 0x6F0, 0x966, 0x9E6, 0xFF10) for n in range(10)}
_TABLE |= {
    code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if not 0xFF10 <= code < 0xFF1A
}
_TABLE |= dict(zip(map(ord, "‘’“”–—"), "''\"\"-;", strict=True))
_TABLE |= {0xFFE5: "¥", 0xFFE1: "£", 0x66A: "%", 0x66B: ".", 0x66C: ",", 0xA0: " ", 0x202F: " ",
           0x2009: " ", 0x2011: "-", 0x2010: "-", 0x2212: "-", ord(TAKEN): " "}  # fmt: skip
_OTHER = re.compile(f"[{re.escape(''.join(map(chr, _TABLE)))}]")
_LETTERS = re.compile(r"[^\W\d_]+")
_SPACED = {code: " " for code in range(128) if not chr(code).isalpha()}
# The same for bytes, digits as 0; and the words that call for a rule even without a figure.
_PLAIN = bytes(c if chr(c).isalpha() else 48 if 48 <= c < 58 else 32 for c in range(128)) * 2
_CALLING = frozenset(word.encode() for word, bits in BITS.items() if bits & WORDED)
_DIGIT = re.compile(r"\d")
_SHAPES = (
    (JOINED, re.compile(r"\d ?[-/.] ?\d")),
    (POINTED, re.compile(r"\d\.\d")),
    (CENTURY, re.compile(r"(?:19|20)\d\d")),
    (GLUED, names.GLUED),
)
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")


def read(title: str) -> Facts:
    """The facts of a title, and the title with their spans cut out; names are not cut.

    >>> [fact.value for fact in read("UPC Volt sets up Rs 5k cr data centre").facts]
    ['upc volt', 'INR 50000000000']
    """
    title = title[:LONGEST_TITLE]
    text = title if title.isascii() else _OTHER.sub(_in_ascii, title)
    lower = _lowered(text)
    found = _figures(text, lower)
    if not found:
        return Facts(_named(names.names(text)), title)
    if not text.islower():
        found = _lettered(text, found)
    text = _blanked(text, found)
    found += names.names(text)
    found.sort(key=_place)
    return Facts(_with_neighbours(lower, found), _rest(title, found))


def _in_ascii(found: re.Match[str]) -> str:
    return _TABLE[ord(found[0])]


def _named(found: Iterable[Finding]) -> tuple[Fact, ...]:
    """Names as facts, which need no neighbours; they come in order."""
    new = tuple.__new__  # a third of the time of eight arguments
    return tuple(
        [
            new(Fact, (kind, value, amount, about, "", "", start, end))
            for kind, value, amount, about, start, end in islice(found, MOST_FACTS)
        ]
    )


def _lowered(text: str) -> str:
    """The text in lower case, of the same length."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _figures(text: str, lower: str) -> list[Finding]:
    """All that the rules find, each in what the ones before it left."""
    if lower.isascii() and _says_nothing(lower):
        return []
    seen = _seen(lower)
    if _DIGIT.search(lower) is None:
        bits = _triggered(seen) & WORDED
        if lower.isascii():
            bits &= ~(_bits_without(seen, SPELLED) | _bits_without(seen, PLACES))
        return _found(lower, bits, []) if bits else []
    seen |= MARKS.intersection(lower)
    seen.update([shape for shape, pattern in _SHAPES if pattern.search(lower)])
    seen.add(ANY)
    named: list[Finding] = []
    if GLUED in seen:
        named = list(names.coded(text))
    return _found(_blanked(lower, named), _triggered(seen), named)


def _says_nothing(lower: str) -> bool:
    """Whether an ASCII text has neither a digit nor a word that calls for a rule."""
    plain = lower.encode().translate(_PLAIN)
    return b"0" not in plain and _CALLING.isdisjoint(plain.split())


def _lettered(text: str, found: list[Finding]) -> list[Finding]:
    """The findings without "makes the series a success": a small letter among capitals."""
    return [new for new in found if not (_by_letter(new) and text[new.end - 1].islower())]


def _by_letter(found: Finding) -> bool:
    return found.kind == "series" and found.value[-2] == " " and found.value[-1].isalpha()


def _triggered(seen: set[str]) -> int:
    """The rules that these words call for."""
    bits = 0
    for word in seen:
        if word in BITS:
            bits |= BITS[word]
    return bits


def _bits_without(seen: set[str], spelt: frozenset[str]) -> int:
    """The rules that find nothing without a figure or one of these words, if none is there."""
    return SPELT[spelt] if spelt.isdisjoint(seen) else 0


def _seen(lower: str) -> set[str]:
    """The words of the text, and in scripts without spaces its characters."""
    if lower.isascii():
        return set(lower.translate(_SPACED).split())
    found = {*_LETTERS.findall(lower), *lower.split()}  # signs of Hindi vowels are no letters
    return found | set(lower) if max(lower) >= "\u2e80" else found


def _found(lower: str, bits: int, found: list[Finding]) -> list[Finding]:
    """What was found, and what the rules find in the rest."""
    while bits:
        lowest = bits & -bits
        bits ^= lowest
        new = list(RULES[lowest.bit_length() - 1].find(lower))
        if new:
            new = _apart(new)
            lower = _blanked(lower, new)
            found += new
            if _DIGIT.search(lower) is None:
                bits &= WORDED
    return found


def _apart(found: list[Finding]) -> list[Finding]:
    """The findings that do not reach into an earlier one of the same rule."""
    if len(found) == 1:
        return found
    taken = bytearray(LONGEST_TITLE)
    kept: list[Finding] = []
    for new in found:
        if not any(taken[new.start : new.end]):
            taken[new.start : new.end] = b"\1" * (new.end - new.start)
            kept.append(new)
    return kept


def _blanked(text: str, found: list[Finding]) -> str:
    for finding in found:
        start, end = finding.start, finding.end
        text = text[:start] + TAKEN * (end - start) + text[end:]
    return text


def _place(found: Finding) -> int:
    return found.start


def _with_neighbours(lower: str, found: list[Finding]) -> tuple[Fact, ...]:
    """The findings of a kind as facts, with the words beside them; names need none."""
    new = tuple.__new__
    spans = None
    facts: list[Fact] = []
    for kind, value, amount, about, start, end in found:
        before = after = ""
        if not kind:
            continue
        if kind != "name":
            if spans is None:
                spans = [match.span() for match in _WORD.finditer(lower)]
            before, after = _neighbours(lower, spans, start, end)
        facts.append(new(Fact, (kind, value, amount, about, before, after, start, end)))
    return tuple(facts[:MOST_FACTS])


def _neighbours(lower: str, spans: list[tuple[int, int]], start: int, end: int) -> tuple[str, str]:
    """Up to three words on either side."""
    first = bisect_left(spans, (start, start))
    if first and spans[first - 1][1] > start:
        first -= 1
    last = bisect_left(spans, (end, end))
    before = " ".join([lower[s:e] for s, e in spans[max(0, first - NEIGHBOURS) : first]])
    return before, " ".join([lower[s:e] for s, e in spans[last : last + NEIGHBOURS]])


def _rest(title: str, found: list[Finding]) -> str:
    """The title without the spans of its facts, names apart."""
    pieces, place = [], 0
    for finding in found:
        if finding.kind != "name":
            pieces.append(title[place : finding.start])
            place = finding.end
    pieces.append(title[place:])
    return " ".join(pieces) if len(pieces) > 1 else title
