"""What a title in Han characters states beyond what its fingerprint holds.

Fingerprints hold the facts in Latin figures, without neighbours where characters touch them.
Figures in Han characters, and the neighbours of all, are read of the folded title when two are
compared, so that stored fingerprints stay as they are.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from nearcopy.extract.facts import chinese_numbers as han
from nearcopy.extract.facts.parser import MOST_FACTS, NEIGHBOURS, TAKEN
from nearcopy.extract.facts.span import Finding
from nearcopy.models.model import Fact, Fingerprint

FIRST = "\u2e80"  # from here on characters are words by themselves
LONGEST = 1000  # characters of a folded title that is read, blanks between them


class Stated(NamedTuple):
    """The facts of a title, and its words without them."""

    facts: tuple[Fact, ...]
    gist: str


def reread(fingerprint: Fingerprint) -> Fingerprint:
    """The fingerprint with what its title states in Han characters; most are as they are.

    >>> title = "台 风 造 成 三 人 死 亡"
    >>> made = reread(Fingerprint(id="a", title=title, gist=title))
    >>> made.gist, [(fact.value, fact.about) for fact in made.facts]
    ('台 风 造 成 人 死 亡', [('3', 'toll dead')])
    """
    if fingerprint.gist.isascii():
        return fingerprint
    stated = _stated(fingerprint.title, fingerprint.gist, fingerprint.facts)
    return (
        fingerprint
        if stated is None
        else replace(fingerprint, facts=stated.facts, gist=stated.gist)
    )


@lru_cache(maxsize=65536)
def _stated(title: str, gist: str, facts: tuple[Fact, ...]) -> Stated | None:
    """What the title states, or None where that is nothing new."""
    if max(gist) < FIRST or len(title) > LONGEST:
        return None
    words = _marked(title.split(" "), gist.split(" "))
    shape = "".join(word if len(word) == 1 and word >= FIRST else " " for word in words)
    findings = list(_found(shape))
    placed = _placed(words, shape, facts)
    if not findings and placed == facts:
        return None
    read = (Fact(*finding[:4], *_beside(words, finding.start, finding.end)) for finding in findings)
    covered = {place for finding in findings for place in range(finding.start, finding.end)}
    remainder = [word for place, word in enumerate(words) if place not in covered and word != TAKEN]
    return Stated((*placed, *read)[:MOST_FACTS], " ".join(remainder))


def _marked(title: list[str], gist: list[str]) -> list[str]:
    """The words of the gist, with a mark wherever something of the title is left out."""
    marked: list[str] = []
    place = 0
    for word in title:
        if place < len(gist) and word == gist[place]:
            marked.append(word)
            place += 1
        elif marked[-1:] != [TAKEN]:
            marked.append(TAKEN)
    return marked + gist[place:]


def _found(shape: str) -> Iterator[Finding]:
    """What each kind finds in what those before it left."""
    for find in han.FINDERS:
        for finding in list(find(shape)):
            if TAKEN not in shape[finding.start : finding.end]:
                shape = (
                    shape[: finding.start]
                    + TAKEN * (finding.end - finding.start)
                    + shape[finding.end :]
                )
                if finding.kind:
                    yield finding


def _placed(words: list[str], shape: str, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """The facts with their neighbours, where it is plain which of the marks stands for each."""
    marks = [place for place, word in enumerate(words) if word == TAKEN]
    cut = [fact for fact in facts if fact.kind != "name"]
    if len(marks) != len(cut):
        return facts
    left = iter(marks)
    return tuple(
        fact if fact.kind == "name" else _dressed(fact, words, shape, next(left)) for fact in facts
    )


def _dressed(fact: Fact, words: list[str], shape: str, place: int) -> Fact:
    """The fact with the words beside its mark, if those are characters, and what it counts."""
    if not (shape[max(0, place - 1) : place] + shape[place + 1 : place + 2]).strip():
        return fact
    before, after = _beside(words, place, place + 1)
    about = fact.about
    if fact.kind == "count" and not about.startswith("toll "):
        about = han.counted(shape, place, place + 1) or about
    return fact._replace(before=before, after=after, about=about)


def _beside(words: list[str], start: int, end: int) -> tuple[str, str]:
    """The words before and after a place."""
    before = [word for word in words[:start] if word != TAKEN][-NEIGHBOURS:]
    after = [word for word in words[end:] if word != TAKEN][:NEIGHBOURS]
    return " ".join(before), " ".join(after)
