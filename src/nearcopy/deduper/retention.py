"""Upkeep: what goes from a store, and whether it is sound."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from time import perf_counter, sleep

from nearcopy.deduper.check import Looking
from nearcopy.deduper.recluster import with_whole_stories
from nearcopy.deduper.self_test import verify
from nearcopy.deduper.session import listed_ids, portions
from nearcopy.deduper.stats import Stats, stats
from nearcopy.errors import BadArticle
from nearcopy.models.model import Check
from nearcopy.stores.retry import tried

PURGED_AT_ONCE = 16  # in the first step, and at least: fewer would take next to as long
PURGED_AT_MOST = 2000
OTHERS_WAIT_SECONDS = 0.03
LET_OTHERS_SECONDS = 0.005  # between two steps


class Upkeep(Looking):
    """What looks after a store."""

    def forget(self, ids: str | Iterable[str]) -> int:
        """Remove articles and all that was found about them; how many there were."""
        return sum(map(self._forget, portions(listed_ids(ids))))

    @tried
    def _forget(self, ids: list[str]) -> int:
        with self._lock, self._store.writing():
            were = self._stories_of(self._store.fingerprints(ids))
            left = self._neighbours(were) - were.keys()
            count = self._store.remove(were)
            self._settle(left, were)
            return count

    def purge(self, before: datetime) -> int:
        """Forget the articles published before a time (seen, where they bear no date).

        What is old of a story goes at once, and of what is left the story is told anew.
        """
        if not isinstance(before, datetime) or before.utcoffset() is None:
            raise BadArticle(f"before is {before!r}: give a datetime with a time zone")
        listing: list[Iterator[str]] = []
        at_once, count = PURGED_AT_ONCE, 0
        while some := self._older(before, listing, at_once):
            removed, seconds = self._purge(some, before)
            count, at_once = count + removed, _at_once(at_once, seconds)
            sleep(LET_OTHERS_SECONDS)
        while self._clear(before):
            sleep(LET_OTHERS_SECONDS)
        return count

    @tried
    def _older(self, before: datetime, listing: list[Iterator[str]], count: int) -> list[str]:
        """The next of those that are older, listed anew where that was interrupted."""
        with self._lock, self._store.reading():
            if not listing:
                listing.append(self._store.older(before))
            try:
                return list(islice(listing[0], count))
            except BaseException:
                listing.clear()
                raise

    @tried
    def _purge(self, ids: list[str], before: datetime) -> tuple[int, float]:
        """How many were removed, and the seconds that others had to wait for it."""
        with self._lock, self._store.writing():
            start = perf_counter()
            ages = self._store.ages(with_whole_stories(self._store, ids))
            # Another may have put something newer in the place of one.
            were = self._stories_of(name for name, when in ages.items() if when and when < before)
            count = self._store.drop(were)
            self._settle(ages.keys() - were.keys(), were)
        return count, perf_counter() - start

    @tried
    def _clear(self, before: datetime) -> bool:
        with self._lock, self._store.writing():
            return self._store.clear(before)

    @tried
    def stats(self, *, days: int | None = None) -> Stats:
        """Numbers of the articles that came in the last so many days, or of all; and times.

        Of other processes those times count that they have written, with an add or at their end.
        """
        with self._lock, self._store.reading():
            return stats(self._store, days, self._clock().astimezone(UTC), self._times.counts)

    @tried
    def verify(self) -> list[Check]:
        """Whether the store is as it should be: file, indexes, recipe, window, a known copy."""
        with self._lock:
            return verify(self._store, self.recipe, self.policy, self._check)


def _at_once(now: int, seconds: float) -> int:
    """How many to remove in the next step, where so many took so long.

    One that took very long may have waited for a disk: a quarter as many are tried.
    """
    fitting = int(now * OTHERS_WAIT_SECONDS / max(seconds, 1e-6))
    return max(PURGED_AT_ONCE, min(max(fitting, now // 4), 2 * now, PURGED_AT_MOST))
