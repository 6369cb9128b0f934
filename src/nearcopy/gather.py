"""Gathering: stars that tell one event, put together into one story.

As with copies, this makes no chains. Stars linked by same_event decisions between any of their
members, directly or through others, are ranked once by their kept copies; the best takes those
linked with it directly, unless the two kept copies were found distinct; then the next best does.
Stars that people said tell one event go together, and those they keep apart never do.
"""

from collections.abc import Iterator, Sequence

from nearcopy.config import Policy
from nearcopy.feedback import TOLD_EVENT
from nearcopy.keeper import standings
from nearcopy.links import Links, groups, join
from nearcopy.model import Decision
from nearcopy.stars import Brake, Star

Table = dict[int, dict[int, Decision]]


def gather(stars: Sequence[Star], links: Links, policy: Policy) -> tuple[list[Star], list[Brake]]:
    """The stars that lead a story, with those they lead; and the stories that were braked."""
    near = _linked_stars(stars, links)
    leading = [star for place, star in enumerate(stars) if place not in near]
    braked: list[Brake] = []
    for places in groups(near):
        event = _Event(places, stars, near, policy)
        leading += event.stories(links)
        braked += event.braked
    return leading, braked


def _linked_stars(stars: Sequence[Star], links: Links) -> Table:
    """Which stars tell one event, by the surest decision between members of the two."""
    near: Table = {}
    if not links.events:
        return near
    home = {copy.id: place for place, star in enumerate(stars) for copy in star.copies}
    for article, others in links.events.items():
        for other, decision in others.items():
            if article < other and home[article] != home[other]:
                join(near, home[article], home[other], decision)
    return near


class _Event:
    """Stars linked as one event, ranked once by their kept copies, and gathered best first."""

    def __init__(
        self, places: list[int], stars: Sequence[Star], near: Table, policy: Policy
    ) -> None:
        by_kept = {stars[place].kept.copy.id: place for place in places}
        ranked = standings([stars[place].kept.copy for place in places], policy)
        self.ranked = [by_kept[standing.copy.id] for standing in ranked]
        self.free = {place: rank for rank, place in enumerate(self.ranked)}
        self.stars = stars
        self.near = near
        self.largest = max(1, policy.largest_story)
        self.braked: list[Brake] = []

    def stories(self, links: Links) -> Iterator[Star]:
        """The stars that lead a story; who finds the story full leads one of its own."""
        for place in self.ranked:
            if self.free.pop(place, None) is None:
                continue
            yield from self._lead(place, links)

    def _linked(self, place: int, links: Links) -> list[tuple[int, Decision]]:
        """The stars still free that may join this one, surest first."""
        kept = self.stars[place].kept.copy.id
        found = [
            (other, how)
            for other, how in self.near[place].items()
            if other in self.free and not links.are_distinct(kept, self.stars[other].kept.copy.id)
        ]
        return sorted(found, key=lambda each: (-each[1].confidence, self.free[each[0]]))

    def _told(self, place: int) -> list[tuple[int, Decision]]:
        """The stars that people said tell one event with this one, through others too; taken."""
        found: list[tuple[int, Decision]] = []
        queue = [place]
        for each in queue:  # grows as it goes
            near = self.near[each]
            told = [x for x in near if x in self.free and near[x].rule == TOLD_EVENT]
            for other in sorted(told, key=lambda x: self.free[x]):
                del self.free[other]
                found.append((other, near[other]))
                queue.append(other)
        return found

    def _lead(self, place: int, links: Links) -> list[Star]:
        """The star with those it leads, as far as they fit; and those that were left out."""
        best, spare = self.stars[place], list[Star]()
        kept, led = best.kept.copy.id, self._told(place)
        size = best.size + sum(self.stars[each].size for each, _ in led)
        for other, how in self._linked(place, links):
            name = self.stars[other].kept.copy.id
            if other not in self.free or links.told_apart(kept, name):
                continue
            del self.free[other]
            with_it = self._told(other)
            more = self.stars[other].size + sum(self.stars[each].size for each, _ in with_it)
            if size + more > self.largest:
                spare.append(self._leads(other, with_it))
                spare[-1].full = spare[-1].full or kept
            else:
                size += more
                led += [(other, how), *with_it]
                links.told.meet(kept, name)
        if spare:
            left = sum(len(star.articles) for star in spare)
            self.braked.append(_brake(size, kept, left, self.largest))
        return [self._leads(place, led), *spare]

    def _leads(self, place: int, led: list[tuple[int, Decision]]) -> Star:
        star = self.stars[place]
        star.led = [(self.stars[each], how) for each, how in led]
        return star


def _brake(size: int, kept: str, left_out: int, largest: int) -> Brake:
    why = (
        f"{size + left_out} articles tell the event of {kept}, more than the {largest} a story may "
        f"have: {left_out} of them were left out of the full story; "
        "look whether a template or a block page is at work, or raise largest_story"
    )
    return Brake(size + left_out, kept, left_out, why)
