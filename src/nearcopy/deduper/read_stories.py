"""Telling: verdicts and stories as things stand."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice

from nearcopy.cluster.spread import Spread, spread
from nearcopy.cluster.story_ids import own_story_id
from nearcopy.config import Policy
from nearcopy.deduper.check import BATCH
from nearcopy.deduper.feedback.review_queue import Review, otherwise, review
from nearcopy.deduper.find_matches import between
from nearcopy.deduper.recluster import alone
from nearcopy.deduper.session import Opened, listed_ids, portions
from nearcopy.deduper.story_pages import Listing, listing, wanted_stories
from nearcopy.deduper.verdicts import as_things_stand, flagged
from nearcopy.errors import NotStored
from nearcopy.extract.agencies.credit_lines import credited
from nearcopy.models.model import Edge, Story, Verdict
from nearcopy.stores.retry import tried


class Telling(Opened):
    """What is told of articles together."""

    def verdicts(self, ids: str | Iterable[str]) -> Iterator[Verdict]:
        """What each of these articles in the store is to the others as things stand, in order.

        A copy is judged by the kept copy, what is kept by those that are no copies of it. What an
        earlier run has kept stays the kept copy for later runs.
        """
        rest = iter(listed_ids(ids))
        while some := list(islice(rest, BATCH)):
            yield from self._verdicts(some)

    @tried
    def _verdicts(self, ids: list[str]) -> list[Verdict]:
        with self._lock, self._store.reading():
            made = self._require(ids)
            found = as_things_stand(self._store, ids, self.policy, self._judge)
            return [flagged(each, made[each.id]) for each in found]

    def stories(self) -> Iterator[Story]:
        """All stories, those of several articles first.

        Where some change meanwhile, an article may come in two, but none that stays is left out.
        """
        articles, told = self._all_ids()
        given: set[str] = set()
        for names in portions(told):
            found = self._stories(names)
            given.update(each.id for story in found for each in story.members)
            yield from found
        for names in portions(name for name in articles if name not in given):
            yield from self._stories_with(names)

    @tried
    def _all_ids(self) -> tuple[list[str], list[str]]:
        """All articles, and all stories that are remembered."""
        with self._lock, self._store.reading():
            return list(self._store.ids()), sorted(self._store.story_ids())

    @tried
    def _stories(self, ids: list[str]) -> list[Story]:
        with self._lock, self._store.reading():
            return list(self._store.stories(ids).values())

    @tried
    def _stories_with(self, ids: list[str]) -> list[Story]:
        """The stories that these articles are in by now; most are on their own."""
        with self._lock, self._store.reading():
            members = self._store.members(ids)
            told = self._store.stories({story for story, _ in members.values()})
            single = self._store.fingerprints(set(ids) - members.keys())
        return [
            *told.values(),
            *(alone(single[name], self.policy) for name in ids if name in single),
        ]

    @tried
    def find_stories(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        least: int = 1,
        source: str | None = None,
        text: str | None = None,
        order: str = "newest",
        after: str | None = None,
        limit: int = 50,
    ) -> Listing:
        """A page of stories of `least` articles, one of which is of this time, of this outlet, and
        has this text in its title; those that got an article last first, or the largest."""
        wanted = wanted_stories(since=since, until=until, least=least, source=source, text=text)
        with self._lock, self._store.reading():
            return listing(self._store, self.policy, wanted, order=order, after=after, limit=limit)

    @tried
    def story(self, id: str) -> Story:  # noqa: A002
        """A story by its id, by one that it had before, or by the id of an article in it."""
        with self._lock, self._store.reading():
            return self._story(id)

    def _story(self, id: str) -> Story:  # noqa: A002
        there = self._store.fingerprints([id])
        name = self._stories_of(there)[id] if there else self._store.redirected(id)
        told = self._store.stories([name])
        if told:
            return told[name]
        only = there or self._store.fingerprints(self._alone_in(name))
        if not only:
            raise NotStored(
                f"no story {id!r} in {self.address}: name one that is listed, or an article of it"
            )
        return alone(next(iter(only.values())), self.policy)

    @tried
    def spread(self, id: str) -> Spread:  # noqa: A002
        """How a story spread over outlets and hours; named as for `story`."""
        with self._lock, self._store.reading():
            story = self._story(id)
            members = [member.id for member in story.members]
            made, articles = self._store.fingerprints(members), self._store.articles(members)
        seen = {name: each.seen for name, each in made.items() if each.seen is not None}
        named = {name: credited(article) for name, article in articles.items()}
        return spread(story, seen=seen, credited=named)

    def _alone_in(self, story: str) -> set[str]:
        """The article whose story this is without being remembered."""
        named = {each for each in self._store.ids() if own_story_id(each) == story}
        return named - self._store.members(named).keys()

    @tried
    def review(self, *, limit: int = 20, after: str | None = None) -> Review:
        """A page of pairs that were nearly decided otherwise, and nobody has spoken of.

        A page may have fewer than `limit` and still name where to go on.
        """
        with self._lock, self._store.reading():
            return review(self._store, self.policy, after, max(1, limit))

    @tried
    def decided_otherwise(self, policy: Policy, *, limit: int = 100) -> list[tuple[Edge, Edge]]:
        """Of so many pairs near a line, those that another policy decides otherwise: as they are
        now, and as they would be."""
        with self._lock, self._store.reading():
            pairs = review(self._store, self.policy, None, max(1, limit)).pairs
            return [
                (found.edge, then)
                for found in pairs
                for then in [between(self._store, *found.edge[:2], self.recipe, policy)]
                if otherwise(found.edge, then)
            ]
