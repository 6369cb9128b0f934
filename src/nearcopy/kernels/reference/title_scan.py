"""The scan of titles: which fact rules their words trigger, the names in them, words of a table.

Most titles have neither a digit nor a word that could be part of a fact, and need no rule.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

JOINED, GLUED, CENTURY, POINTED = (
    "0-0",
    "a0",
    "20",
    "0.0",
)  # shapes of numbers, used as words
ANY = "0"
SHAPES = (
    (JOINED, re.compile(r"\d ?[-/.] ?\d")),
    (POINTED, re.compile(r"\d\.\d")),
    (CENTURY, re.compile(r"(?:19|20)\d\d")),
    (GLUED, re.compile(r"[a-z]-?\d|\d[a-z]")),
)
NOT_ASCII = -1  # in place of a bit mask, for titles with letters beyond ASCII
_WORDS = re.compile(r"[a-z]+")
_DIGIT = re.compile(r"[0-9]")

UPPER = "A-ZÀ-ÖØ-ÞĀČĆĎĐĒĘĚĞĪİĶĻŁŃŇŌŘŚŞŠŢŤŪŮŹŻŽΑ-ΩА-ЯЁІЇЄ"
# Both begin with a capital, so that the regex engine can skip ahead, and look back from there.
TAIL = rf"(?:\.(?:[{UPPER}]\.){{1,5}}|[^\W\d_]*(?:['-][{UPPER}][^\W\d_]*)*)"
RUN = re.compile(
    rf"[{UPPER}](?<![\w'][{UPPER}]){TAIL}(?:(?: | al-| bin | de | van | von )[{UPPER}]{TAIL})*"
)
ACRONYM = re.compile(r"[A-Z](?<![\w'-][A-Z])(?:[A-Z]{1,5}|\.(?:[A-Z]\.){1,5})(?![\w-])")
LATIN = re.compile(r"[A-Za-z][A-Za-z]+")
HAN = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")


class TitleScanner:
    """The rules that the words, signs and shapes of titles trigger, as bit masks, and the names.

    `ascii_forms` maps other characters to ASCII, one to one. `longest` characters of a title are
    read, and at most `most` names returned.
    """

    def __init__(
        self,
        triggers: Mapping[str, int],
        common: Collection[str],
        ascii_forms: Mapping[int, str],
        *,
        longest: int,
        most: int,
    ) -> None:
        self._triggers, self._common = triggers, frozenset(common)
        self._ascii_forms, self._longest, self._most = dict(ascii_forms), longest, most

    def scan(self, titles: Sequence[str]) -> tuple[list[int], list[tuple[str, ...]]]:
        """The bit mask of each title, or `NOT_ASCII`, and the names in it."""
        rows = [self._scan(title[: self._longest].translate(self._ascii_forms)) for title in titles]
        return [mask for mask, _ in rows], [names for _, names in rows]

    def find_names(self, text: str) -> list[tuple[str, int, int]]:
        """The names in a text, with their spans."""
        return list(find_names(text, self._common))

    def _scan(self, text: str) -> tuple[int, tuple[str, ...]]:
        if not text.isascii():
            return NOT_ASCII, ()
        names = [name for name, _, _ in self.find_names(text)]
        return self._mask(text.lower()), tuple(names[: self._most])

    def _mask(self, lower: str) -> int:
        words = set(_WORDS.findall(lower))
        if _DIGIT.search(lower):
            words.update(c for c in lower if not c.isalpha())
            words.update(shape for shape, pattern in SHAPES if pattern.search(lower))
            words.add(ANY)
        mask = 0
        for word in words:
            mask |= self._triggers.get(word, 0)
        return mask


def find_names(title: str, common: Collection[str]) -> Iterator[tuple[str, int, int]]:
    """The names in a title in lower case, with their spans: capitalised runs, or only acronyms.

    >>> list(find_names("Mayor of Springfield meets Jane Doe after storm", {"mayor"}))
    [('springfield', 9, 20), ('jane doe', 27, 35)]
    """
    pattern = _pattern(title)
    if pattern is None:
        return
    for match in pattern.finditer(title):
        name = match[0].lower() if pattern is LATIN else _fold_name(match, common)
        if name:
            yield name, *match.span()


def _pattern(title: str) -> re.Pattern[str] | None:
    """The pattern of names, by how the title uses capitals."""
    if not title.isascii() and HAN.search(title):
        return LATIN
    words = title.split()
    capitals = len([word for word in words[1:] if word[0].isupper()])
    small = len([word for word in words if len(word) > 3 and word.islower()])
    if capitals <= 1.5 * small:
        return RUN if words else None
    return None if title.isupper() else ACRONYM


def _fold_name(match: re.Match[str], common: Collection[str]) -> str:
    """The name in lower case; empty if the capital only begins the sentence."""
    value = match[0].lower().replace(".", "").removesuffix("'s").removesuffix("’s")
    if " " not in value:
        alone = match.start() == 0 and not match[0].isupper()
        return "" if alone or value in common or len(value) < 2 else value
    first, _, remainder = value.partition(" ")
    return remainder if first in common else value


class WordFinder:
    """Finds the words of a table in texts."""

    def __init__(self, table: Iterable[str]) -> None:
        self._words = frozenset(table)

    def find(self, texts: Sequence[str], *, most: int) -> list[tuple[str, ...]]:
        """The words of each text that are in the table, in order; words are separated by one space.

        Only the first `most` words are read.

        >>> WordFinder(["ferry", "port"]).find(["port of the ferry"], most=3)
        [('port',)]
        """
        return [
            tuple([word for word in text.split(" ", most)[:most] if word in self._words])
            for text in texts
        ]
