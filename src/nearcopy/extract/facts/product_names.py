"""Names with figures in them: letters beside figures, and figures that belong to a name."""

from collections.abc import Iterator

from nearcopy.extract.facts.number_parser import bordered, choice
from nearcopy.extract.facts.span import Finding
from nearcopy.extract.facts.unit_words import NAMED, YEARS_IN_NAMES, words

# Letters with figures, glued or by a hyphen in capitals: F-16, G7, MH370, 49ers, 792p, 5G.
CODE = bordered(
    r"(?<![\w.,$€£¥₹-])(?P<letters>[A-Za-z]{1,12})\d+[A-Za-z0-9]*(?![A-Za-z0-9]|\.\d)"
    r"|(?<![\w.,$€£¥₹-])(?P<capitals>[A-Z]{1,6}|Covid|covid)-\d+[A-Za-z0-9]*(?![\w-])"
    r"|(?<![\w.,$€£¥₹/-])\d+(?P<ending>[A-Za-z]+)"
)
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
    for match in CODE.finditer(title):
        ending = match["ending"]
        letters = (match["letters"] or match["capitals"] or "").lower()
        if letters in LEADING if ending is None else ending.lower() in ENDINGS:
            continue
        yield Finding("name", match[0].lower().replace("-", ""), None, letters, *match.span())


def numbered(text: str) -> Iterator[Finding]:
    """Names that a number belongs to, in lower case: "boeing 737", "formula 1"."""
    for match in NUMBERED.finditer(text):
        head, n = match["head"], match["n"]
        if len(n) < 4 or n[:2] not in ("19", "20") or head in YEARS_IN_NAMES:
            yield Finding("name", f"{head} {n}", None, head, *match.span())


def fixed(text: str) -> Iterator[Finding]:
    """Names made of figures alone: "9/11"."""
    for match in FIXED.finditer(text):
        yield Finding("name", match[0], None, "", *match.span())
