"""What a Redis store can count, and check."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from nearcopy.match.candidate_index import DAY, NEVER
from nearcopy.models.model import Check
from nearcopy.stores.base import Copies, Counts, Tally
from nearcopy.stores.integrity import copies
from nearcopy.stores.redis.binary_format import pairs_of
from nearcopy.stores.redis.records import row_name
from nearcopy.stores.redis.stories import RedisStories

LOOKED_AT = 2000  # of the newest articles
TIMES = b"times"


class RedisTally(RedisStories):
    """The part of the store that counts."""

    def tally(self, since: int | None) -> Tally:
        """What came since a day, counted."""
        self._fresh()
        seen, first = self._heads.seen(), self._heads.first
        days = np.where(seen == NEVER, 0, seen // DAY)
        counted = self._heads.there() & (days >= (since if since is not None else -(1 << 62)))
        places = np.flatnonzero(counted).tolist()
        sources, day_of = self._heads.sources(), days.tolist()
        members = [m for m in self._all_members() if counted[m[0] - first]]
        copies = [number - first for number, _, member in members if member.duplicate_of]
        sizes = Counter(Counter(story for _, story, _ in members).values())
        if len(places) > len(members):
            sizes[1] += len(places) - len(members)
        related = Counter(
            (day_of[number - first], member.relation)
            for number, _, member in members
            if member.relation is not None
        )
        return Tally(
            _copies((day_of[at] for at in places), (day_of[at] for at in copies)),
            _copies((sources[at] for at in places), (sources[at] for at in copies)),
            dict(related),
            dict(sizes),
        )

    def add_times(self, counts: Counts) -> None:
        """Add to how often work took a time."""
        for (day, work, step), count in counts.items():
            self._records.add(TIMES, f"{day}:{step}:{work}".encode(), count)

    def times(self, since: int | None) -> Counts:
        """How often work took a time since a day."""
        self._fresh()
        counts = Counter(
            {name: int(n) for name, n in pairs_of(self._records.one(b"a" + TIMES)).items()}
        )
        counts.update(self._records.added(TIMES))
        keyed = ((_time(name), count) for name, count in counts.items())
        return {key: count for key, count in keyed if since is None or key[0] >= since}

    def _clear_times(self, before: int) -> None:
        for day, work, step in self.times(None):
            if day < before:
                self._records.put(f"h{TIMES.decode()}\n{day}:{step}:{work}".encode(), None)

    def verify(self) -> list[Check]:
        """Whether the store is as it should be, and the server set up to keep it so."""
        self._fresh()
        return [self._durable(), self._evicting(), self._complete(), self._copies()]

    def _durable(self) -> Check:
        persistence = self._records.link.information("persistence")
        if persistence.get("aof_enabled"):
            return Check("durability", True, "appendonly yes; see appendfsync for how soon")
        detail = (
            "appendonly is off: a server that stops may lose what it took in last; "
            "set appendonly yes"
        )
        return Check("durability", True, detail, warning=True)

    def _evicting(self) -> Check:
        memory = self._records.link.information("memory")
        policy, most = memory.get("maxmemory_policy", "unknown"), int(memory.get("maxmemory", 0))
        harmless = policy == "noeviction" or not most
        detail = f"maxmemory {most}, policy {policy}"
        advice = "" if policy == "noeviction" else ": set maxmemory-policy noeviction"
        return Check("eviction", harmless, detail + advice)

    def _complete(self) -> Check:
        newest = list(range(max(self._heads.first, self._heads.last - LOOKED_AT), self._heads.last))
        present = [n for n in [*newest, self._heads.last] if self._heads.name(n)]
        rows = self._records.fetch([row_name(number) for number in present])
        without = [n for n in present if rows[row_name(n)] is None]
        texts = len(present) if self._keep != "all" else len(self._texts.get(present))
        lost = len(without) + len(present) - texts
        detail = f"{len(self._heads)} articles, of the newest {len(present)} {lost} not whole"
        return Check("articles", not lost, detail)

    def _copies(self) -> Check:
        """Whether copies are of what is kept in their story; that may have expired before them."""
        places = {m.id: (story, m.duplicate_of) for _, story, m in self._all_members()}
        duplicates = {name: place for name, place in places.items() if place[1] is not None}
        lost = [
            name
            for name, (story, original) in duplicates.items()
            if places.get(original or "") != (story, None) and not self._expired(original or "")
        ]
        return copies(len(duplicates), lost)

    def _expired(self, name: str) -> bool:
        return self._expiry.window is not None and self._heads.number(name) is None


def _time(name: bytes) -> tuple[int, str, int]:
    day, step, work = name.decode().split(":", 2)
    return int(day), work, int(step)


def _copies(articles: Iterator[Any], copies: Iterator[Any]) -> dict[Any, Copies]:
    counts, duplicates = Counter(articles), Counter(copies)
    return {name: Copies(count, duplicates[name]) for name, count in counts.items()}
