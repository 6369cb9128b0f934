"""The parser of titles: rules in a fixed order, each claiming the spans of the facts it finds.

A scan of the words of a title selects the rules that can find anything, so that most titles are
read without running one.
"""

import re
from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

import nearcopy.kernels as kernels
from nearcopy.extract.facts import dates, quantities
from nearcopy.extract.facts import versions_and_names as names
from nearcopy.extract.facts.describe import Finding, Rule
from nearcopy.extract.facts.number_parser import LETTERS_OF_WORDS
from nearcopy.extract.facts.word_lists import COMMON, INDIAN, NAMED, ROMAN
from nearcopy.kernels.lazy_pattern import lazy_pattern
from nearcopy.kernels.reference.titles import (
    ANY,
    CENTURY,
    CLOCK,
    GLUED,
    JOINED,
    NOT_ASCII,
    POINTED,
    SHAPES,
)
from nearcopy.models import Fact

LONGEST_TITLE = 500  # characters of a title that are read
MOST_FACTS = 32  # kept per title, the first ones; all are cut from the remainder
NEIGHBOURS = 3
GAP = "\ue000"  # fills the span of a fact, so that no other rule matches across it


class Facts(NamedTuple):
    """The facts of a title by position, and the title without them (names stay)."""

    facts: tuple[Fact, ...]
    remainder: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names among the facts."""
        return tuple([fact.value for fact in self.facts if fact.kind == "name"])

    @property
    def figures(self) -> tuple[Fact, ...]:
        """The facts that can clash: all but names without a number."""
        return tuple([fact for fact in self.facts if fact.kind != "name" or fact.about])


class TitleFacts(NamedTuple):
    """Facts of many titles in columns: figures, names, and the titles without figures."""

    figures: list[tuple[Fact, ...]]
    names: list[tuple[str, ...]]
    remainders: list[str]


# The order matters: a rule sees only what earlier rules left.
RULES = (
    Rule(names.VERSION_TRIGGERS, names.versions),
    Rule(names.MODEL_TRIGGERS, names.models),
    Rule(dates.MONTH_TRIGGERS, dates.dates),
    Rule(frozenset((JOINED,)), names.numeric_names),
    Rule(frozenset((JOINED,)), dates.numeric_dates),
    Rule(frozenset((POINTED,)), names.dotted_versions),
    Rule(dates.CLOCK_TRIGGERS, dates.clocks),
    Rule(dates.QUARTER_TRIGGERS, dates.quarters, needs_digit=False),
    Rule(frozenset((JOINED,)), dates.seasons),
    Rule(quantities.MAGNITUDE_TRIGGERS, quantities.magnitudes),
    Rule(quantities.CURRENCY_TRIGGERS, quantities.money),
    Rule(quantities.CURRENCY_TRIGGERS, quantities.spelled_money, needs_digit=False),
    Rule(INDIAN, quantities.rupees),
    Rule(
        quantities.PERCENT_TRIGGERS | quantities.SPELLED_TRIGGERS,
        quantities.percentages,
        needs_digit=False,
    ),
    Rule(quantities.BASIS_TRIGGERS, quantities.basis_points),
    Rule(quantities.AGE_TRIGGERS, quantities.ages, needs_digit=False),
    Rule(quantities.BARE_AGE_TRIGGERS, quantities.bare_ages),
    Rule(names.SERIES_TRIGGERS, names.places, needs_digit=False),
    Rule(frozenset("第"), names.han_places, needs_digit=False),
    Rule(NAMED, names.numbered_names),
    Rule(frozenset((JOINED,)), names.scores),
    Rule(names.ORDINAL_TRIGGERS, names.ordinals, needs_digit=False),
    Rule(frozenset((CENTURY,)), dates.years),
    Rule(dates.WEEKDAY_TRIGGERS, dates.weekdays, needs_digit=False),
    Rule(dates.HAN_WEEK, dates.han_weekdays, needs_digit=False),
    Rule(dates.MONTH_TRIGGERS, dates.months, needs_digit=False),
    Rule(frozenset((ANY,)), quantities.counts),
    Rule(quantities.SPELLED_TRIGGERS, quantities.spelled_counts, needs_digit=False),
)
# The rules that a word or shape triggers, as a bit mask: one lookup per word instead of one per
# rule. The bits above the rules mark code names, clock times, spelled numbers, places in a series,
# and percent.
CODED, TIMED, SPELLED, PLACED, PERCENT = (1 << len(RULES) + place for place in range(5))
TRIGGERS: dict[str, int] = {GLUED: CODED, CLOCK: TIMED}
for _bit, _rule in enumerate(RULES):
    for _word in _rule.triggers:
        TRIGGERS[_word] = TRIGGERS.get(_word, 0) | 1 << _bit
for _word in quantities.SPELLED_TRIGGERS:
    TRIGGERS[_word] = TRIGGERS.get(_word, 0) | SPELLED | PLACED
for _word in (*ROMAN, *"abcdefgh"):
    TRIGGERS[_word] = TRIGGERS.get(_word, 0) | PLACED
for _word in quantities.PERCENT_TRIGGERS:
    TRIGGERS[_word] |= PERCENT
MARKS = frozenset(c for c in TRIGGERS if len(c) == 1 and not c.isalpha())


def _bits(*finds: object) -> int:
    return sum(1 << bit for bit, rule in enumerate(RULES) if rule.find in finds)


WORD_RULES = sum(1 << bit for bit, rule in enumerate(RULES) if not rule.needs_digit)
# The rules that need a digit, or a spelled number or place instead.
SPELLED_MONEY, PERCENTAGES = _bits(quantities.spelled_money), _bits(quantities.percentages)
CLOCKS = _bits(dates.clocks)
WITHOUT_SPELLED = _bits(quantities.spelled_money, quantities.percentages, quantities.ages)
WITHOUT_PLACED = _bits(names.places)
DIGIT = TRIGGERS[ANY]

# Digits and punctuation of other scripts, mapped one to one so that positions stay valid.
_TABLE = {zero + n: str(n) for zero in (0x660, 0x6F0, 0x966, 0x9E6, 0xFF10) for n in range(10)}
_TABLE |= {
    code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if not 0xFF10 <= code < 0xFF1A
}
_TABLE |= dict(zip(map(ord, "‘’“”–—"), "''\"\"-;", strict=True))
_TABLE |= {0xFFE5: "¥", 0xFFE1: "£", 0x66A: "%", 0x66B: ".", 0x66C: ",", 0xA0: " ", 0x202F: " ",
           0x2009: " ", 0x2011: "-", 0x2010: "-", 0x2212: "-", ord(GAP): " "}  # fmt: skip
_OTHER = lazy_pattern(f"[{re.escape(''.join(map(chr, _TABLE)))}]")
_LETTERS = lazy_pattern(r"[^\W\d_]+")
# Words as the rules delimit them, including the vowel signs of Hindi.
_DELIMITED = lazy_pattern(f"[{LETTERS_OF_WORDS}]+")
# Arabic trigger words, which rules also find after a prefix.
_INFIXES = tuple(word for word in TRIGGERS if any("\u0600" <= c <= "\u06ff" for c in word))
_DIGIT = lazy_pattern(r"\d")

SCANNER = kernels.TitleScanner(TRIGGERS, COMMON, _TABLE, longest=LONGEST_TITLE, most=MOST_FACTS)


def read_titles(titles: Sequence[str]) -> TitleFacts:
    """The facts of many titles, as fingerprints keep them."""
    masks, title_names = SCANNER.scan(titles)
    columns = TitleFacts(
        [()] * len(titles), title_names, [title[:LONGEST_TITLE] for title in titles]
    )
    for row, rules in enumerate(masks):
        if rules == NOT_ASCII or _possible_rules(rules):
            title = columns.remainders[row]
            text, findings = _scan_title(title, rules)
            if findings or rules == NOT_ASCII:
                facts = _to_facts(title, text, findings)
                columns.figures[row], columns.names[row] = facts.figures, facts.names
                columns.remainders[row] = facts.remainder
    return columns


def read_facts(title: str) -> Facts:
    """The facts of a title, and the title without them; names are kept.

    >>> [fact.value for fact in read_facts("UPC Volt sets up Rs 5k cr data centre").facts]
    ['upc volt', 'INR 50000000000']
    """
    masks, _ = SCANNER.scan((title,))
    title = title[:LONGEST_TITLE]
    return _to_facts(title, *_scan_title(title, masks[0]))


def _scan_title(title: str, rules: int) -> tuple[str, list[Finding]]:
    """The title with ASCII digits and punctuation, and the findings in it."""
    text = title if title.isascii() else _OTHER.sub(lambda match: _TABLE[ord(match[0])], title)
    return text, _find_all(text, _lower(text), rules)


def _to_facts(title: str, text: str, findings: list[Finding]) -> Facts:
    lower = _lower(text)
    if not findings:
        return Facts(_with_neighbours(lower, _names(text)), title)
    findings = _drop_lowercase_letters(text, findings)
    findings += _names(blank_out(text, findings))
    findings.sort(key=attrgetter("start"))
    return Facts(_with_neighbours(lower, findings), _remove_facts(title, findings))


def _names(text: str) -> list[Finding]:
    return [
        Finding("name", value, None, "", start, end)
        for value, start, end in SCANNER.find_names(text)
    ]


def _lower(text: str) -> str:
    """The text in lower case, with positions unchanged."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _find_all(text: str, lower: str, rules: int) -> list[Finding]:
    """The findings of all triggered rules."""
    rules = _matching_rules(lower, _triggered_rules(lower) if rules == NOT_ASCII else rules)
    code_names = list(names.code_names(text)) if rules & CODED else []
    return _apply_rules(blank_out(lower, code_names), rules & CODED - 1, code_names)


