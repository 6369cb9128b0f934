"""Rules for versions, places in a series, scores, ordinals, and names with numbers."""

import re
from collections.abc import Iterator

from nearcopy.extract.facts import word_lists as lists
from nearcopy.extract.facts.describe import Finding
from nearcopy.extract.facts.number_parser import (
    SPELLED,
    any_of,
    parse_chinese_integer,
    parse_index,
    regex,
)
from nearcopy.extract.word_lists import words
from nearcopy.kernels.lazy_pattern import lazy_pattern

_UNITS = "%|percent|per cent|million|billion|trillion|crore|lakh|magnitude|m|bn|points?|miles|km"
DOTTED = regex(rf"\d+\.\d+(?:\.\d+)*[a-z]?(?![\w]|%|[.,]\d|[ -]?(?:{_UNITS})(?![\w]))")
MARKED = regex(r"(?<![^\W_])v(?:ersion |er\.? ?|\.? ?)(?P<n>\d+(?:\.\d+)*[a-z]?\d*)(?![\w%])")
MODEL = regex(
    r"(?<![^\W_])(?P<name>gpt|llama|claude|gemini|grok|qwen|o)-?(?P<n>\d+(?:\.\d+)*[a-z]?)(?![\w])"
)
MODEL_TRIGGERS = words("gpt llama claude gemini grok qwen o")
VERSION_TRIGGERS = words("v version ver")
_NAME = regex(r"(?<![^\W_])([a-z][a-z]+)[ -]\Z")
THOUSANDS = lazy_pattern(r"\d{1,3}\.\d{3}")  # 1.234 may be German for 1,234
LONGEST_NAME = 20
NOT_VERSIONED = lists.NOT_VERSIONED | frozenset(lists.MONTHS)


def versions(text: str) -> Iterator[Finding]:
    """Versions that say so: "v0.40", "version 2"; not "Ajax v 3"."""
    for match in MARKED.finditer(text):
        if "." in match["n"] or match[0][1] not in " .":
            yield Finding("version", match["n"], None, "v", *match.span())


def models(text: str) -> Iterator[Finding]:
    """Versions glued to a model's name: "GPT-4o"."""
    for match in MODEL.finditer(text):
        yield Finding("version", match["n"], None, match["name"], *match.span("n"))


def dotted_versions(text: str) -> Iterator[Finding]:
    """Numbers with points behind a name, or with two points: "iOS 17.1", "1.0.2"."""
    for match in DOTTED.finditer(text):
        start = match.start()
        name = _NAME.search(text, max(0, start - LONGEST_NAME), start)
        if THOUSANDS.fullmatch(match[0]):
            continue
        if name and name[1] not in NOT_VERSIONED:
            yield Finding("version", match[0], None, name[1], *match.span())
        elif match[0].count(".") > 1 and text[max(0, start - 1) : start] in ("", " ", "("):
            yield Finding("version", match[0], None, "v", *match.span())


LETTERS, ROMAN_LETTERS = frozenset("abcdefgh"), frozenset("ivx")
_KEYS = any_of(key for key in lists.SERIES if key[0] < "\u2e80" and key != "№")
PLACE = regex(
    rf"(?<![\w-])(?P<key>{_KEYS})(?:\. ?|[ -]#?|(?=\d))"
    rf"(?P<n>\d{{1,4}}|{any_of(lists.ROMAN)}|{SPELLED}|[a-h])"
    r"(?![\w%]|:\d|[.,]\d|-\d|'s\b| ?(?:million|billion|percent))"
    r"|(?<![\w&])[#№] ?(?P<hash>\d{1,6})(?![\w%]|[.,]\d)"
    r"|(?<![\w])(?:round of|last) (?P<of>16|32|64|8)(?![\w%-]| [^\W\d_]{2,}s\b)"
)
SERIES_TRIGGERS = frozenset(lists.SERIES) | {"#", "№", "last"}
HAN_PLACE = lazy_pattern(r"第 ?(?P<n>\d{1,6}|[一二三四五六七八九十百零〇两兩]{1,6}) ?(?P<of>\w?)")
_BEFORE = lazy_pattern(r"(\w+)[ -]\Z")


def places(text: str) -> Iterator[Finding]:
    """Places in a series: "Week 4", "Series A", "#896", "No. 5", "round of 16"."""
    for match in PLACE.finditer(text):
        if match["key"]:
            yield from _start_of(match)
        elif match["hash"]:
            yield Finding("series", f"# {int(match['hash'])}", None, "#", *match.span())
        else:
            yield Finding("series", f"round of {match['of']}", None, "round of", *match.span())


def _start_of(match: re.Match[str]) -> Iterator[Finding]:
    key = "#" if "#" in match[0] else lists.SERIES[match["key"]]
    place = _index(match, key)
    named = key == "chapter" and place in (7, 11, 13)  # of American bankruptcy law
    abbreviated = key != "no" or (isinstance(place, int) and "." in match[0][:4])
    if place is not None and abbreviated and not named:
        yield Finding("series", f"{key} {place}", None, key, *match.span())


