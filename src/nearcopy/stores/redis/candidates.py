"""What a Redis store finds, by what the worker has in memory of the window."""

from collections.abc import Collection, Sequence
from datetime import timedelta

from nearcopy.fingerprint.blocking_keys import Keys
from nearcopy.match.candidate_index import AGES, days_around, shelves_around
from nearcopy.models.model import Fingerprint
from nearcopy.models.timestamps import MICROSECOND, micros
from nearcopy.stores.base import Found
from nearcopy.stores.redis.commands import Name
from nearcopy.stores.redis.key_index import Index
from nearcopy.stores.redis.records import numbered, row_name
from nearcopy.stores.redis.transactions import RedisSteps

KEPT_IN_MEMORY = 1_000_000  # articles beyond those of the window looked at, half a KB each
LOADED_AT_ONCE = 4096
FEW = 64  # candidates whose places in stories are asked for before it is known which matters


class RedisFinding(RedisSteps):
    """The part of the store that finds."""

    def find(
        self,
        probes: Sequence[tuple[Fingerprint, Keys]],
        window: timedelta | None,
        limit: int | None = None,
    ) -> list[Found]:
        """For each probe the articles that share a key and may be within the window."""
        matches = None if self._looked else self._guess(probes, window, limit)
        if matches is None:
            self._fresh()
            self._load(self._shelves_wanted([article for article, _ in probes], window))
            matches = self._index.find(probes, window, limit, self._heads.name)
        fingerprints = self._by_number({number for numbers, _ in matches for number in numbers})
        return [
            Found([fingerprints[number] for number in numbers if number in fingerprints], left_out)
            for numbers, left_out in matches
        ]

    def _guess(
        self,
        probes: Sequence[tuple[Fingerprint, Keys]],
        window: timedelta | None,
        limit: int | None,
    ) -> list[tuple[list[int], int]] | None:
        """What is found by what was known, asked for while catching up; None if that was not all.

        So a look-up is one call.
        """
        days = self._shelves_wanted([article for article, _ in probes], window)
        if not days <= self._index.days:
            return None
        matches = self._index.find(probes, window, limit, self._heads.name)
        numbers = {number for matched, _ in matches for number in matched}
        before, first = self._records.known, self._heads.first
        missing = [n for n in numbers if n not in self._fingerprints]
        places = (numbered("m", n) for n in numbers if len(numbers) <= FEW)
        members = [name for name in places if not self._records.cached(name)]
        names: list[Name] = [*map(row_name, missing), *members]
        read = dict(zip(names, self._look(names), strict=True))
        self._records.remember({name: read[name] for name in members})
        self._remember(self._made({n: read[row_name(n)] for n in missing}))
        return matches if (before, first) == (self._records.known, self._heads.first) else None

    def _shelves_wanted(
        self, articles: Sequence[Fingerprint], window: timedelta | None
    ) -> set[int]:
        """The shelves to look at, of those that hold something."""
        standing = self._heads.shelf_days
        if window is None or window > AGES:
            return set().union(*standing.values())
        selected = {shelf for article in articles for shelf in shelves_around(article, window)}
        came_in = (micros(article.seen) for article in articles if article.published is None)
        undated = [when for when in came_in if when is not None]
        if undated:  # they may be something to whatever came in about then, of whatever date
            first, last = days_around(min(undated), max(undated), window // MICROSECOND)
            about = (shelves for day, shelves in standing.items() if first <= day <= last)
            selected |= set().union(*about)
        return selected

    def _load(self, shelves: set[int]) -> None:
        """Have these shelves in memory, and not too much else."""
        missing = shelves - self._index.days
        standing = missing & self._heads.all_shelves  # most days at the edge of a window have none
        if standing and self._index.shelves.elsewhere(shelves) > KEPT_IN_MEMORY:
            self._index, missing = Index(), shelves
            standing = missing & self._heads.all_shelves
        numbers = self._heads.standing_on(standing) if standing else []
        for start in range(0, len(numbers), LOADED_AT_ONCE):
            batch = numbers[start : start + LOADED_AT_ONCE]
            self._file(self._rows_of(batch), self._index.shelves.file)
        self._index.days |= missing

    def _by_number(self, numbers: Collection[int]) -> dict[int, Fingerprint]:
        """The fingerprints of those that are still there."""
        present = [number for number in numbers if self._heads.name(number)]
        cached = {n: self._fingerprints[n] for n in present if n in self._fingerprints}
        loaded = self._made(self._rows_of([n for n in present if n not in cached]))
        self._remember(loaded)
        return cached | loaded
