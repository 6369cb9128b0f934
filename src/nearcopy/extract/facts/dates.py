"""Rules for dates, clock times, quarters, years, weekdays and months in a lowercase title."""

import re
from collections.abc import Iterator

from nearcopy.extract.facts import word_lists as lists
from nearcopy.extract.facts.describe import Finding
from nearcopy.extract.facts.number_parser import any_of, regex
from nearcopy.kernels.lazy_pattern import lazy_pattern

_MONTH = rf"(?P<month>{any_of(lists.MONTHS)})(?![^\W_])\.?"
_YEAR = r"(?:,? (?:de |del )?(?P<year>(?:19|20)\d\d)(?!\d))?"
DAY_MONTH = regex(
    r"(?<![\w.,$])(?P<day>\d\d?)(?:st|nd|rd|th|er|\.|º)?(?:-\d\d?\.?)? (?:of |de )?"
    rf"{_MONTH}{_YEAR}"
)
MONTH_DAY = regex(
    rf"(?<![^\W_]){_MONTH} (?P<day>\d\d?)(?:st|nd|rd|th)?(?:-\d\d?)?(?![\d:%]|[.,]\d){_YEAR}"
)
NUMERIC = regex(
    r"(?<![\w.,/$-])(?P<a>\d\d?)(?P<mark>[/.-])(?P<b>\d\d?)(?P=mark)"
    r"(?P<year>20\d\d|19\d\d|\d\d)(?![\w/-])"
)
ISO = regex(r"(?<![\w-])(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)(?![\w-])")
SHORT = regex(r"(?<![\w.,/$-])(?P<month>\d\d?)/(?P<day>\d\d?)(?:-\d\d?(?:/\d\d?)?)?(?![\w/-])")
HAN_DATE = regex(
    r"(?:(?P<year>(?:19|20)\d\d) ?[年년] ?)?(?<!\d)(?P<month>\d\d?) ?[月월] ?"
    r"(?P<day>\d\d?) ?[日号號일]"
)
FRACTIONS = frozenset(((1, 2), (1, 3), (2, 3), (1, 4), (3, 4), (1, 5), (9, 11), (7, 7), (4, 20)))
MONTH_TRIGGERS = frozenset(lists.MONTHS) | frozenset("月월")


def dates(text: str) -> Iterator[Finding]:
    """Dates, with the year if there is one."""
    for pattern in (DAY_MONTH, MONTH_DAY):
        for match in pattern.finditer(text):
            yield from _date(match, lists.MONTHS[match["month"]], int(match["day"]))
    for match in HAN_DATE.finditer(text):
        yield from _date(match, int(match["month"]), int(match["day"]))


def numeric_dates(text: str) -> Iterator[Finding]:
    """Numeric dates: 12/30/2025, 30.12.2025, 2025-12-30, 12/30."""
    for match in ISO.finditer(text):
        yield from _date(match, int(match["month"]), int(match["day"]))
    for match in NUMERIC.finditer(text):
        month, day = int(match["a"]), int(match["b"])
        if match["mark"] == "." and len(match["year"]) == 2:
            continue  # a version, more likely
        if match["mark"] == "." or month > 12:  # 30.12. is German, 30/12 British
            month, day = day, month
        yield from _date(match, month, day)
    for match in SHORT.finditer(text):
        month, day = int(match["month"]), int(match["day"])
        if (month, day) not in FRACTIONS:
            yield from _date(match, month, day)


def _date(match: re.Match[str], month: int, day: int) -> Iterator[Finding]:
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return
    year = match.groupdict().get("year")
    value = f"{month:02}-{day:02}"
    if year:
        value = f"{year if len(year) == 4 else '20' + year}-{value}"
    yield Finding("date", value, None, "", *match.span())


CLOCK = regex(
    r"(?<![\w.,:$/-])(?P<hour>\d\d?)(?:[:.h](?P<minute>[0-5]\d))? ?(?P<half>[ap])\.?m\b\.?"
    r"|(?<![\w.,:$/-])(?P<hour24>[01]?\d|2[0-4])[:h](?P<minute24>[0-5]\d)(?![\w%]|:\d|[.,]\d)"
    r"|(?<=\ue000 )(?P<hour_dot>[01]?\d|2[0-4])\.(?P<minute_dot>[0-5]\d)(?![\w%]|:\d|[.,]\d)"
)
CLOCK_TRIGGERS = frozenset(("am", "pm", "m", ":", "h")) | frozenset(lists.MONTHS)


def clocks(text: str) -> Iterator[Finding]:
    """Times of day in 24-hour form: "8pm" equals "20:00"."""
    for match in CLOCK.finditer(text):
        hour = int(match["hour"] or match["hour24"] or match["hour_dot"])
        minute = int(match["minute"] or match["minute24"] or match["minute_dot"] or 0)
        if match["half"] and not 1 <= hour <= 12:
            continue
        if match["half"]:
            hour = hour % 12 + (12 if match["half"] == "p" else 0)
        yield Finding("clock", f"{hour:02}:{minute:02}", None, "", *match.span())


_ORDER = {"first": "1", "1st": "1", "second": "2", "2nd": "2", "third": "3", "3rd": "3",
          "fourth": "4", "4th": "4"}  # fmt: skip
