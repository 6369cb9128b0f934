"""The neighbourhood of articles: what is clustered when they are added.

Same-event edges connect most of a large window. So where many articles are linked, a new article is
clustered with the stories that it may join, and the other stories stay. Of large stories, and where
the article itself has very many edges, only its own edges are read.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from heapq import nsmallest
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from nearcopy.cluster.average_linkage import MISSING, ONE
from nearcopy.config import Policy
from nearcopy.deduper.feedback_overlay import by_article, overlay_feedback
from nearcopy.models import Edge, Story
from nearcopy.models.feedback import FEEDBACK_EVENT
from nearcopy.stores import Store

NEAREST = 2  # articles of the same event whose stories an article may join
MAX_RECLUSTERED = 100  # members of a story that are clustered again when an article may join it
MAX_EDGES = 128  # of an article; with more it comes from a template


class Neighbourhood(NamedTuple):
    """What is clustered at once: articles, the settled stories near them, and the edges."""

    ids: list[str]
    settled: list[Story]
    edges: list[Edge]


def whole_stories(store: Store, ids: Collection[str], former: Mapping[str, str]) -> Neighbourhood:
    """These articles and their whole stories, with all edges between them."""
    whole = with_whole_stories(store, ids, former)
    return Neighbourhood(whole, [], store.edges_among(whole))


def with_whole_stories(
    store: Store, ids: Collection[str], former: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """These articles and all members of their present and former stories.

    A story that is reclustered in part would lose its other members.
    """
    story_ids = {story for story, _ in store.members(ids).values()} | {*former.values()}
    return list(dict.fromkeys([*ids, *_members(store.stories(story_ids).values())]))


def find_neighbourhood(
    store: Store,
    ids: Collection[str],
    edges: list[Edge],
    former: Mapping[str, str],
    policy: Policy,
) -> Neighbourhood:
    """These articles, and the stories of their duplicates and of the events that they may report.

    Large stories are settled: new articles join them as they are, without a look at their edges. So
    are all stories to an article with very many links: it comes from a template.

    Args:
        store: Where stories are.
        ids: The articles that changed.
        edges: All edges of these.
        former: The former stories of articles that were replaced or removed.
        policy: How articles are clustered.
    """
    stored = store.sequence_numbers(ids)
    current = overlay_feedback(store, edges, stored)
    edges_of = by_article(edge for edge in current if not edge.on_demand)
    near = {id_: _nearest(edges_of.get(id_, {})) for id_ in stored}
    places = store.members({*stored, *chain.from_iterable(near.values())})
    own = {places[id_][0] for id_ in stored if id_ in places} | {*former.values()}
    stories = store.stories({story for story, _ in places.values()} | own)
    joined: set[str] = set()
    again = set(own)
    for id_, others in near.items():
        near_stories = {places[other][0] for other in others if other in places}
        chosen = [stories[story] for story in near_stories - own]
        large = [story for story in chosen if len(story.members) > MAX_RECLUSTERED]
        if any(has_duplicate(edges_of[id_], story) for story in large):
            chosen = large  # the article is a copy there, or is left out if the story is full
        fitting = {story.id for story in chosen if may_join(edges_of[id_], story, policy)}
        is_crowded = len(edges_of.get(id_, {})) > MAX_EDGES
        joined |= fitting if is_crowded else fitting & {story.id for story in large}
        again |= set() if is_crowded else fitting - {story.id for story in large}
    settled = _without_feedback(store, [stories[id_] for id_ in sorted(joined - again)])
    again |= joined - {story.id for story in settled}
    members = _members(stories[id_] for id_ in sorted(again) if id_ in stories)
    single = (other for other in chain.from_iterable(near.values()) if other not in places)
    others = [id_ for id_ in dict.fromkeys([*members, *single]) if id_ not in stored]
    return Neighbourhood([*stored, *others], settled, [*edges, *store.edges_among(others)])


def _members(stories: Iterable[Story]) -> list[str]:
    return [member.id for story in stories for member in story.members]


def _nearest(edges: Mapping[str, Edge]) -> list[str]:
    """The duplicates of an article, and those most likely of the same event."""
    linked = {other: edge for other, edge in edges.items() if edge.same_story}
    duplicates = [other for other, edge in linked.items() if edge.decision.duplicate]
    nearest = nsmallest(NEAREST, ((-edge.event_score, other) for other, edge in linked.items()))
    return list(dict.fromkeys([*duplicates, *(other for _, other in nearest)]))


def may_join(edges: Mapping[str, Edge], story: Story, policy: Policy) -> bool:
    """Whether an article with these edges has a duplicate in a story, or may report its event.

    For that the mean event score between the two must suffice, as it does when groups are merged.
    """
    known = [edges[member.id] for member in story.members if member.id in edges]
    if has_duplicate(edges, story) or any(e.decision.rule == FEEDBACK_EVENT for e in known):
        return True
    if policy.story_score is None:
        return False
    missing = MISSING / ONE * (len(story.members) - len(known))
    total = sum(edge.event_score for edge in known) + missing
    return total >= policy.story_score * len(story.members)


def has_duplicate(edges: Mapping[str, Edge], story: Story) -> bool:
    """Whether an article with these edges has a duplicate in a story."""
    return any(
        member.id in edges and edges[member.id].decision.duplicate for member in story.members
    )


def _without_feedback(store: Store, stories: Sequence[Story]) -> list[Story]:
    """Those of these stories that there is no feedback on."""
    feedback = store.feedback_about(_members(stories))
    concerned = {id_ for said in feedback for id_ in said.pair}
    return [story for story in stories if concerned.isdisjoint(_members([story]))]
