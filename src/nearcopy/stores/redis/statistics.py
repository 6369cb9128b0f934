"""Statistics of a Redis store: term and article counts, latencies, and integrity checks."""

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import TypeVar

import numpy as np

from nearcopy.match.candidate_index import DAY
from nearcopy.models import Check
from nearcopy.stores.base import ArticleCounts, LatencyCounts, StoreCounts
from nearcopy.stores.integrity import check_duplicates
from nearcopy.stores.redis.article_headers import NO_TIME
from nearcopy.stores.redis.binary_format import field_name, row_name, unpack_hash
from nearcopy.stores.redis.stories import Stories
from nearcopy.stores.redis.transactions import Session

CHECKED = 2000  # of the newest articles
LATENCIES, TERMS = "times", b"gterms"
Key = TypeVar("Key", bound=Hashable)


class Statistics:
    """Counts what is stored, and checks that it is complete."""

    def __init__(self, session: Session, stories: Stories) -> None:
        self._session, self._stories = session, stories
        self._records, self._headers = session.records, session.headers

    def term_counts(self) -> bytes:
        self._session.refresh()
        return self._records.get_one(TERMS) or b""

    def save_term_counts(self, counts: bytes) -> None:
        self._records.write(TERMS, counts)

    def count_articles(self, since: int | None) -> StoreCounts:
        self._session.refresh()
        seen, first = self._headers.seen(), self._headers.first
        days = np.where(seen == NO_TIME, 0, seen // DAY)
        counted = self._headers.exist() & (days >= (since if since is not None else -(1 << 62)))
        places = np.flatnonzero(counted).tolist()
        sources, day_of = self._headers.sources(), days.tolist()
        members = [m for m in self._stories.scan_members() if counted[m[0] - first]]
        duplicates = [number - first for number, _, member in members if member.duplicate_of]
        sizes = Counter(Counter(story for _, story, _ in members).values())
        if len(places) > len(members):
            sizes[1] += len(places) - len(members)
        related = Counter(
            (day_of[number - first], member.relation)
            for number, _, member in members
            if member.relation is not None
        )
        return StoreCounts(
            _count((day_of[at] for at in places), (day_of[at] for at in duplicates)),
            _count((sources[at] for at in places), (sources[at] for at in duplicates)),
            dict(related),
            dict(sizes),
        )

    def add_latencies(self, counts: LatencyCounts) -> None:
        for (day, operation, bucket), count in counts.items():
            field = f"{day}:{bucket}:{operation}".encode()
            self._records.increment(LATENCIES.encode(), field, count)

    def latencies(self, since: int | None) -> LatencyCounts:
        self._session.refresh()
        stored = unpack_hash(self._records.get_one(f"a{LATENCIES}".encode()))
        counts = Counter({field: int(count) for field, count in stored.items()})
        counts.update(self._records.increments(LATENCIES.encode()))
        by_key = ((_parse_latency(field), count) for field, count in counts.items())
        return {key: count for key, count in by_key if since is None or key[0] >= since}

    def remove_latencies(self, before: int) -> None:
        """Remove the latencies of the days before one."""
        for day, operation, bucket in self.latencies(None):
            if day < before:
                self._records.write(field_name(LATENCIES, f"{day}:{bucket}:{operation}"), None)

    # Integrity checks.

    def verify(self) -> list[Check]:
        """The results of the integrity checks, also of the settings of the server."""
        self._session.refresh()
        return [
            self._check_durability(),
            self._check_eviction(),
            self._check_articles(),
            self._check_duplicates(),
        ]

    def _check_durability(self) -> Check:
        if self._session.connection.info("persistence").get("aof_enabled"):
            return Check("durability", True, "appendonly yes; see appendfsync for how soon")
        detail = (
            "appendonly is off: a server that stops may lose what it was sent last; "
            "set appendonly yes"
        )
        return Check("durability", True, detail, warning=True)

    def _check_eviction(self) -> Check:
        memory = self._session.connection.info("memory")
        policy, limit = memory.get("maxmemory_policy", "unknown"), int(memory.get("maxmemory", 0))
        harmless = policy == "noeviction" or not limit
        detail = f"maxmemory {limit}, policy {policy}"
        advice = "" if policy == "noeviction" else ": set maxmemory-policy noeviction"
        return Check("eviction", harmless, detail + advice)

    def _check_articles(self) -> Check:
        """Whether the newest articles have their fingerprints and texts."""
        last = self._headers.last
        newest = range(max(self._headers.first, last - CHECKED), last + 1)
        present = [number for number in newest if self._headers.id(number)]
        rows = self._records.fetch([row_name(number) for number in present])
        without_row = sum(rows[row_name(number)] is None for number in present)
        keeps_texts = self._session.keep == "all"
        texts = len(self._session.texts.get(present)) if keeps_texts else len(present)
        incomplete = without_row + len(present) - texts
        count = f"{len(self._headers)} articles"
        detail = f"{count}, {incomplete} of the newest {len(present)} incomplete"
        return Check("articles", not incomplete, detail)

    def _check_duplicates(self) -> Check:
        """Whether duplicates are of the kept copy of their story, unless that has expired."""
        members = {m.id: (story, m.duplicate_of) for _, story, m in self._stories.scan_members()}
        duplicates = {
            name: (story, original)
            for name, (story, original) in members.items()
            if original is not None
        }
        orphans = [
            name
            for name, (story, original) in duplicates.items()
            if members.get(original) != (story, None) and not self._is_expired(original)
        ]
        return check_duplicates(len(duplicates), orphans)

    def _is_expired(self, id_: str) -> bool:
        return self._session.expiry.window is not None and self._headers.number(id_) is None


def _parse_latency(field: bytes) -> tuple[int, str, int]:
    day, bucket, operation = field.decode().split(":", 2)
    return int(day), operation, int(bucket)


def _count(articles: Iterable[Key], duplicates: Iterable[Key]) -> dict[Key, ArticleCounts]:
    by_key, duplicates_by_key = Counter(articles), Counter(duplicates)
    return {key: ArticleCounts(count, duplicates_by_key[key]) for key, count in by_key.items()}
