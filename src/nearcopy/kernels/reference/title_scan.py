"""What titles show at a glance: the words that call for a closer look, and names.

Most titles have neither a figure nor a word that could be part of a fact, and are done with that.
"""

import re
from collections.abc import Collection, Mapping, Sequence

from nearcopy.kernels.reference.names import names

JOINED, GLUED, CENTURY, POINTED = "0-0", "a0", "20", "0.0"  # shapes of figures, seen as words
ANY = "0"
SHAPES = (
    (JOINED, re.compile(r"\d ?[-/.] ?\d")),
    (POINTED, re.compile(r"\d\.\d")),
    (CENTURY, re.compile(r"(?:19|20)\d\d")),
    (GLUED, re.compile(r"[a-z]-?\d|\d[a-z]")),
)
UNREAD = -1  # a title with letters beyond ASCII
_WORDS = re.compile(r"[a-z]+")
_DIGIT = re.compile(r"[0-9]")


class Glances:
    """What the words, signs and shapes of titles call for, as bits, and the names in them.

    `letters` has ASCII for other characters, one for one; `longest` characters of a title are
    read, and `most` names of it are given.
    """

    def __init__(
        self,
        calls: Mapping[str, int],
        common: Collection[str],
        letters: Mapping[int, str],
        *,
        longest: int,
        most: int,
    ) -> None:
        self._calls, self._common, self._letters = calls, frozenset(common), dict(letters)
        self._longest, self._most = longest, most

    def read(self, titles: Sequence[str]) -> tuple[list[int], list[tuple[str, ...]]]:
        """What each title calls for, UNREAD where it is not in ASCII, and its names."""
        read = [self._read(title[: self._longest].translate(self._letters)) for title in titles]
        return [calls for calls, _ in read], [found for _, found in read]

    def names(self, text: str) -> list[tuple[str, int, int]]:
        """The names of a text as it stands, and where."""
        return list(names(text, self._common))

    def _read(self, text: str) -> tuple[int, tuple[str, ...]]:
        if not text.isascii():
            return UNREAD, ()
        found = [name for name, _, _ in self.names(text)]
        return self._called(text.lower()), tuple(found[: self._most])

    def _called(self, lower: str) -> int:
        seen = set(_WORDS.findall(lower))
        if _DIGIT.search(lower):
            seen.update(c for c in lower if not c.isalpha())
            seen.update(shape for shape, pattern in SHAPES if pattern.search(lower))
            seen.add(ANY)
        called = 0
        for word in seen:
            called |= self._calls.get(word, 0)
        return called
