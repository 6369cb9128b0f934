"""Rules for magnitudes, money, percentages, ages and counts in a lowercase title."""

import re
from collections.abc import Iterator
from itertools import takewhile

import nearcopy.kernels as kernels
from nearcopy.extract.facts import word_lists as lists
from nearcopy.extract.facts.describe import Finding
from nearcopy.extract.facts.number_parser import (
    NUMERAL,
    SCALE,
    SPELLED,
    any_of,
    format_number,
    numeral_pattern,
    parse_number,
    parse_spelled,
    regex,
)
from nearcopy.extract.word_lists import words
from nearcopy.kernels.lazy_pattern import lazy_pattern
from nearcopy.kernels.reference.titles import AGE as AGE_SHAPE

MAGNITUDE = regex(
    r"(?<![\w])(?:magnitude[ -](?:of )?|mag |m ?)(?P<after>\d[.,]\d)(?![\d%])(?![\w])"
    r"|(?<![\w.,])(?P<before>\d(?:[.,]\d)?)[ -]?magnitude(?![\w])|(?P<han>\d[.]\d)[级級]"
)
MAGNITUDE_TRIGGERS = frozenset(("magnitude", "mag", "m", "级", "級"))


def magnitudes(text: str) -> Iterator[Finding]:
    """Earthquake magnitudes."""
    for match in MAGNITUDE.finditer(text):
        amount = parse_number((match["after"] or match["before"] or match["han"]).replace(",", "."))
        yield Finding("magnitude", format_number(amount or 0.0), amount, "", *match.span())


_WORDS = [word for word in lists.CURRENCY_AFTER if word[0] < "\u2e80" and word[0].isalpha()]
_HAN = [word for word in lists.CURRENCY_AFTER if word[0] >= "\u2e80"]
_LETTERED = [word for word in lists.CURRENCY_BEFORE if word[-1].isalpha()]
_SYMBOLS = [word for word in lists.CURRENCY_BEFORE if not word[-1].isalpha()]
_AFTER = (
    rf"(?:(?:us |australian |canadian )?(?:{any_of(_WORDS)})(?![^\W_])|{any_of(_HAN)}|[$€£](?!\d))"
)
_AMOUNT = rf"{NUMERAL}(?: ?-?{SCALE})?(?: ?{SCALE})?"
MONEY_BEFORE = regex(
    rf"(?:(?<![^\W_])(?:{any_of(_LETTERED)})[. ]?|(?<![\w])(?:{any_of(_SYMBOLS)})|[$€£¥₹]) ?"
    rf"(?P<amount>{_AMOUNT})(?![\d])"
)
MONEY_AFTER = regex(rf"(?<![\w.,$/-])(?P<amount>{_AMOUNT})[ -]?(?P<currency>{_AFTER})")
SPELLED_MONEY = regex(
    rf"(?<![\w-])(?P<n>{SPELLED})[ -](?P<scale>{SCALE})[ -](?P<currency>{_AFTER})"
)
RUPEES = regex(
    rf"(?<![\w.,$/-])(?P<amount>{NUMERAL}(?:[ -]?k)?[ -]?(?:{any_of(lists.INDIAN)}))(?![^\W_])"
    r"(?P<noun>[ -][^\W\d_]+)?"
)
CURRENCY_TRIGGERS = frozenset(_WORDS) | frozenset(_LETTERED) | lists.CURRENCY_SIGNS
_PARTS = lazy_pattern(rf"({NUMERAL})|({SCALE})")


def money(text: str) -> Iterator[Finding]:
    """Amounts of money with their currency."""
    for match in MONEY_BEFORE.finditer(text):
        sign = text[match.start() : match.start("amount")].strip().removesuffix(".")
        yield from _sum(match, lists.CURRENCY_BEFORE.get(sign, "USD"))
    for match in MONEY_AFTER.finditer(text):
        unit = match["currency"].split()[-1]
        if unit not in lists.AMBIGUOUS_CURRENCIES or match["amount"][-1].isalpha():
            yield from _sum(match, lists.CURRENCY_AFTER[unit])


def spelled_money(text: str) -> Iterator[Finding]:
    """Amounts of money in words: "two million dollars"."""
    for match in SPELLED_MONEY.finditer(text):
        total = (parse_spelled(match["n"]) or 0) * lists.SCALES[match["scale"]]
        code = lists.CURRENCY_AFTER[match["currency"].split()[-1]]
        yield Finding("money", f"{code} {format_number(total)}", total, code, *match.span())