def _matching_rules(lower: str, rules: int) -> int:
    """The triggered rules that can match a text."""
    if not lower.isascii():
        return rules if rules & DIGIT else rules & WORD_RULES
    percent = rules & PERCENT or "%" in lower
    return _possible_rules(rules) & (-1 if percent else ~PERCENTAGES)


def _possible_rules(rules: int) -> int:
    """The triggered rules that can match an ASCII title.

    Some need a digit, a spelled number, a place, or the shape of a clock time as well.
    """
    if rules & DIGIT:
        rules &= -1 if rules & TIMED else ~CLOCKS
        return rules if rules & SPELLED else rules & ~SPELLED_MONEY
    rules &= -1 if rules & SPELLED else ~WITHOUT_SPELLED
    rules &= -1 if rules & PLACED else ~WITHOUT_PLACED
    return rules & WORD_RULES


def _triggered_rules(lower: str) -> int:
    """The rules that the words, signs and shapes of a text in any script trigger, as a bit mask."""
    words = _trigger_words(lower)
    if _DIGIT.search(lower):
        words |= MARKS.intersection(lower)
        words.update([shape for shape, pattern in SHAPES if pattern.search(lower)])
        words.add(ANY)
    rules = 0
    for word in words:
        rules |= TRIGGERS.get(word, 0)
    return rules


