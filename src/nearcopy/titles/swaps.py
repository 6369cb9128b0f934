"""Swaps: what stands in the other's place in two titles that are else the same."""

from functools import lru_cache

from nearcopy.kernels.reference.titles import stem, weight

MOST_SWAPPED = 4
LEAST_SHARED = 2
LEAST_LETTERS = 3
RARE = 600  # of 760 hundredths: names, and words that few titles have


def swapped(a: str, b: str) -> tuple[tuple[str, str], ...]:
    """The pairs of words in which two normal titles of one length differ; none if too many do.

    >>> swapped("nordell raises dividend again", "tarvane raises dividend again")
    (('nordell', 'tarvane'),)
    """
    if a == b or a.count(" ") != b.count(" "):
        return ()
    words = list(zip(a.split(" "), b.split(" "), strict=True))
    apart = tuple(pair for pair in words if pair[0] != pair[1])
    if len(apart) > MOST_SWAPPED or len(words) - len(apart) < LEAST_SHARED:
        return ()
    return apart


def is_rare(word: str) -> bool:
    """Whether few titles have this word, as few have any name."""
    return len(word) >= LEAST_LETTERS and _weight(word) >= RARE


def is_other(a: str, b: str) -> bool:
    """Whether two words are not one word inflected or misspelt.

    >>> is_other("kabul", "quetta"), is_other("michele", "michelle"), is_other("s", "south")
    (True, False, False)
    """
    if a.startswith(b[:LEAST_LETTERS]) or b.startswith(a[:LEAST_LETTERS]):
        return False
    return not (len(a) == len(b) and a[-LEAST_LETTERS:] == b[-LEAST_LETTERS:])


@lru_cache(maxsize=65536)
def _weight(word: str) -> int:
    return weight(stem(word))
