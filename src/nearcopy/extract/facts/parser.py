"""Reading a title: each kind of fact in its turn takes its span, and the rest is left."""

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from nearcopy import kernels
from nearcopy.extract.facts import dates
from nearcopy.extract.facts import product_names as names
from nearcopy.extract.facts import quantities as figures
from nearcopy.extract.facts import versions_and_scores as series
from nearcopy.extract.facts.number_parser import LETTERS_OF_WORDS
from nearcopy.extract.facts.span import Finding, Rule
from nearcopy.extract.facts.unit_words import COMMON, INDIAN, NAMED, ROMAN
from nearcopy.kernels.reference.title_scan import (
    ANY,
    CENTURY,
    GLUED,
    JOINED,
    POINTED,
    SHAPES,
    UNREAD,
)
from nearcopy.models.model import Fact

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


class Stated(NamedTuple):
    """What many titles state, a list a column: figures, names, and the titles without figures."""

    figures: list[tuple[Fact, ...]]
    names: list[tuple[str, ...]]
    rests: list[str]


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
    Rule(figures.PERCENT_TRIGGERS | figures.SPELLED_TRIGGERS, figures.percentages, figured=False),
    Rule(figures.BASIS_TRIGGERS, figures.basis_points),
    Rule(figures.AGE_TRIGGERS, figures.ages, figured=False),
    Rule(figures.BARE_AGE_TRIGGERS, figures.bare_ages),
    Rule(series.SERIES_TRIGGERS, series.places, figured=False),
    Rule(frozenset("第"), series.han_places, figured=False),
    Rule(NAMED, names.numbered),
    Rule(frozenset((JOINED,)), series.scores),
    Rule(series.ORDINAL_TRIGGERS, series.ordinals, figured=False),
    Rule(frozenset((CENTURY,)), dates.years),
    Rule(dates.WEEKDAY_TRIGGERS, dates.weekdays, figured=False),
    Rule(dates.HAN_WEEK, dates.han_weekdays, figured=False),
    Rule(dates.MONTH_TRIGGERS, dates.months, figured=False),
    Rule(frozenset((ANY,)), figures.counts),
    Rule(figures.SPELLED_TRIGGERS, figures.spelled_counts, figured=False),
)
# What words and shapes call for, as bits: the rules, and in the bits above them names with figures
# and what stands for a figure. One look-up a word instead of one a rule.
CODED, SPELLED, PLACED = (1 << len(RULES) + place for place in range(3))
CALLS: dict[str, int] = {GLUED: CODED}
for _bit, _rule in enumerate(RULES):
    for _word in _rule.triggers:
        CALLS[_word] = CALLS.get(_word, 0) | 1 << _bit
for _word in figures.SPELLED_TRIGGERS:
    CALLS[_word] = CALLS.get(_word, 0) | SPELLED | PLACED
for _word in (*ROMAN, *"abcdefgh"):
    CALLS[_word] = CALLS.get(_word, 0) | PLACED
MARKS = frozenset(c for c in CALLS if len(c) == 1 and not c.isalpha())


def _bits(*finds: object) -> int:
    return sum(1 << bit for bit, rule in enumerate(RULES) if rule.find in finds)


WORDED = sum(1 << bit for bit, rule in enumerate(RULES) if not rule.figured)
# The rules that find nothing where neither a figure nor what stands for one is.
WITHOUT_SPELLED = _bits(figures.spelled_money, figures.percentages, figures.ages)
WITHOUT_PLACED = _bits(series.places)
TELLING = WORDED | CALLS[ANY]  # without one of these no rule is called for

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
# Words as the patterns of the rules delimit them, with the vowel signs of Hindi.
_DELIMITED = re.compile(f"[{LETTERS_OF_WORDS}]+")
# Trigger words that the rules find inside longer words: Arabic ones, after a prefix.
_INFIXES = tuple(word for word in CALLS if any("\u0600" <= c <= "\u06ff" for c in word))
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")

GLANCES = kernels.Glances(CALLS, COMMON, _TABLE, longest=LONGEST_TITLE, most=MOST_FACTS)


def stated(titles: Sequence[str]) -> Stated:
    """What fingerprints keep of the facts of titles, most of which are read at a glance."""
    calls, named = GLANCES.read(titles)
    columns = Stated([()] * len(titles), named, [title[:LONGEST_TITLE] for title in titles])
    for row, called in enumerate(calls):
        if called & TELLING:
            look = _look(columns.rests[row], called)
            if look.findings or called == UNREAD:
                facts = _facts(look)
                columns.figures[row], columns.names[row] = facts.figures, facts.names
                columns.rests[row] = facts.rest
    return columns


def read(title: str) -> Facts:
    """The facts of a title, and the title with their spans cut out; names are not cut.

    >>> [fact.value for fact in read("UPC Volt sets up Rs 5k cr data centre").facts]
    ['upc volt', 'INR 50000000000']
    """
    called, _ = GLANCES.read((title,))
    return _facts(_look(title[:LONGEST_TITLE], called[0]))


class _Look(NamedTuple):
    """A title, the same in ASCII where it has any and in lower case, and what the rules found."""

    title: str
    text: str
    lower: str
    findings: list[Finding]


def _look(title: str, called: int) -> _Look:
    """What the rules find in a title, by what it calls for at a glance."""
    text = title if title.isascii() else _OTHER.sub(_in_ascii, title)
    lower = _lowered(text)
    return _Look(title, text, lower, _figures(text, lower, called))


def _facts(look: _Look) -> Facts:
    """What was found as facts, and names."""
    title, text, lower, findings = look
    if not findings:
        return Facts(_named(_names(text)), title)
    if not text.islower():
        findings = _lettered(text, findings)
    findings += _names(_blanked(text, findings))
    findings.sort(key=_place)
    return Facts(_with_neighbours(lower, findings), _rest(title, findings))