def rupees(text: str) -> Iterator[Finding]:
    """Crores and lakhs without a currency are rupees, unless they count people or things."""
    for match in RUPEES.finditer(text):
        if not match["noun"] or match["noun"][1:] not in lists.COUNTED_IN_LAKHS:
            yield from _sum(match, "INR")


def _sum(match: re.Match[str], currency: str) -> Iterator[Finding]:
    total = parse_scaled(match["amount"])
    if total is not None:
        start = match.start()
        end = match.end("currency") if "currency" in match.groupdict() else match.end("amount")
        yield Finding("money", f"{currency} {format_number(total)}", total, currency, start, end)


def parse_scaled(numeral: str) -> float | None:
    """The value of a numeral with its scales: "5k cr" is fifty thousand million."""
    total: float | None = None
    for figures, scale in _PARTS.findall(numeral):
        if total is None:
            total = parse_number(figures)
            if total is None:
                return None
        elif scale:
            total *= lists.SCALES[scale]
    return total


_PERCENT = (
    "(?:%|٪|percentage points?|percent|per ?cent|pct|prozent|procent|pour cent|por ciento"
    "|بالمئة|بالمائة|في المئة|प्रतिशत|फीसदी)"
)
PERCENT = regex(
    rf"(?<![\w.,$/])(?P<n>{NUMERAL})(?: ?(?:-|to) ?(?P<to>{NUMERAL}))?[ -]?{_PERCENT}(?![^\W_])"
    rf"|(?<![\w])(?P<word>{SPELLED})[ -]{_PERCENT}(?![^\W_])|百分之(?P<han>\d+)"
)
BASIS = regex(rf"(?<![\w.,$/])(?P<n>{NUMERAL})[ -]?(?:bps?|basis[ -]points?)(?![^\W_])")
PERCENT_TRIGGERS = words(
    "% ٪ percent per percentage pct prozent procent cent ciento بالمئة بالمائة المئة प्रतिशत फीसदी "
    "百"
)
BASIS_TRIGGERS = frozenset(("bps", "bp", "basis"))
LIVE = lazy_pattern(r"\blive (?:updates?|blog|coverage)|markets? wrap|\blive$")


def percentages(text: str) -> Iterator[Finding]:
    """Percentages; those of live pages are dropped, as they change through the day."""
    kind = "" if LIVE.search(text) else "percent"
    for match in PERCENT.finditer(text):
        numeral = match["n"] or match["han"]
        amount = parse_number(numeral) if numeral else float(parse_spelled(match["word"]) or 0)
        if amount is not None:
            value = format_number(amount)
            if match["to"]:
                value += "-" + format_number(parse_number(match["to"]) or 0.0)
            yield Finding(kind, value, amount, "", *match.span())


def basis_points(text: str) -> Iterator[Finding]:
    """Basis points."""
    for match in BASIS.finditer(text):
        amount = parse_number(match["n"])
        if amount is not None:
            yield Finding("basis points", format_number(amount), amount, "", *match.span())


AGE = regex(
    rf"(?<![\w.,$/])(?P<n>\d{{1,3}}|{SPELLED})[ -](?:year|yr|month|week)s?[ -]olds?(?![\w])"
    r"|(?<![\w])aged? (?P<aged>\d{1,3})(?![\d%]|[.,]\d)"
    r"|(?<![\w.,])(?P<other>\d{1,3})(?:[ -]jährige[rn]?|-årige?n?|岁|歲|歳)"
    r"|(?<=[^s] de )(?P<de>\d{1,3}) (?:ans|años|anos)(?![\w])"
)
AGE_TRIGGERS = words(
    "old olds aged age jährige jähriger jährigen ans años anos årig årige årigen 岁 歲 歳"
)
# "Ann Smith, 42, ...", "Jugendlicher (14)" and "dies at 42".
BARE_AGE = regex(
    r", (?P<comma>\d{2})(?=,|\Z)|(?<=[\w] )\((?P<bracket>\d{2})\)"
    r"|(?:dies|died|dead|death) (?:suddenly )?(?:at|aged) (?:age )?(?P<died>\d{1,3})"
    r"(?![\w%]|[.,]\d)"
)
BARE_AGE_TRIGGERS = words("dies died dead death") | {AGE_SHAPE}


