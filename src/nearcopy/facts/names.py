"""Names by their looks: capitals where a sentence has none, acronyms, letters with figures."""

import re
from collections.abc import Iterator

from nearcopy.facts.finding import Finding
from nearcopy.facts.numbers import bordered, choice
from nearcopy.facts.tables import COMMON, NAMED, YEARS_IN_NAMES, words

UPPER = "A-ZÀ-ÖØ-ÞĀČĆĎĐĒĘĚĞĪİĶĻŁŃŇŌŘŚŞŠŢŤŪŮŹŻŽΑ-ΩА-ЯЁІЇЄ"
# These begin with a capital, which is what the engine then leaps to, and look back from there.
REST = rf"(?:\.(?:[{UPPER}]\.){{1,5}}|[^\W\d_]*(?:['-][{UPPER}][^\W\d_]*)*)"
RUN = re.compile(
    rf"[{UPPER}](?<![\w'][{UPPER}]){REST}(?:(?: | al-| bin | de | van | von )[{UPPER}]{REST})*"
)
ACRONYM = re.compile(r"[A-Z](?<![\w'-][A-Z])(?:[A-Z]{1,5}|\.(?:[A-Z]\.){1,5})(?![\w-])")
LATIN = re.compile(r"[A-Za-z][A-Za-z]+")
HAN = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")

# Letters with figures, glued or by a hyphen in capitals: F-16, G7, MH370, 49ers, 792p, 5G.
CODE = bordered(
    r"(?<![\w.,$€£¥₹-])(?P<letters>[A-Za-z]{1,12})\d+[A-Za-z0-9]*(?![A-Za-z0-9]|\.\d)"
    r"|(?<![\w.,$€£¥₹-])(?P<capitals>[A-Z]{1,6}|Covid|covid)-\d+[A-Za-z0-9]*(?![\w-])"
    r"|(?<![\w.,$€£¥₹/-])\d+(?P<ending>[A-Za-z]+)"
)
GLUED = re.compile(r"[a-z]-?\d|\d[a-z]")
# Letters beside a figure that make it a sum, a date, a quarter or a count, and no name.
LEADING = words(
    "gpt llama claude gemini grok qwen o rs inr us usd eur gbp rm rmb aed no q h fy v ver ep pt "
    "week day game part round"
)
ENDINGS = words(
    "st nd rd th k m mn bn tn cr am pm x s h q ft km kg mph yr yo e er re eme bps bp pc "
    "lakh crore mln mrd"
)
NUMBERED = bordered(
    rf"(?<![^\W_])(?P<head>{choice(NAMED)}) (?P<n>\d{{1,4}})(?![\w%]|:\d|[.,]\d|-\d)"
)
FIXED = bordered(r"(?<![\w/])(?:9/11|24/7|50/50|50-50|7/7)(?![\w/])")


def coded(title: str) -> Iterator[Finding]:
    """Names with figures in them, which are no counts."""
    for found in CODE.finditer(title):
        ending = found["ending"]
        letters = (found["letters"] or found["capitals"] or "").lower()
        if letters in LEADING if ending is None else ending.lower() in ENDINGS:
            continue
        yield Finding("name", found[0].lower().replace("-", ""), None, letters, *found.span())


def numbered(text: str) -> Iterator[Finding]:
    """Names that a number belongs to, in lower case: "boeing 737", "formula 1"."""
    for found in NUMBERED.finditer(text):
        head, n = found["head"], found["n"]
        if len(n) < 4 or n[:2] not in ("19", "20") or head in YEARS_IN_NAMES:
            yield Finding("name", f"{head} {n}", None, head, *found.span())


def fixed(text: str) -> Iterator[Finding]:
    """Names made of figures alone: "9/11"."""
    for found in FIXED.finditer(text):
        yield Finding("name", found[0], None, "", *found.span())


def names(title: str) -> Iterator[Finding]:
    """The sure names of a title: capitalised runs in a sentence, else acronyms only."""
    pattern = _pattern(title)
    if pattern is None:
        return
    for found in pattern.finditer(title):
        named = found[0].lower() if pattern is LATIN else _named(found)
        if named:
            yield Finding("name", named, None, "", *found.span())


def _pattern(title: str) -> re.Pattern[str] | None:
    """What finds names here, by how the title uses its capitals."""
    if not title.isascii() and HAN.search(title):
        return LATIN
    listed = title.split()
    capitals = len([word for word in listed[1:] if word[0].isupper()])
    small = len([word for word in listed if len(word) > 3 and word.islower()])
    if capitals <= 1.5 * small:
        return RUN if listed else None
    return None if title.isupper() else ACRONYM


def _named(found: re.Match[str]) -> str:
    """The folded name, or nothing where the capital is only that of a sentence's start."""
    value = found[0].lower().replace(".", "").removesuffix("'s").removesuffix("’s")
    if " " not in value:
        alone = found.start() == 0 and not found[0].isupper()
        return "" if alone or value in COMMON or len(value) < 2 else value
    first, _, others = value.partition(" ")
    return others if first in COMMON else value
