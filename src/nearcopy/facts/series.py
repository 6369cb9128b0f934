"""Versions, places in a series, scores and ordinals in a title in lower case."""

import re
from collections.abc import Iterator

from nearcopy.facts.days import MONTHS
from nearcopy.facts.finding import Finding
from nearcopy.facts.numbers import SPELLED, bordered, choice, han, index
from nearcopy.facts.tables import (
    LETTERED,
    NOT_A_SERIES_AFTER,
    ORDINALS,
    ROMAN,
    ROMAN_ONES,
    SERIES,
    TENS,
    TOLLS,
    singular,
    words,
)

_UNITS = "%|percent|per cent|million|billion|trillion|crore|lakh|magnitude|m|bn|points?|miles|km"
DOTTED = bordered(rf"\d+\.\d+(?:\.\d+)*[a-z]?(?![\w]|%|[.,]\d|[ -]?(?:{_UNITS})(?![\w]))")
MARKED = bordered(r"(?<![^\W_])v(?:ersion |er\.? ?|\.? ?)(?P<n>\d+(?:\.\d+)*[a-z]?\d*)(?![\w%])")
MODEL = bordered(
    r"(?<![^\W_])(?P<name>gpt|llama|claude|gemini|grok|qwen|o)-?(?P<n>\d+(?:\.\d+)*[a-z]?)(?![\w])"
)
MODEL_TRIGGERS = words("gpt llama claude gemini grok qwen o")
VERSION_TRIGGERS = words("v version ver")
_NAME = bordered(r"(?<![^\W_])([a-z][a-z]+)[ -]\Z")
THOUSANDS = re.compile(r"\d{1,3}\.\d{3}")  # 1.234 may be German for 1,234
LONGEST_NAME = 20
# Words that a decimal number follows without being a version of them.
NOT_VERSIONED = words(
    "at to by from of in on over under about nearly almost than up down rises falls rose fell hits "
    "top tops above below around and or for with magnitude is was are a the some only just record "
    "least most drops jumps gains slips climbs reaches hit rate worth another plus minus"
) | frozenset(MONTHS)


def versions(text: str) -> Iterator[Finding]:
    """Versions that say so: "v0.40", "version 2"; not "Ajax v 3"."""
    for found in MARKED.finditer(text):
        if "." in found["n"] or found[0][1] not in " .":
            yield Finding("version", found["n"], None, "v", *found.span())


def models(text: str) -> Iterator[Finding]:
    """Versions glued to a model's name: "GPT-4o"."""
    for found in MODEL.finditer(text):
        yield Finding("version", found["n"], None, found["name"], *found.span("n"))


def dotted_versions(text: str) -> Iterator[Finding]:
    """Numbers with points behind a name, or with two points: "iOS 17.1", "1.0.2"."""
    for found in DOTTED.finditer(text):
        start = found.start()
        name = _NAME.search(text, max(0, start - LONGEST_NAME), start)
        if THOUSANDS.fullmatch(found[0]):
            continue
        if name and name[1] not in NOT_VERSIONED:
            yield Finding("version", found[0], None, name[1], *found.span())
        elif found[0].count(".") > 1 and text[max(0, start - 1) : start] in ("", " ", "("):
            yield Finding("version", found[0], None, "v", *found.span())


LETTERS, ROMAN_LETTERS = frozenset("abcdefgh"), frozenset("ivx")
_KEYS = choice(key for key in SERIES if key[0] < "\u2e80" and key != "№")
PLACE = bordered(
    rf"(?<![\w-])(?P<key>{_KEYS})(?:\. ?|[ -]#?|(?=\d))"
    rf"(?P<n>\d{{1,4}}|{choice(ROMAN)}|{SPELLED}|[a-h])"
    r"(?![\w%]|:\d|[.,]\d|-\d|'s\b| ?(?:million|billion|percent))"
    r"|(?<![\w&])[#№] ?(?P<hash>\d{1,6})(?![\w%]|[.,]\d)"
    r"|(?<![\w])(?:round of|last) (?P<of>16|32|64|8)(?![\w%-]| [^\W\d_]{2,}s\b)"
)
SERIES_TRIGGERS = frozenset(SERIES) | {"#", "№", "last"}
HAN_PLACE = re.compile(r"第 ?(?P<n>\d{1,6}|[一二三四五六七八九十百零〇两兩]{1,6}) ?(?P<of>\w?)")
_BEFORE = re.compile(r"(\w+)[ -]\Z")