def ages(text: str) -> Iterator[Finding]:
    """Ages: "42-year-old", "aged 42"."""
    for match in AGE.finditer(text):
        numeral = match["n"] or match["aged"] or match["other"] or match["de"]
        amount = int(numeral) if numeral.isdecimal() else parse_spelled(numeral)
        if amount is not None:
            unit = "month" if "month" in match[0] else "week" if "week" in match[0] else "year"
            yield Finding("age", str(amount), float(amount), unit, *match.span())


def bare_ages(text: str) -> Iterator[Finding]:
    """Ages without a unit: "Ann Smith, 42, wins", "dies at 42"."""
    for match in BARE_AGE.finditer(text):
        years = int(match["comma"] or match["bracket"] or match["died"])
        yield Finding("age", str(years), float(years), "year", *match.span(match.lastgroup or 0))


_ALONE = numeral_pattern(r"[\w.,/$€£:-]")
COUNT = regex(
    rf"(?P<n>{_ALONE})"
    rf"(?:(?: ?-?(?P<scale>{SCALE}))?(?P<plus>\+)?(?![\w%/]|:\d|[.,]\d|-\d)"
    r"|(?P<han>[万萬亿億千百])?(?=[\u2e80-\uffef]))"
)
SPELLED_COUNT = regex(rf"(?<![\w'-])(?P<word>{SPELLED})(?:[ -](?P<word_scale>{SCALE}))?(?!')")
SPELLED_TRIGGERS = frozenset(lists.NUMBERS) | frozenset(lists.TENS)
HAN = "\u2e80"
HAN_TOLLS = [toll for toll in lists.TOLLS if toll[0] >= HAN]
AROUND = 40  # characters searched for the noun that a number counts


def counts(text: str) -> Iterator[Finding]:
    """All other numbers with the noun they count; for tolls, the kind of harm."""
    for match in COUNT.finditer(text):
        amount = parse_number(match["n"])
        if amount is not None:
            amount *= lists.SCALES.get(match["scale"] or match["han"] or "", 1.0)
            before, after = _around(text, *match.span())
            ignored = match["plus"] is not None or _is_wire_mark(match, before)
            yield _count(match, amount, before, after, ignored=ignored)


def spelled_counts(text: str) -> Iterator[Finding]:
    """Counts in words: "twelve killed", not "Formula One" or "one of them"."""
    for match in SPELLED_COUNT.finditer(text):
        before, after = _around(text, *match.span())
        if before and before[-1] in lists.NAMED_ONES:
            continue
        if match["word"] != "one" or (after and after[0] in lists.COUNTED_ONES):
            amount = (parse_spelled(match["word"]) or 0) * lists.SCALES.get(
                match["word_scale"] or "", 1.0
            )
            yield _count(match, amount, before, after, ignored=False)


def _is_wire_mark(match: re.Match[str], before: list[str]) -> bool:
    """Whether the number belongs to a wire tag ("UPDATE 2-") or to a name."""
    if not before:
        return False
    return before[-1] in lists.NAMED or (
        before[-1] in lists.WIRE_MARKS and match.string[match.end() :][:1] == "-"
    )


def _around(text: str, start: int, end: int) -> tuple[list[str], list[str]]:
    """The words of the same clause before and after a span."""
    return kernels.clause_words(text, start, end, reach=AROUND, before=6, after=5)


def _count(
    match: re.Match[str], amount: float, before: list[str], after: list[str], *, ignored: bool
) -> Finding:
    noun = next((word for word in after if word not in lists.MODIFIERS), "")
    toll = _toll(before, after)
    ignored = ignored or not lists.COUNTERS.isdisjoint(after)
    about = f"toll {toll}" if toll else "" if noun in lists.COMMON else lists.singular(noun)
    return Finding("" if ignored else "count", format_number(amount), amount, about, *match.span())


def _toll(before: list[str], after: list[str]) -> str | None:
    """The kind of harm that a number counts: named after it ("12 killed"), or else before it."""
    clause = takewhile(lambda word: word not in lists.BREAKS, reversed(before))
    for word in (*after[:4], *clause):  # not "dead after 2 boats collide"
        if word in lists.TOLLS:
            return lists.TOLLS[word]
        if word[0] >= HAN:
            return next((lists.TOLLS[toll] for toll in HAN_TOLLS if toll in word), None)
    return None