QUARTER = regex(
    r"(?<![\w])(?:(?P<kind>[qh])(?P<n>[1-4])|(?P<n2>[1-4])(?P<kind2>[qh])"
    rf"|(?P<word>{any_of(_ORDER)})[ -](?P<kind3>quarter|half)|(?P<fy>fy) ?(?P<fyear>(?:20)?\d\d))"
    r"(?![\w])|第(?P<han>[1-4一二三四])季"
)
QUARTER_TRIGGERS = frozenset(("q", "h", "fy", "quarter", "half", "季"))
SEASON = regex(r"(?<![\w.,/$-])(?P<from>(?:19|20)\d\d)[-–/](?P<to>\d\d(?:\d\d)?)(?![\w/-])")


def quarters(text: str) -> Iterator[Finding]:
    """Quarters, halves, and financial years: "Q3", "third-quarter", "H1", "FY26"."""
    for match in QUARTER.finditer(text):
        if match["fy"]:
            yield Finding("quarter", f"fy{match['fyear'][-2:]}", None, "fy", *match.span())
            continue
        kind = (match["kind"] or match["kind2"] or match["kind3"] or "q")[0]
        digit = match["n"] or match["n2"] or _ORDER.get(match["word"] or "") or match["han"]
        digit = str("一二三四".find(digit) + 1 or digit)
        yield Finding("quarter", kind + digit, None, kind, *match.span())


def seasons(text: str) -> Iterator[Finding]:
    """Seasons that span two years: "2025-26", "2025/2026"."""
    for match in SEASON.finditer(text):
        first, last = int(match["from"]), match["to"]
        if int(last[-2:]) == (first + 1) % 100:
            yield Finding("season", f"{first}-{last[-2:]}", None, "", *match.span())


YEAR = regex(r"(?<![\w.,$€£¥₹/])(?<!\d-)(?P<year>(?:19|20)\d\d)(?![\d%]|[.,]\d|-[\w])([年년]?)")
_AFTER = lazy_pattern(r" ?([^\W\d_]+)")
_BEFORE = lazy_pattern(r"([^\W\d_]+)[ '-]*\Z")


def years(text: str) -> Iterator[Finding]:
    """Single years, not "2000 people"."""
    for match in YEAR.finditer(text):
        after = _AFTER.match(text, match.end())
        before = _BEFORE.search(text, max(0, match.start() - 20), match.start())
        if (after and after[1] in lists.COUNTED) or (before and before[1] in lists.YEARS_IN_NAMES):
            continue
        yield Finding("year", match["year"], float(match["year"]), "", *match.span())


WEEKDAY = regex(rf"(?<![^\W_])(?P<day>{any_of(lists.WEEKDAYS)})(?![^\W_])")
# The scan splits "terca-feira" at the hyphen.
WEEKDAY_TRIGGERS = frozenset(lists.WEEKDAYS) | {"feira"}
HAN_WEEKDAY = regex(r"(?:星期|周|週|礼拜)(?P<day>[一二三四五六日天])(?!\w\w?月)")
KANA_WEEKDAY = lazy_pattern(r"(?P<day>[月火水木金土日])曜")
HAN_WEEK = frozenset("期周週拜曜")
_DAYS = {c: n for n, c in enumerate("一二三四五六日", 1)} | {"天": 7}
_DAYS |= {c: n for n, c in enumerate("月火水木金土", 1)}


def weekdays(text: str) -> Iterator[Finding]:
    """Days of the week, not "Black Friday"."""
    for match in WEEKDAY.finditer(text):
        before = _BEFORE.search(text, max(0, match.start() - 12), match.start())
        named = before is not None and before[1] in lists.NAMED_DAY_BEFORE
        if not named and not text.startswith(lists.NAMED_DAY_AFTER, match.end() + 1):
            day = _DAY_NAMES[lists.WEEKDAYS[match["day"]]]
            yield Finding("weekday", day, None, "", *match.span())


def han_weekdays(text: str) -> Iterator[Finding]:
    """Days of the week in Chinese and Japanese."""
    for pattern in (HAN_WEEKDAY, KANA_WEEKDAY):
        for match in pattern.finditer(text):
            yield Finding("weekday", _DAY_NAMES[_DAYS[match["day"]]], None, "", *match.span())


_DAY_NAMES = ["", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_SURE = any_of(set(lists.MONTHS) - lists.DOUBTFUL_MONTHS)
MONTH = regex(
    rf"(?<![^\W_])(?P<sure>{_SURE})(?![^\W_])"
    r"|(?<![^\W_])(?:in|of|since|until|by|early|late|mid) "
    rf"(?P<led>may|march)(?![^\W_])"
    rf"|(?<![^\W_])(?P<dated>{any_of(lists.DOUBTFUL_MONTHS)})\.?(?= \ue000{{4}}(?!\ue000))"
    r"|(?<!\d)(?P<han>\d\d?) ?[月월](?!曜)"
)


def months(text: str) -> Iterator[Finding]:
    """Months without a day."""
    for match in MONTH.finditer(text):
        month = int(match["han"]) if match["han"] else lists.MONTHS[match[match.lastgroup or 0]]
        if 1 <= month <= 12:
            yield Finding("month", f"{month:02}", None, "", *match.span(match.lastgroup or 0))
