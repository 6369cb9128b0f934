"""Names by their looks: capitals where a sentence has none, and acronyms."""

import re
from collections.abc import Collection, Iterator

UPPER = "A-ZÀ-ÖØ-ÞĀČĆĎĐĒĘĚĞĪİĶĻŁŃŇŌŘŚŞŠŢŤŪŮŹŻŽΑ-ΩА-ЯЁІЇЄ"
# These begin with a capital, which is what the engine then leaps to, and look back from there.
REST = rf"(?:\.(?:[{UPPER}]\.){{1,5}}|[^\W\d_]*(?:['-][{UPPER}][^\W\d_]*)*)"
RUN = re.compile(
    rf"[{UPPER}](?<![\w'][{UPPER}]){REST}(?:(?: | al-| bin | de | van | von )[{UPPER}]{REST})*"
)
ACRONYM = re.compile(r"[A-Z](?<![\w'-][A-Z])(?:[A-Z]{1,5}|\.(?:[A-Z]\.){1,5})(?![\w-])")
LATIN = re.compile(r"[A-Za-z][A-Za-z]+")
HAN = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def names(title: str, common: Collection[str]) -> Iterator[tuple[str, int, int]]:
    """The sure names of a title, folded, and where: capitalised runs in a sentence, else acronyms.

    >>> list(names("Mayor of Springfield meets Jane Doe", {"mayor"}))
    [('springfield', 9, 20), ('jane doe', 27, 35)]
    """
    pattern = _pattern(title)
    if pattern is None:
        return
    for found in pattern.finditer(title):
        named = found[0].lower() if pattern is LATIN else _named(found, common)
        if named:
            yield named, *found.span()


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


def _named(found: re.Match[str], common: Collection[str]) -> str:
    """The folded name, or nothing where the capital is only that of a sentence's start."""
    value = found[0].lower().replace(".", "").removesuffix("'s").removesuffix("’s")
    if " " not in value:
        alone = found.start() == 0 and not found[0].isupper()
        return "" if alone or value in common or len(value) < 2 else value
    first, _, others = value.partition(" ")
    return others if first in common else value
