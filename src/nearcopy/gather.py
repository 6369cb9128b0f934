"""Gathering: stars that tell one event, put together into one story.

As with copies, this makes no chains. Stars linked by same_event decisions between any of their
members, directly or through others, are ranked once by their kept copies; the best takes those
linked with it directly, unless the two kept copies were found distinct; then the next best does.
"""

from collections.abc import Iterator, Sequence

from nearcopy.config import Policy
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
            best = self.stars[place]
            spare = self._lead(best, self._linked(place, links))
            yield best
            yield from spare

    def _linked(self, place: int, links: Links) -> list[tuple[int, Decision]]:
        """The stars still free that may join this one, surest first."""
        kept = self.stars[place].kept.copy.id
        found = [
            (other, how)
            for other, how in self.near[place].items()
            if other in self.free and not links.are_distinct(kept, self.stars[other].kept.copy.id)
        ]
        return sorted(found, key=lambda each: (-each[1].confidence, self.free[each[0]]))

    def _lead(self, best: Star, linked: list[tuple[int, Decision]]) -> list[Star]:
        """Put the linked stars behind the best as far as they fit; those left out come back."""
        led: list[tuple[Star, Decision]] = []
        spare: list[Star] = []
        size, kept = best.size, best.kept.copy.id
        for place, how in linked:
            del self.free[place]
            star = self.stars[place]
            if size + star.size > self.largest:
                star.full = star.full or kept
                spare.append(star)
            else:
                size += star.size
                led.append((star, how))
        best.led = led
        if spare:
            self.braked.append(_brake(size, kept, sum(star.size for star in spare), self.largest))
        return spare


def _brake(size: int, kept: str, left_out: int, largest: int) -> Brake:
    why = (
        f"{size + left_out} articles tell the event of {kept}, more than the {largest} a story may "
        f"have: {left_out} of them were left out of the full story; "
        "look whether a template or a block page is at work, or raise largest_story"
    )
    return Brake(size + left_out, kept, left_out, why)
