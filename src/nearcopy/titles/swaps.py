"""Swaps: what stands in the other's place in two titles that are else the same."""

from collections.abc import Iterable
from functools import lru_cache

from nearcopy.kernels.reference.profiles import ENTRY as PROFILE_ENTRY
from nearcopy.kernels.reference.profiles import profile_terms, term_hash
from nearcopy.kernels.reference.titles import stem, weight
from nearcopy.model import Fingerprint

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


def side_by_side(swap: Iterable[tuple[str, str]]) -> str:
    """The swapped words, for people: those of the one title, then those of the other."""
    return " / ".join(map(" ".join, zip(*swap, strict=True)))


def are_names(swap: Iterable[tuple[str, str]], a: Fingerprint, b: Fingerprint) -> bool:
    """Whether every word in the other's place looks like a name, and the other has it nowhere."""
    ours, theirs = " ".join(a.names).split(), " ".join(b.names).split()
    return all(
        ((_is_rare(x) and _is_rare(y)) or (x in ours and y in theirs))
        and _is_other(x, y)
        and not _holds(b.profile, x)
        and not _holds(a.profile, y)
        for x, y in swap
    )


def _is_rare(word: str) -> bool:
    """Whether few titles have this word, as few have any name."""
    return len(word) >= LEAST_LETTERS and _weight(word) >= RARE


def _is_other(a: str, b: str) -> bool:
    """Whether two words are not one word inflected or misspelt."""
    if a.startswith(b[:LEAST_LETTERS]) or b.startswith(a[:LEAST_LETTERS]):
        return False
    return not (len(a) == len(b) and a[-LEAST_LETTERS:] == b[-LEAST_LETTERS:])


@lru_cache(maxsize=65536)
def _weight(word: str) -> int:
    return weight(stem(word))


def _holds(profile: bytes, word: str) -> bool:
    """Whether a word's term is among those of a profile."""
    hashed = _term(word)
    at = profile.find(hashed)
    while at % PROFILE_ENTRY and at >= 0:
        at = profile.find(hashed, at + 1)
    return at >= 0


@lru_cache(maxsize=65536)
def _term(word: str) -> bytes:
    """The hash of a word's term, as profiles hold it."""
    return term_hash(next(profile_terms([word]), ("", False))[0]).to_bytes(4, "little")
