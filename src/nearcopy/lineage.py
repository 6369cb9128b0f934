"""Story ids that last: a story keeps its id as it grows, and a merge leaves a redirect."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import count

from nearcopy.keeper import by_age
from nearcopy.model import Fingerprint

Copies = Sequence[Fingerprint]


def story_ids(
    stories: Sequence[Copies], known: Mapping[str, str], redirects: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """An id for every story, no two alike, and where the ids that are no more lead to.

    `known` tells the story that an article was in before, `redirects` what earlier merges left. Of
    several known ids that of the earliest member wins; a story without one is named after its
    founding member, the earliest of all.
    """
    taken = {*known.values(), *redirects, *redirects.values()}
    claims = _claims(stories, {article: _final(known[article], redirects) for article in known})
    ids = [""] * len(stories)
    moved = dict(redirects)
    for place, (first, *others) in claims.items():
        ids[place] = first
        moved |= dict.fromkeys(others, first)
    founders = {
        _founder(copies): place for place, copies in enumerate(stories) if place not in claims
    }
    for founder in sorted(founders):
        made = _new_id(founder, taken)
        ids[founders[founder]] = made
        taken.add(made)
    return ids, {old: _final(old, moved) for old in sorted(moved)}


def own_story_id(article: str) -> str:
    """The id of the story that an article is the first and only member of."""
    return "s-" + sha256(article.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _claims(stories: Sequence[Copies], known: Mapping[str, str]) -> dict[int, list[str]]:
    """The known ids that each story takes over, that of its earliest member first.

    A known id goes with the earliest article that bears it, so that only one part of a story that
    was split has it.
    """
    bearers = [
        (by_age(copy), place)
        for place, copies in enumerate(stories)
        for copy in copies
        if copy.id in known
    ]
    claims: dict[int, list[str]] = {}
    seen: set[str] = set()
    for (_, article), place in sorted(bearers):
        if known[article] not in seen:
            seen.add(known[article])
            claims.setdefault(place, []).append(known[article])
    return claims


def _founder(copies: Copies) -> str:
    return copies[0].id if len(copies) == 1 else min(copies, key=by_age).id


def _new_id(founder: str, taken: set[str]) -> str:
    """An id made of the founding member's, that no story had before."""
    seed = founder.encode("utf-8", "surrogatepass")
    tries = ("s-" + sha256(seed + b"\0" * n).hexdigest()[:16] for n in count())
    return next(made for made in tries if made not in taken)


def _final(story: str, redirects: Mapping[str, str]) -> str:
    """Where the redirects lead to in the end; a circle is left where it closes."""
    seen = {story}
    while (following := redirects.get(story)) is not None and following not in seen:
        seen.add(story := following)
    return story
