"""Story ids that last: a story keeps its id as it grows, and a merge leaves a redirect."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from hashlib import sha256
from itertools import count

from nearcopy.cluster.kept_copy import by_age
from nearcopy.models.model import Fingerprint

Copies = Sequence[Fingerprint]
Bearer = tuple[tuple[tuple[bool, timedelta], str], int]  # an article's age and id, and its story


def story_ids(
    stories: Iterable[Copies], known: Mapping[str, str], redirects: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """An id for every story, no two alike, and where the ids that are no more lead to.

    `known` tells the story that an article was in before, `redirects` what earlier merges left. Of
    several known ids that of the earliest member wins; a story without one is named after its
    founding member, the earliest of all.
    """
    founders: list[str] = []
    bearers: list[Bearer] = []
    for place, copies in enumerate(stories):  # once: most are of one copy, and not held
        founders.append(copies[0].id if len(copies) == 1 else min(copies, key=by_age).id)
        bearers += [(by_age(copy), place) for copy in copies if copy.id in known]
    claims = _claims(bearers, known, redirects)
    moved = dict(redirects)
    for first, *others in claims.values():
        moved |= dict.fromkeys(others, first)
    taken = {*known.values(), *redirects, *redirects.values()}
    new = _new_ids([founders[p] for p in range(len(founders)) if p not in claims], taken)
    ids = [claims[p][0] if p in claims else new[founder] for p, founder in enumerate(founders)]
    return ids, {old: _final(old, moved) for old in sorted(moved)}


def own_story_id(article: str) -> str:
    """The id of the story that an article is the first and only member of."""
    return "s-" + sha256(article.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def story_names(founder: str) -> Iterator[str]:
    """The ids to choose from for a story of this founding member, the first one first."""
    return (own_story_id(founder + "\0" * more) for more in count())


def _claims(
    bearers: list[Bearer], known: Mapping[str, str], redirects: Mapping[str, str]
) -> dict[int, list[str]]:
    """The known ids that each story takes over, that of its earliest member first.

    A known id goes with the earliest article that bears it, so that only one part of a story that
    was split has it.
    """
    claims: dict[int, list[str]] = {}
    seen: set[str] = set()
    for (_, article), place in sorted(bearers):
        story = _final(known[article], redirects)
        if story not in seen:
            seen.add(story)
            claims.setdefault(place, []).append(story)
    return claims


def _new_ids(founders: list[str], taken: set[str]) -> dict[str, str]:
    """For each founding member an id made of its own, that no story had before."""
    made: dict[str, str] = {}
    for founder in sorted(founders):
        name = next(name for name in story_names(founder) if name not in taken)
        taken.add(name)
        made[founder] = name
    return made


def _final(story: str, redirects: Mapping[str, str]) -> str:
    """Where the redirects lead to in the end; a circle is left where it closes."""
    seen = {story}
    while (following := redirects.get(story)) is not None and following not in seen:
        seen.add(story := following)
    return story
