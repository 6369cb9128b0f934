"""Stable story ids: a story keeps its id as it grows, and a merge leaves a redirect.

This is the only place where a story id is made.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from hashlib import sha256
from itertools import count

from nearcopy.cluster.kept_copy import by_age
from nearcopy.models import Fingerprint

Copies = Sequence[Fingerprint]
Claim = tuple[tuple[tuple[bool, timedelta], str], int]  # a member's age and id, and its story


def story_ids(
    stories: Iterable[Copies], story_before: Mapping[str, str], redirects: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """A distinct id for every story, and redirects from the former ids.

    `story_before` has the former story of articles, `redirects` those of earlier merges. Of several
    former ids the earliest member's wins; a story without any gets an id made from its founder, the
    earliest member.
    """
    founders: list[str] = []
    members: list[Claim] = []
    for place, copies in enumerate(stories):  # read once: most have one copy, and are not held
        founders.append(copies[0].id if len(copies) == 1 else min(copies, key=by_age).id)
        members += [(by_age(copy), place) for copy in copies if copy.id in story_before]
    claims = _claim_ids(members, story_before, redirects)
    moved = dict(redirects)
    for first, *others in claims.values():
        moved |= dict.fromkeys(others, first)
    used = {*story_before.values(), *redirects, *redirects.values()}
    new = _new_ids([founders[p] for p in range(len(founders)) if p not in claims], used)
    ids = [claims[p][0] if p in claims else new[founder] for p, founder in enumerate(founders)]
    return ids, {old: _resolve(old, moved) for old in sorted(moved)}


def own_story_id(article: str) -> str:
    """The id of the story founded by an article."""
    return "s-" + sha256(article.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def candidate_story_ids(founder: str) -> Iterator[str]:
    """The ids to choose from for a story of this founder, in order."""
    return (own_story_id(founder + "\0" * suffix) for suffix in count())


def _claim_ids(
    members: list[Claim], story_before: Mapping[str, str], redirects: Mapping[str, str]
) -> dict[int, list[str]]:
    """The former ids that each story takes over, that of its earliest member first.

    An id goes with the earliest article that had it: of a split story only one part keeps it.
    """
    claims: dict[int, list[str]] = {}
    claimed: set[str] = set()
    for (_, article), place in sorted(members):
        story = _resolve(story_before[article], redirects)
        if story not in claimed:
            claimed.add(story)
            claims.setdefault(place, []).append(story)
    return claims


def _new_ids(founders: list[str], used: set[str]) -> dict[str, str]:
    """An unused id for each founder."""
    ids: dict[str, str] = {}
    for founder in sorted(founders):
        story_id = next(id_ for id_ in candidate_story_ids(founder) if id_ not in used)
        used.add(story_id)
        ids[founder] = story_id
    return ids


def _resolve(story: str, redirects: Mapping[str, str]) -> str:
    """The end of a chain of redirects; a cycle ends where it closes."""
    visited = {story}
    while (target := redirects.get(story)) is not None and target not in visited:
        visited.add(story := target)
    return story