def places(text: str) -> Iterator[Finding]:
    """Places in a series: "Week 4", "Series A", "#896", "No. 5", "round of 16"."""
    for found in PLACE.finditer(text):
        if found["key"]:
            yield from _place(found)
        elif found["hash"]:
            yield Finding("series", f"# {int(found['hash'])}", None, "#", *found.span())
        else:
            yield Finding("series", f"round of {found['of']}", None, "round of", *found.span())


def _place(found: re.Match[str]) -> Iterator[Finding]:
    key = "#" if "#" in found[0] else SERIES[found["key"]]
    place = _index(found, key)
    named = key == "chapter" and place in (7, 11, 13)  # of American bankruptcy law
    abbreviated = key != "no" or (isinstance(place, int) and "." in found[0][:4])
    if place is not None and abbreviated and not named:
        yield Finding("series", f"{key} {place}", None, key, *found.span())


def _index(found: re.Match[str], key: str) -> int | str | None:
    """The place, or None where the word behind the key is none: "the game I love"."""
    written = found["n"]
    if written.isdecimal():
        return int(written)
    if written in LETTERS:
        return written if key in LETTERED else None
    if written in ROMAN_LETTERS and key not in ROMAN_ONES:
        return None
    before = _BEFORE.search(found.string, max(0, found.start() - 12), found.start())
    return None if before and before[1] in NOT_A_SERIES_AFTER else index(written)


def han_places(text: str) -> Iterator[Finding]:
    """Places in a series in Chinese and Japanese: 第12次."""
    for found in HAN_PLACE.finditer(text):
        place = int(found["n"]) if found["n"].isdecimal() else han(found["n"])
        yield Finding(
            "series", f"第 {place}", None, f"第{found['of']}", found.start(), found.end("n")
        )


_SPANS = "percent|per cent|million|billion|year|day|month|hour|minute|week"
SCORE = bordered(
    r"(?<![\w.,/$:-])(?P<a>\d{1,3})(?:-| - )(?P<b>\d{1,3})"
    rf"(?![\w/%]|:\d|[.,]\d|-[\w]| ?(?:{_SPANS})s?\b)"
)


def scores(text: str) -> Iterator[Finding]:
    """Scores and votes, the larger figure first, since either side may tell it."""
    for found in SCORE.finditer(text):
        high, low = sorted((int(found["a"]), int(found["b"])), reverse=True)
        if (high, low) != (50, 50):
            yield Finding("score", f"{high}-{low}", None, "", *found.span())


_SUFFIX = r"(?:st|nd|rd|th|ª|º|:e|:a|ème|e)"
ORDINAL = bordered(
    rf"(?<![\w.,-])(?P<n>\d{{1,4}}){_SUFFIX}(?![\w'])"
    rf"|(?<![\w-])(?P<word>{choice(ORDINALS)}|(?:{choice(TENS)})-(?:{choice(ORDINALS)}))(?![\w'])"
)
ORDINAL_TRIGGERS = frozenset(ORDINALS) | words("st nd rd th ª º ème")
_NOUN = re.compile(r"[ -]?([^\W\d_]+)(?:[ -]([^\W\d_]+))?")


def ordinals(text: str) -> Iterator[Finding]:
    """Ordinals with the noun they number; "two-thirds" and "a 30-second ad" are none."""
    for found in ORDINAL.finditer(text):
        before = _BEFORE.search(text, max(0, found.start() - 12), found.start())
        if found["word"] == "second" and before and before[1].isdecimal():
            continue
        noun = _NOUN.match(text, found.end())
        about = _numbered(noun) if noun else ""
        place = int(found["n"]) if found["n"] else _order(found["word"])
        yield Finding("ordinal", str(place), float(place), about, *found.span())


def _numbered(noun: re.Match[str]) -> str:
    """What an ordinal numbers: a toll ("fifth person dies"), or the noun ("second arrest")."""
    toll = TOLLS.get(noun[1]) or TOLLS.get(noun[2] or "")
    return f"toll {toll}" if toll and toll != "held" else singular(noun[1])


def _order(word: str) -> int:
    tens, _, ones = word.rpartition("-")
    return TENS.get(tens, 0) + ORDINALS[ones]