def _names(text: str) -> list[Finding]:
    return [
        Finding("name", value, None, "", start, end) for value, start, end in GLANCES.names(text)
    ]


def _in_ascii(match: re.Match[str]) -> str:
    return _TABLE[ord(match[0])]


def _named(findings: Iterable[Finding]) -> tuple[Fact, ...]:
    """Names as facts, which need no neighbours; they come in order."""
    new = tuple.__new__  # a third of the time of eight arguments
    return tuple(
        [
            new(Fact, (kind, value, amount, about, "", "", start, end))
            for kind, value, amount, about, start, end in islice(findings, MOST_FACTS)
        ]
    )


def _lowered(text: str) -> str:
    """The text in lower case, of the same length."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _figures(text: str, lower: str, called: int) -> list[Finding]:
    """All that the rules find, each in what the ones before it left."""
    if called == UNREAD:
        called = _called(lower)
    if _DIGIT.search(lower) is None:
        return _found(lower, _worded(lower, called), [])
    named = list(names.coded(text)) if called & CODED else []
    return _found(_blanked(lower, named), called & CODED - 1, named)


def _worded(lower: str, called: int) -> int:
    """The rules called for that may find something without a figure."""
    if lower.isascii():
        called &= ~0 if called & SPELLED else ~WITHOUT_SPELLED
        called &= ~0 if called & PLACED else ~WITHOUT_PLACED
    return called & WORDED


def _called(lower: str) -> int:
    """What the words of a text in any script call for, and its signs and shapes, as bits."""
    seen = _seen(lower)
    if _DIGIT.search(lower):
        seen |= MARKS.intersection(lower)
        seen.update([shape for shape, pattern in SHAPES if pattern.search(lower)])
        seen.add(ANY)
    called = 0
    for word in seen:
        called |= CALLS.get(word, 0)
    return called


def _lettered(text: str, findings: list[Finding]) -> list[Finding]:
    """The findings without "makes the series a success": a small letter among capitals."""
    return [new for new in findings if not (_by_letter(new) and text[new.end - 1].islower())]


def _by_letter(finding: Finding) -> bool:
    return finding.kind == "series" and finding.value[-2] == " " and finding.value[-1].isalpha()


def _seen(lower: str) -> set[str]:
    """The words of the text, and in scripts without spaces its characters."""
    if lower.isascii():
        return set(_LETTERS.findall(lower))
    words = {*_LETTERS.findall(lower), *_DELIMITED.findall(_DIGIT.sub(" ", lower))}
    words.update([word for word in _INFIXES if word in lower])
    return words | set(lower) if max(lower) >= "\u2e80" else words


def _found(lower: str, bits: int, findings: list[Finding]) -> list[Finding]:
    """What was found, and what the rules find in the rest."""
    while bits:
        lowest = bits & -bits
        bits ^= lowest
        new = list(RULES[lowest.bit_length() - 1].find(lower))
        if new:
            new = _apart(new)
            lower = _blanked(lower, new)
            findings += new
            if _DIGIT.search(lower) is None:
                bits &= WORDED
    return findings


def _apart(findings: list[Finding]) -> list[Finding]:
    """The findings that do not reach into an earlier one of the same rule."""
    if len(findings) == 1:
        return findings
    covered = bytearray(LONGEST_TITLE)
    kept: list[Finding] = []
    for new in findings:
        if not any(covered[new.start : new.end]):
            covered[new.start : new.end] = b"\1" * (new.end - new.start)
            kept.append(new)
    return kept


def _blanked(text: str, findings: list[Finding]) -> str:
    for finding in findings:
        start, end = finding.start, finding.end
        text = text[:start] + TAKEN * (end - start) + text[end:]
    return text


def _place(finding: Finding) -> int:
    return finding.start


def _with_neighbours(lower: str, findings: list[Finding]) -> tuple[Fact, ...]:
    """The findings of a kind as facts, with the words beside them; names need none."""
    new = tuple.__new__
    facts: list[Fact] = []
    for kind, value, amount, about, start, end in findings:
        before = after = ""
        if not kind:
            continue
        if kind != "name":
            before, after = _neighbours(lower, start, end)
        facts.append(new(Fact, (kind, value, amount, about, before, after, start, end)))
    return tuple(facts[:MOST_FACTS])


def _neighbours(lower: str, start: int, end: int) -> tuple[str, str]:
    """Up to three words on either side; one that reaches into the fact is none of them."""
    spaced = not start or lower[start - 1] == " "
    if not spaced or lower[end : end + 1] not in ("", " "):
        return _neighbours_by_place(lower, start, end)
    before = _WORD.findall(lower, 0, start)[-NEIGHBOURS:]
    return " ".join(before), " ".join(_WORD.findall(lower, end)[:NEIGHBOURS])


def _neighbours_by_place(lower: str, start: int, end: int) -> tuple[str, str]:
    spans = [match.span() for match in _WORD.finditer(lower)]
    before = [lower[s:e] for s, e in spans if e <= start]
    after = [lower[s:e] for s, e in spans if s >= end]
    return " ".join(before[-NEIGHBOURS:]), " ".join(after[:NEIGHBOURS])


def _rest(title: str, findings: list[Finding]) -> str:
    """The title without the spans of its facts, names apart."""
    pieces, place = [], 0
    for finding in findings:
        if finding.kind != "name":
            pieces.append(title[place : finding.start])
            place = finding.end
    pieces.append(title[place:])
    return " ".join(pieces) if len(pieces) > 1 else title
