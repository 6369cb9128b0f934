"""Facts of titles in Chinese characters, added to fingerprints when two are compared.

Fingerprints hold the facts in digits, without neighbours where characters touch them. Numbers in
Chinese characters, and all neighbours, are read from the normalised title at comparison time, so
that stored fingerprints stay valid.

Rules see the shape of a title: one character per word, a blank for any other word. A number counts
only beside a unit, a measure word or a mark of its kind. Without one it is part of a word or a
name, as in 十分, 万一, 三亚 and 五一.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from nearcopy.extract.facts.describe import Finding
from nearcopy.extract.facts.number_parser import any_of, format_number, parse_chinese
from nearcopy.extract.facts.parser import GAP, MOST_FACTS, NEIGHBOURS, Facts, blank_out
from nearcopy.extract.facts.word_lists import (
    CHINESE_MEASURES,
    CHINESE_TAKING_VERBS,
    CHINESE_TOLLS,
    CURRENCY_AFTER_CHINESE,
)
from nearcopy.kernels.lazy_pattern import lazy_pattern
from nearcopy.models import Fact, Fingerprint

ONES = "一二三四五六七八九两"
DIGITS = f"{ONES}零〇"
FIGURES = f"{DIGITS}十百千万亿"
# Not "several tens", a day of the week, the eleventh of the eleventh, a grade of a school.
_N = rf"(?<![{FIGURES}第几数周期拜双初]){{0}}(?![{FIGURES}几])"
NUMERAL = _N.format(rf"(?P<n>[{FIGURES}]{{1,12}}(?:点[{DIGITS}]{{1,4}}[十百千万亿]{{0,2}})?)")
DAY = rf"[{ONES}十]{{1,3}}"
VAGUE = "[多余来]?"  # thirty and some

PERCENT = lazy_pattern(rf"百分之(?P<n>[{FIGURES}]{{1,5}}(?:点[{DIGITS}]{{1,4}})?)(?![{FIGURES}几])")
FRACTION = lazy_pattern(rf"[{FIGURES}]{{1,5}}分之[{FIGURES}]{{1,5}}")
DATE = lazy_pattern(rf"(?<![{FIGURES}])(?P<month>{DAY})月(?P<day>{DAY})[日号]")
MONTH = lazy_pattern(rf"(?<![{FIGURES}个])(?P<month>{DAY})月(?![天花])")
YEAR = lazy_pattern(rf"(?<![{FIGURES}])(?P<n>[一二][{DIGITS}]{{3}})年")
QUARTER = lazy_pattern(rf"(?<![{FIGURES}])(?P<n>[一二三四])季度")
SCORE = lazy_pattern(rf"(?<![{FIGURES}])(?P<a>[{DIGITS}十百]{{1,5}})比(?P<b>[{DIGITS}十百]{{1,5}})")
AGE = lazy_pattern(NUMERAL + "[岁歳]")
MAGNITUDE = lazy_pattern(rf"(?P<n>(?<![{FIGURES}])[{ONES}]点[{DIGITS}])级")
MONEY = lazy_pattern(
    NUMERAL + rf"{VAGUE}(?P<currency>{any_of(CURRENCY_AFTER_CHINESE)})(?![素月旦首老])"
)
LIVING = "人名死伤例"  # of which one is a count as well: "one dead"
NOT_OF_TEN = "分"  # 十分 is "very"
NOT_OF_TWO = "地市省届"  # 两地: both sides
_MEASURE_WORDS = "|".join(
    f"{word}(?![{unlike}])" if unlike else word
    for word, unlike in sorted(CHINESE_MEASURES.items(), key=lambda entry: -len(entry[0]))
)
COUNT = lazy_pattern(NUMERAL + rf"(?={VAGUE}(?P<of>{_MEASURE_WORDS}))")
TOLL = lazy_pattern(any_of(CHINESE_TOLLS))
BESIDE = {"死": "dead", "伤": "hurt"}  # right behind a figure: 三死五伤
AROUND = 10  # characters searched for the harm that a number counts
_OTHER = lazy_pattern(rf"\ue000|[{FIGURES}](?=[人名例多余死伤])")  # another figure


def percentages(shape: str) -> Iterator[Finding]:
    """Percentages: 百分之五."""
    for match in PERCENT.finditer(shape):
        yield from _amount("percent", match, "")


def fractions(shape: str) -> Iterator[Finding]:
    """Fractions; they are no counts and stay in the title."""
    for match in FRACTION.finditer(shape):
        yield Finding("", "", None, "", *match.span())


def dates(shape: str) -> Iterator[Finding]:
    """Days and months, years in four figures, and quarters."""
    for match in DATE.finditer(shape):
        month, day = _of(match["month"], 12), _of(match["day"], 31)
        if month and day:
            yield Finding("date", f"{month:02}-{day:02}", None, "", *match.span())
    for match in MONTH.finditer(shape):
        month = _of(match["month"], 12)
        if month:
            yield Finding("month", f"{month:02}", None, "", *match.span())
    for match in YEAR.finditer(shape):
        yield from _amount("year", match, "")
    for match in QUARTER.finditer(shape):
        yield Finding("quarter", f"q{_of(match['n'], 4)}", None, "q", *match.span())


def scores(shape: str) -> Iterator[Finding]:
    """Scores, the larger figure first: 三比一."""
    for match in SCORE.finditer(shape):
        sides = parse_chinese(match["a"]), parse_chinese(match["b"])
        if None not in sides:
            high, low = sorted((side or 0.0 for side in sides), reverse=True)
            score = f"{format_number(high)}-{format_number(low)}"
            yield Finding("score", score, None, "", *match.span())


def magnitudes(shape: str) -> Iterator[Finding]:
    """Earthquake magnitudes: 六点三级."""
    for match in MAGNITUDE.finditer(shape):
        yield from _amount("magnitude", match, "")


def ages(shape: str) -> Iterator[Finding]:
    """Ages: 四十二岁, not 万岁."""
    for match in AGE.finditer(shape):
        if _has_digit(match["n"]):
            yield from _amount("age", match, "year")


def money(shape: str) -> Iterator[Finding]:
    """Amounts of money with their currency; 三元 alone is usually a name."""
    for match in MONEY.finditer(shape):
        total, code = parse_chinese(match["n"]), CURRENCY_AFTER_CHINESE[match["currency"]]
        if total is not None and (len(match["n"]) > 1 or match["currency"] != "元"):
            yield Finding("money", f"{code} {format_number(total)}", total, code, *match.span())


def counts(shape: str) -> Iterator[Finding]:
    """Numbers with a measure word and what they count; for tolls, the kind of harm."""
    for match in COUNT.finditer(shape):
        amount, about = parse_chinese(match["n"]), noun_of_count(shape, *match.span())
        if amount is not None and _is_counted(match["n"], match["of"], about):
            yield Finding("count", format_number(amount), amount, about, *match.span())


def noun_of_count(shape: str, start: int, end: int) -> str:
    """What a number counts: a harm named after it or before it, or its measure word."""
    after = _OTHER.split(shape[end : end + AROUND], maxsplit=1)[0].lstrip("多余来")
    if after[:1] in BESIDE:
        return f"toll {BESIDE[after[0]]}"
    toll = TOLL.search(after)
    named = toll[0] if toll else _last_toll(shape[max(0, start - AROUND) : start])
    return f"toll {CHINESE_TOLLS[named]}" if named else _measure(after)


def _last_toll(before: str) -> str | None:
    """The harm named before a number, unless it may belong to another number there."""
    if _OTHER.search(before):
        return next((word for word in CHINESE_TAKING_VERBS if before.endswith(word)), None)
    named = [match[0] for match in TOLL.finditer(before)]
    return named[-1] if named else None


def _measure(after: str) -> str:
    return next((after[:size] for size in (2, 1) if after[:size] in CHINESE_MEASURES), "")


def _is_counted(numeral: str, of: str, about: str) -> bool:
    """Whether a short numeral is a count: not in 一起, 十分, 两地 and 千万人."""
    if numeral == "一":
        return of in LIVING and about.startswith("toll ")
    if numeral == "十":
        return of not in NOT_OF_TEN
    if numeral == "两":
        return of not in NOT_OF_TWO
    return _has_digit(numeral)


def _has_digit(numeral: str) -> bool:
    """Whether a numeral has a digit besides its scale: not 千万."""
    return any(digit in numeral for digit in f"{ONES}十")


def _amount(kind: str, match: re.Match[str], about: str) -> Iterator[Finding]:
    amount = parse_chinese(match["n"])
    if amount is not None:
        yield Finding(kind, format_number(amount), amount, about, *match.span())


def _of(numeral: str, most: int) -> int | None:
    """The number, if it is from one to the most."""
    number = parse_chinese(numeral)
    return int(number) if number is not None and 1 <= number <= most else None


# The order matters: a rule sees only what earlier rules left.
FINDERS = (percentages, fractions, dates, scores, magnitudes, ages, money, counts)


FIRST = "\u2e80"  # from here on characters are words by themselves
LONGEST = 1000  # characters of a folded title that is read, blanks between them


def add_chinese_facts(fingerprint: Fingerprint) -> Fingerprint:
    """The fingerprint with the facts in Chinese characters; most are returned unchanged.

    >>> title = "台 风 造 成 三 人 死 亡"
    >>> made = add_chinese_facts(Fingerprint(id="a", title=title, gist=title))
    >>> made.gist, [(fact.value, fact.about) for fact in made.facts]
    ('台 风 造 成 人 死 亡', [('3', 'toll dead')])
    """
    if fingerprint.gist.isascii():
        return fingerprint
    added = _read_chinese(fingerprint.title, fingerprint.gist, fingerprint.facts)
    if added is None:
        return fingerprint
    return replace(fingerprint, facts=added.facts, gist=added.remainder)


@lru_cache(maxsize=65536)
def _read_chinese(title: str, gist: str, facts: tuple[Fact, ...]) -> Facts | None:
    """The facts of the title, or None if there is nothing to add."""
    if max(gist) < FIRST or len(title) > LONGEST:
        return None
    words = _mark_gaps(title.split(" "), gist.split(" "))
    shape = "".join(word if len(word) == 1 and word >= FIRST else " " for word in words)
    findings = list(_apply_rules(shape))
    placed = _place_facts(words, shape, facts)
    if not findings and placed == facts:
        return None
    chinese = (
        Fact(*finding[:4], *_neighbours_at(words, finding.start, finding.end))
        for finding in findings
    )
    covered = {place for finding in findings for place in range(finding.start, finding.end)}
    remainder = [word for place, word in enumerate(words) if place not in covered and word != GAP]
    return Facts((*placed, *chinese)[:MOST_FACTS], " ".join(remainder))


def _mark_gaps(title: list[str], gist: list[str]) -> list[str]:
    """The words of the gist, with a gap wherever words of the title are missing."""
    marked: list[str] = []
    place = 0
    for word in title:
        if place < len(gist) and word == gist[place]:
            marked.append(word)
            place += 1
        elif marked[-1:] != [GAP]:
            marked.append(GAP)
    return marked + gist[place:]


def _apply_rules(shape: str) -> Iterator[Finding]:
    """The findings of all rules, in order."""
    for find in FINDERS:
        for finding in list(find(shape)):
            if GAP not in shape[finding.start : finding.end]:
                shape = blank_out(shape, [finding])
                if finding.kind:
                    yield finding


def _place_facts(words: list[str], shape: str, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """The facts with their neighbours, if each gap can be assigned to a fact."""
    gaps = [place for place, word in enumerate(words) if word == GAP]
    cut = [fact for fact in facts if fact.kind != "name"]
    if len(gaps) != len(cut):
        return facts
    gap = iter(gaps)
    return tuple(
        fact if fact.kind == "name" else _with_context(fact, words, shape, next(gap))
        for fact in facts
    )


def _with_context(fact: Fact, words: list[str], shape: str, place: int) -> Fact:
    """The fact with the characters beside its gap as neighbours, and what it counts."""
    if not (shape[max(0, place - 1) : place] + shape[place + 1 : place + 2]).strip():
        return fact
    before, after = _neighbours_at(words, place, place + 1)
    about = fact.about
    if fact.kind == "count" and not about.startswith("toll "):
        about = noun_of_count(shape, place, place + 1) or about
    return fact._replace(before=before, after=after, about=about)


def _neighbours_at(words: list[str], start: int, end: int) -> tuple[str, str]:
    """The words before and after a place."""
    before = [word for word in words[:start] if word != GAP][-NEIGHBOURS:]
    after = [word for word in words[end:] if word != GAP][:NEIGHBOURS]
    return " ".join(before), " ".join(after)