def _index(match: re.Match[str], key: str) -> int | str | None:
    """The place, or None where the word behind the key is none: "the game I love"."""
    numeral = match["n"]
    if numeral.isdecimal():
        return int(numeral)
    if numeral in LETTERS:
        return numeral if key in lists.LETTERED else None
    if numeral in ROMAN_LETTERS and key not in lists.ROMAN_ONES:
        return None
    before = _BEFORE.search(match.string, max(0, match.start() - 12), match.start())
    return None if before and before[1] in lists.NOT_A_SERIES_AFTER else parse_index(numeral)


def han_places(text: str) -> Iterator[Finding]:
    """Places in a series in Chinese and Japanese: 第12次."""
    for match in HAN_PLACE.finditer(text):
        place = int(match["n"]) if match["n"].isdecimal() else parse_chinese_integer(match["n"])
        yield Finding(
            "series", f"第 {place}", None, f"第{match['of']}", match.start(), match.end("n")
        )


_SPANS = "percent|per cent|million|billion|year|day|month|hour|minute|week"
SCORE = regex(
    r"(?<![\w.,/$:-])(?P<a>\d{1,3})(?:-| - )(?P<b>\d{1,3})"
    rf"(?![\w/%]|:\d|[.,]\d|-[\w]| ?(?:{_SPANS})s?\b)"
)


def scores(text: str) -> Iterator[Finding]:
    """Scores and votes, the larger number first, as reports name either side first."""
    for match in SCORE.finditer(text):
        high, low = sorted((int(match["a"]), int(match["b"])), reverse=True)
        if (high, low) != (50, 50):
            yield Finding("score", f"{high}-{low}", None, "", *match.span())


_SUFFIX = r"(?:st|nd|rd|th|ª|º|:e|:a|ème|e)"
ORDINAL = regex(
    rf"(?<![\w.,-])(?P<n>\d{{1,4}}){_SUFFIX}(?![\w'])"
    rf"|(?<![\w-])(?P<word>{any_of(lists.ORDINALS)}|(?:{any_of(lists.TENS)})-(?:{any_of(lists.ORDINALS)}))(?![\w'])"
)
ORDINAL_TRIGGERS = frozenset(lists.ORDINALS) | words("st nd rd th ª º ème")
_NOUN = lazy_pattern(r"[ -]?([^\W\d_]+)(?:[ -]([^\W\d_]+))?")


def ordinals(text: str) -> Iterator[Finding]:
    """Ordinals with the noun they number; "two-thirds" and "a 30-second ad" are none."""
    for match in ORDINAL.finditer(text):
        before = _BEFORE.search(text, max(0, match.start() - 12), match.start())
        if match["word"] == "second" and before and before[1].isdecimal():
            continue
        noun = _NOUN.match(text, match.end())
        about = _ordinal_noun(noun) if noun else ""
        place = int(match["n"]) if match["n"] else _order(match["word"])
        yield Finding("ordinal", str(place), float(place), about, *match.span())


def _ordinal_noun(noun: re.Match[str]) -> str:
    """What an ordinal numbers: a toll ("fifth person dies"), or the noun ("second arrest")."""
    toll = lists.TOLLS.get(noun[1]) or lists.TOLLS.get(noun[2] or "")
    return f"toll {toll}" if toll and toll != "held" else lists.singular(noun[1])


def _order(word: str) -> int:
    tens, _, ones = word.rpartition("-")
    return lists.TENS.get(tens, 0) + lists.ORDINALS[ones]


# Letters with figures, glued or by a hyphen in capitals: F-16, G7, MH370, 49ers, 792p, 5G.
CODE = regex(
    r"(?<![\w.,$€£¥₹-])(?P<letters>[A-Za-z]{1,12})\d+[A-Za-z0-9]*(?![A-Za-z0-9]|\.\d)"
    r"|(?<![\w.,$€£¥₹-])(?P<capitals>[A-Z]{1,6}|Covid|covid)-\d+[A-Za-z0-9]*(?![\w-])"
    r"|(?<![\w.,$€£¥₹/-])\d+(?P<ending>[A-Za-z]+)"
)
NUMBERED = regex(
    rf"(?<![^\W_])(?P<head>{any_of(lists.NAMED)}) (?P<n>\d{{1,4}})(?![\w%]|:\d|[.,]\d|-\d)"
)
FIXED = regex(r"(?<![\w/])(?:9/11|24/7|50/50|50-50|7/7)(?![\w/])")


def code_names(title: str) -> Iterator[Finding]:
    """Names with figures in them, which are no counts."""
    for match in CODE.finditer(title):
        ending = match["ending"]
        letters = (match["letters"] or match["capitals"] or "").lower()
        if letters in lists.LEADING if ending is None else ending.lower() in lists.ENDINGS:
            continue
        yield Finding("name", match[0].lower().replace("-", ""), None, letters, *match.span())


def numbered_names(text: str) -> Iterator[Finding]:
    """Names that a number belongs to, in lower case: "boeing 737", "formula 1"."""
    for match in NUMBERED.finditer(text):
        head, n = match["head"], match["n"]
        if len(n) < 4 or n[:2] not in ("19", "20") or head in lists.YEARS_IN_NAMES:
            yield Finding("name", f"{head} {n}", None, head, *match.span())


def numeric_names(text: str) -> Iterator[Finding]:
    """Names made of figures alone: "9/11"."""
    for match in FIXED.finditer(text):
        yield Finding("name", match[0], None, "", *match.span())
