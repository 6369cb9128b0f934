"""Publishers: recognised at the end of a title by name, by form, or by the source."""

import re
from collections.abc import Iterable
from functools import lru_cache

from nearcopy.extract.text import normalised
from nearcopy.extract.word_lists import load_word_lists, words

LONGEST = 5  # words of a name
LONGEST_LETTERS = 60
LEAST_INITIALS = 2


def _names(listed: Iterable[str]) -> frozenset[str]:
    """The folded names, without their article."""
    return frozenset(map(_bare, listed))


def _bare(name: str) -> str:
    return normalised(name).removeprefix("the ")


_LISTS = load_word_lists(__package__, "publishers.toml")
WELL_KNOWN = _names(_LISTS["well_known"])
COMMON = _names(_LISTS["common"])
SECTIONS = _names(_LISTS["sections"])
PUBLISHER_WORDS = _names(_LISTS["publisher_words"].split())
PHRASES = _names(_LISTS["phrase_words"].split())
ENDS = tuple(_LISTS["endings"].split())
NOT_NAMES = words(_LISTS["not_names"])
SITE = re.compile(r"(?:[\w-]{1,63}+\.){1,4}+[A-Za-z]{2,6}")


@lru_cache(maxsize=8192)
def is_publisher(name: str, source: str | None = None) -> bool:
    """Whether this, standing behind a title, names a publisher: by rule, by list or as the source.

    >>> [is_publisher(name) for name in ("Ostsee-Zeitung", "The Harbour Times", "Bad Times")]
    [True, True, False]
    """
    if len(name) > LONGEST_LETTERS or is_well_known(name, source):
        return len(name) <= LONGEST_LETTERS
    written_as_name = not name[:1].islower()
    return (
        bool(SITE.fullmatch(name))
        or name.endswith("(.gov)")
        or (written_as_name and (_bare(name) in COMMON or _looks_like_publisher(name)))
    )


@lru_cache(maxsize=8192)
def is_well_known(name: str, source: str | None = None, *, alone: bool = True) -> bool:
    """Whether this can be nothing but a publisher: a well-known one, or the source itself.

    Unless it is `alone`, a source of one word does not count: before a colon it may be the topic
    of the site.
    """
    words = _bare(name).split(" ")
    if " ".join(words) in WELL_KNOWN or (
        words[0] in WELL_KNOWN and PUBLISHER_WORDS.issuperset(words[1:])
    ):
        return True
    return source is not None and (alone or len(words) > 1) and _is_source(words, source)


@lru_cache(maxsize=8192)
def source_labels(source: str) -> tuple[str, ...]:
    """The names in a source, each without spaces.

    >>> source_labels("https://www.theguardian.com/"), source_labels("The Harbour Times")
    (('guardian',), ('harbourtimes',))
    """
    place = source.strip().lower().split("://")[-1].split("/")[0]
    if " " in place or "." not in place:
        return (_bare(source).replace(" ", ""),)
    labels = (normalised(label).replace(" ", "") for label in place.split(".")[:-1])
    return tuple(label.removeprefix("the") for label in labels if label not in NOT_NAMES)


def _is_source(words: list[str], source: str) -> bool:
    """Whether a name and a source are one: "BBC News" and bbc.co.uk, "Dagens Post" and dp.se."""
    labels = source_labels(source)
    if not words[0]:
        return False
    if "".join(words) in labels:
        return True
    if words[0] in labels and PUBLISHER_WORDS.issuperset(words[1:]):
        return True
    return len(words) >= LEAST_INITIALS and "".join(word[0] for word in words) in labels


def _looks_like_publisher(name: str) -> bool:
    words = normalised(name).split(" ")
    if len(words) > LONGEST or words[0] in PHRASES:
        return False
    if words[-1].endswith(ENDS):
        return True
    named = [word for word in words if word != "the"]
    return len(named) > 1 and not PUBLISHER_WORDS.isdisjoint(named) and _is_capitalised(name)


def _is_capitalised(name: str) -> bool:
    """Whether it is written as names are, in scripts that have capitals."""
    return all(not word[0].islower() or len(word) <= 3 for word in name.split())
