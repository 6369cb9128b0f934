"""Stage words and recurring columns: what a normalised title says by single words and phrases.

Stage words distinguish two stages or sides of one story (`stage_words.toml`). A recurring column is
a title reused every day or week for other news (`recurring_columns.toml`); live pages (updates,
deals) are none: within a day they are one page retitled.
"""

from collections.abc import Iterator

from nearcopy.extract.word_lists import key_by_word, load_word_lists, words
from nearcopy.kernels.reference.titles import stem
from nearcopy.kernels.reference.words import ARTICLE

Sides = tuple[tuple[int, int], ...]  # (axis, side) of a word; some are on several axes
MAX_WORDS = 64  # of a title that are read

_LISTS = load_word_lists(__package__, "stage_words.toml")
AXES: list[list[str]] = _LISTS["axes"]  # the stages or sides of each, as lists of words
IRREGULAR_FORMS = key_by_word(_LISTS["irregular_forms"])
DISTINCTIVE_WORDS: list[str] = _LISTS["distinctive_words"]
OPINION_TAGS = words(_LISTS["opinion_tags"])


def _sides() -> dict[str, Sides]:
    """The sides of each stem that has one."""
    sides_of: dict[str, Sides] = {}
    for axis, sides in enumerate(AXES):
        for side, listed in enumerate(sides):
            for word in listed.split():
                sides_of[stem(word)] = (*sides_of.get(stem(word), ()), (axis, side))
    return sides_of


SIDES_BY_STEM = _sides()
FIRST_DISTINCTIVE = len(AXES)
SIDES_BY_LINE = {
    word: (FIRST_DISTINCTIVE + line, 0)
    for line, listed in enumerate(DISTINCTIVE_WORDS)
    for word in listed.split()
}


# What a stem may have been cut from: its endings, and the letters before them.
_ENDINGS = ("", "e", "s", "es", "ed", "eed", "ing", "eing")


def _forms(stemmed: str) -> Iterator[str]:
    """Every word with this stem."""
    bases = (stemmed, stemmed + stemmed[-1])
    forms = [base + ending for base in bases for ending in _ENDINGS]
    forms += [stemmed[:-1] + "ies", stemmed[:-1] + "ied", ARTICLE + stemmed]
    return (form for form in forms if stem(form) == stemmed)


def _sides_by_word() -> dict[str, Sides]:
    """The sides of each word that has one, in all its forms."""
    sides_of = {word: sides for stemmed, sides in SIDES_BY_STEM.items() for word in _forms(stemmed)}
    for word, meant in IRREGULAR_FORMS.items():
        sides_of[word] = SIDES_BY_STEM.get(stem(meant), ())
    for word, line in SIDES_BY_LINE.items():
        sides_of[word] = (*sides_of.get(word, ()), line)
    return {word: sides for word, sides in sides_of.items() if sides}


STAGE_WORDS = _sides_by_word()


def find_stage_words(title: str, prefix: str | None = None) -> tuple[str, ...]:
    """The stage words of a normalised title, in order; opinion is recognised by the prefix.

    >>> find_stage_words("port suspends ferry service after storm")
    ('suspends',)
    >>> find_stage_words("the port is wrong", "opinion")
    ('@opinion',)
    """
    title_words = title.split(" ", MAX_WORDS)[:MAX_WORDS]
    stage_words = tuple([word for word in title_words if word in STAGE_WORDS])
    is_opinion = prefix is not None and not OPINION_TAGS.isdisjoint(prefix.split())
    return (*stage_words, "@opinion") if is_opinion else stage_words


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
# The longest part of each phrase: a title with none of these is of no column.
ANCHORS = sorted(
    {
        max((" ".join(part) for part in parts), key=len)
        for phrases in PHRASES.values()
        for parts, _ in phrases
    }
)


def recurring_column(normal: str) -> str | None:
    """The recurring column of a normalised title, or None.

    >>> recurring_column("wordle hints and answer for friday")
    'puzzle'
    """
    words = normal.split(" ", MAX_WORDS)[:MAX_WORDS]
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
