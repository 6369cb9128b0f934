"""Gathering: stars that tell one event, put together into one story.

Stars linked by same_event decisions, directly or through others, are put together most alike
first: by how likely their reports tell the same news, as far as that was measured, each star with
each on average (`linkage`). So one link makes no story of two groups. Two brakes keep look-alikes
apart: groups must be about as alike as what each holds, and must not each have names and figures of
their own (`contrast`). Stars whose kept copies have facts that clash are never in one story. What
people said goes before all that: who tells one event by their word, and who is kept apart.
"""

from collections.abc import Iterator, Sequence

from nearcopy.cluster.average_linkage import ONE, Between, Group, Linkage
from nearcopy.cluster.distinctive_terms import LEAST, Marks, in_contrast
from nearcopy.cluster.duplicate_groups import Brake, Star
from nearcopy.cluster.kept_copy import standings
from nearcopy.cluster.link_graph import Links, groups, join
from nearcopy.config import Policy
from nearcopy.models.feedback import TOLD_EVENT
from nearcopy.models.model import Decision

Events = dict[int, dict[int, Decision]]  # the surest decision between any members of two stars
Scores = dict[int, dict[int, int]]  # how likely two stars tell the same news
ONLY_TOLD = 2.0  # no mean is as high: only what people said puts stars together


def gather(stars: Sequence[Star], links: Links, policy: Policy) -> tuple[list[Star], list[Brake]]:
    """The stars that lead a story, with those they lead; and the stories that were braked."""
    if not links.events:
        return list(stars), []
    least = ONLY_TOLD if policy.story_news is None else policy.story_news
    home = {copy.id: place for place, star in enumerate(stars) for copy in star.copies}
    events, scores = _events(links, home), _scores(links, home)
    leading = [star for place, star in enumerate(stars) if place not in events]
    braked: list[Brake] = []
    for places in groups(events):
        told = _Event([stars[place] for place in places], links, policy)
        told.know(places, events, scores)
        leading += told.stories(least)
        braked += told.brakes()
    return leading, braked


def _events(links: Links, home: dict[str, int]) -> Events:
    """Which stars tell one event, by the surest decision between members of the two."""
    near: Events = {}
    for article, others in links.events.items():
        for other, decision in others.items():
            if article < other and home[article] != home[other]:
                join(near, home[article], home[other], decision)
    return near


def _scores(links: Links, home: dict[str, int]) -> Scores:
    """How likely two stars tell the same news: the mean over their members, as far as known."""
    added: dict[tuple[int, int], tuple[int, int]] = {}
    for (a, b), news in links.news.items():
        one, other = home.get(a), home.get(b)
        if one is None or other is None or one == other:
            continue
        pair = (one, other) if one < other else (other, one)
        total, count = added.get(pair, (0, 0))
        added[pair] = total + round(news * ONE), count + 1
    scores: Scores = {}
    for (one, other), (total, count) in added.items():
        scores.setdefault(one, {})[other] = (2 * total + count) // (2 * count)
    return scores


class _Event:
    """Stars linked as one event, ranked once by their kept copies, put together as far as alike."""

    def __init__(self, stars: Sequence[Star], links: Links, policy: Policy) -> None:
        by_kept = {star.kept.copy.id: place for place, star in enumerate(stars)}
        ranked = standings([star.kept.copy for star in stars], policy, links.preferred)
        self.order = [by_kept[standing.copy.id] for standing in ranked]
        self.stars = [stars[place] for place in self.order]  # best first
        self.links = links
        self.largest = max(1, policy.largest_story)
        self.known: list[tuple[int, int, Between]] = []
        self.events: Events = {}
        self.marks: dict[int, Marks] = {}  # of a group, by the first of its nodes as they came
        self.full: list[tuple[int, int]] = []  # stars of groups too large to be put together
        self.home: list[int] = []  # the star that leads each

    def know(self, places: Sequence[int], events: Events, scores: Scores) -> None:
        """Take over what is known of these stars, by the places they have elsewhere."""
        rank = {places[place]: rank for rank, place in enumerate(self.order)}
        self.events = {
            rank[one]: {rank[other]: how for other, how in events[one].items()} for one in places
        }
        self.known = [
            (rank[one], rank[other], self._between(rank[one], rank[other], score))
            for one in places
            for other, score in scores.get(one, {}).items()
            if other in rank
        ]

    def _between(self, one: int, other: int, score: int) -> Between:
        kept, beside = self.stars[one].kept.copy.id, self.stars[other].kept.copy.id
        linked = other in self.events[one]
        return Between(score, 1, linked, self.links.hold_apart(kept, beside))

    def stories(self, least: float) -> Iterator[Star]:
        """The stars that lead a story, with those that they lead."""
        sizes = [star.size for star in self.stars]
        linkage = Linkage(self.known, sizes, least, self._may_join)
        for one, near in self.events.items():
            linkage.join((one, other) for other in near if near[other].rule == TOLD_EVENT)
        made = linkage.run()
        first = {node: group.first for group in made for node in group.nodes}
        self.home = [first[node] for node in range(len(sizes))]
        for group in made:
            best = self.stars[group.first]
            best.led = [self._led(node, group) for node in group.nodes if node != group.first]
            yield best

    def _may_join(self, one: Group, other: Group) -> bool:
        kept, beside = (self.stars[group.first].kept.copy.id for group in (one, other))
        if self.links.told_apart(kept, beside):
            return False
        if min(len(one.nodes), len(other.nodes)) >= LEAST and in_contrast(
            self._marks(one), self._marks(other)
        ):
            return False
        if one.size + other.size > self.largest:
            self.full.append((one.first, other.first))
            return False
        self.links.told.meet(kept, beside)
        return True

    def _marks(self, group: Group) -> Marks:
        """The marks of a group: those of its first nodes may be known from when it was smaller."""
        made = self.marks.get(group.nodes[0])
        if made is None:
            made = self.marks[group.nodes[0]] = Marks([])
        if made.size < len(group.nodes):
            more = group.nodes[made.size :]
            made.add(Marks(self.stars[node].kept.copy for node in more))
        return made

    def _led(self, node: int, group: Group) -> tuple[Star, Decision]:
        """A star that tells the event of the first, and how that is known."""
        near, best = self.events[node], self.stars[group.first].kept.copy.id
        if group.first in near:
            return self.stars[node], near[group.first]
        members = (other for other in group.nodes if other in near)
        through = min(members, key=lambda other: (-near[other].confidence, other))
        beside, how = self.stars[through].kept.copy.id, near[through]
        reason = f"tells the event of {best}, as {beside} does: {how.reason}"
        return self.stars[node], how._replace(reason=reason)

    def brakes(self) -> Iterator[Brake]:
        """What to report of stories that others would have joined if they were not full."""
        left_out: dict[int, set[int]] = {}
        for one, other in self.full:
            full, left = sorted((self.home[one], self.home[other]))
            left_out.setdefault(full, set()).add(left)
        for full, others in left_out.items():
            kept = self.stars[full].kept.copy.id
            for other in others:
                self.stars[other].full = self.stars[other].full or kept
            count = sum(len(self.stars[other].articles) for other in others)
            yield _brake(len(self.stars[full].articles), kept, count, self.largest)


def _brake(size: int, kept: str, left_out: int, largest: int) -> Brake:
    why = (
        f"{size + left_out} articles tell the event of {kept}, more than the {largest} a story may "
        f"have: {left_out} of them were left out of the full story; "
        "look whether a template or a block page is at work, or raise largest_story"
    )
    return Brake(size + left_out, kept, left_out, why)