def _drop_lowercase_letters(text: str, findings: list[Finding]) -> list[Finding]:
    """Drop findings such as "makes the series a success": a lowercase letter is no index."""
    if text.islower() or not any(finding.kind == "series" for finding in findings):
        return findings
    return [
        finding
        for finding in findings
        if not (_is_lettered(finding) and text[finding.end - 1].islower())
    ]


def _is_lettered(finding: Finding) -> bool:
    return finding.kind == "series" and finding.value[-2] == " " and finding.value[-1].isalpha()


def _trigger_words(lower: str) -> set[str]:
    """The words of a text, and its characters in scripts without spaces."""
    if lower.isascii():
        return set(_LETTERS.findall(lower))
    words = {*_LETTERS.findall(lower), *_DELIMITED.findall(_DIGIT.sub(" ", lower))}
    words.update([word for word in _INFIXES if word in lower])
    return words | set(lower) if max(lower) >= "\u2e80" else words


def _apply_rules(lower: str, bits: int, findings: list[Finding]) -> list[Finding]:
    """The findings so far, and those of the rules in the remaining text."""
    while bits:
        lowest = bits & -bits
        bits ^= lowest
        matches = list(RULES[lowest.bit_length() - 1].find(lower))
        if matches:
            matches = _drop_overlaps(matches)
            findings += matches
        if matches and bits:
            lower = blank_out(lower, matches)
            if _DIGIT.search(lower) is None:
                bits &= WORD_RULES
    return findings


def _drop_overlaps(findings: list[Finding]) -> list[Finding]:
    """Drop findings that overlap an earlier one of the same rule."""
    if len(findings) == 1:
        return findings
    covered = bytearray(LONGEST_TITLE)
    kept: list[Finding] = []
    for finding in findings:
        span = slice(finding.start, finding.end)
        if not any(covered[span]):
            covered[span] = b"\1" * (finding.end - finding.start)
            kept.append(finding)
    return kept


def blank_out(text: str, findings: list[Finding]) -> str:
    """The text with gaps in place of the findings."""
    for finding in findings:
        start, end = finding.start, finding.end
        text = text[:start] + GAP * (end - start) + text[end:]
    return text


def _with_neighbours(lower: str, findings: list[Finding]) -> tuple[Fact, ...]:
    """The findings as facts with their neighbouring words; those without a kind are dropped."""
    spans = [(f.start, f.end) for f in findings if f.kind and f.kind != "name"]
    beside = iter(kernels.neighbours(lower, spans, NEIGHBOURS) if spans else ())
    new = tuple.__new__  # a third of the time of eight arguments
    facts: list[Fact] = []
    for kind, value, amount, about, start, end in findings:
        if kind:
            before, after = ("", "") if kind == "name" else next(beside)
            facts.append(new(Fact, (kind, value, amount, about, before, after, start, end)))
    return tuple(facts[:MOST_FACTS])


def _remove_facts(title: str, findings: list[Finding]) -> str:
    """The title without the spans of its facts; names are kept."""
    pieces, place = [], 0
    for finding in findings:
        if finding.kind != "name":
            pieces.append(title[place : finding.start])
            place = finding.end
    pieces.append(title[place:])
    return " ".join(pieces) if len(pieces) > 1 else title
