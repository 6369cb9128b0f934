"""Recurring columns: titles reused every day or week for other news; see `recurring_columns.toml`.

Live pages (updates, deals) are not among them: within a day they are one page retitled.
"""

from nearcopy.extract.word_lists import load_word_lists

MAX_WORDS = 64
_Phrases = dict[str, list[tuple[tuple[tuple[str, ...], ...], str]]]


def _phrases() -> _Phrases:
    """The columns by the first word of their phrases, each phrase in its parts."""
    by_first_word: _Phrases = {}
    for name, phrases in load_word_lists(__package__, "recurring_columns.toml").items():
        for phrase in phrases:
            parts = tuple(tuple(part.split()) for part in phrase.split(" + "))
            by_first_word.setdefault(parts[0][0], []).append((parts, name))
    return by_first_word


PHRASES = _phrases()
# The longest word of each phrase: a title with none of these is of no column.
ANCHORS = frozenset(
    max((word for part in parts for word in part), key=len)
    for phrases in PHRASES.values()
    for parts, _ in phrases
)


def recurring_column(normal: str) -> str | None:
    """The recurring column of a normalised title, or None.

    >>> recurring_column("wordle hints and answer for friday")
    'puzzle'
    """
    words = normal.split(" ", MAX_WORDS)[:MAX_WORDS]
    if ANCHORS.isdisjoint(words):
        return None
    for at, word in enumerate(words):
        for parts, name in PHRASES.get(word, ()):
            if _matches(words[at:], parts):
                return name
    return None


def _matches(words: list[str], parts: tuple[tuple[str, ...], ...]) -> bool:
    """Whether the words begin with the first part, and have the others behind it, in order."""
    at = 0
    for part in parts:
        places = range(at, len(words) - len(part) + 1) if at else (0,)
        position = next((p for p in places if tuple(words[p : p + len(part)]) == part), None)
        if position is None:
            return False
        at = position + len(part)
    return True
