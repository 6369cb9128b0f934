"""The Redis store, composed of its parts."""

from collections import Counter
from contextlib import suppress
from datetime import datetime, timedelta

import numpy as np

from nearcopy.config import Recipe
from nearcopy.config.units import MICROSECOND, to_micros
from nearcopy.errors import RecipeMismatch, StoreError
from nearcopy.match.candidate_index import DAY
from nearcopy.models import Check
from nearcopy.stores import DEFAULT_POOL
from nearcopy.stores.base import (
    NO_LATENCIES,
    ComposedStore,
    LatencyCounts,
    StoreCounts,
    StoreSettings,
    StoryCursor,
    StoryFilter,
    StoryOrder,
    StoryPlace,
)
from nearcopy.stores.full_scans import count_articles, scan_stories
from nearcopy.stores.integrity import check_members, recipe_mismatch
from nearcopy.stores.redis.article_headers import NO_TIME, Expiry
from nearcopy.stores.redis.articles import Articles
from nearcopy.stores.redis.binary_format import field_name, row_name, unpack_hash
from nearcopy.stores.redis.connection import Connection, parse_address
from nearcopy.stores.redis.edges import Edges
from nearcopy.stores.redis.stories import FeedbackLog, Stories
from nearcopy.stores.redis.transactions import Session
from nearcopy.stores.row_codec import recipe_from_json, recipe_to_json

FORMAT = b"1"
CHECKED = 2000  # of the newest articles
LATENCIES, TERMS = "times", b"gterms"
CLOSE_SECONDS = 0.2  # to wait for other writers


class Statistics:
    """Counts of terms and articles, and latencies."""

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
        arrivals = list(zip(days.tolist(), self._headers.sources(), strict=True))
        return count_articles(
            [arrivals[place] for place in np.flatnonzero(counted).tolist()],
            [
                (arrivals[number - first], story, member)
                for number, story, member in self._stories.scan_members()
                if counted[number - first]
            ],
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


class RedisStore(ComposedStore):
    """A store on a Redis server, under one prefix."""

    def __init__(self, address: str, pool: str = DEFAULT_POOL) -> None:
        parsed = parse_address(address, pool)
        self.address = parsed.shown
        self._pool, self._requested_keep = pool, parsed.keep
        self.session = Session(Connection(parsed))
        edges, self._stories = Edges(self.session), Stories(self.session)
        self._statistics = Statistics(self.session, self._stories)
        articles, feedback = Articles(self.session, edges), FeedbackLog(self.session)
        super().__init__(articles, edges, self._stories, feedback, self._statistics)
        self.snapshot, self.transaction = self.session.snapshot, self.session.transaction

    # Settings.

    def bind(self, recipe: Recipe | None, version: int, window: timedelta | None = None) -> Recipe:
        """The recipe of this store; the first caller decides it, any other recipe is refused."""
        meta = self.session.connection.meta()
        if b"recipe" not in meta:
            self._create(recipe or Recipe(), version, window)
            meta = self.session.connection.meta()
        recipe_id, stored = meta[b"recipe"].decode(), meta[b"recipe_json"].decode()
        if recipe is not None and recipe.id != recipe_id:
            raise recipe_mismatch(f"store {self.address}", recipe_id, stored, recipe)
        if meta[b"keys"] != b"%d" % version or meta[b"format"] != FORMAT:
            raise RecipeMismatch(
                f"store {self.address} was filled with keys of version {meta[b'keys'].decode()} "
                f"and format {meta[b'format'].decode()}, this nearcopy makes {version} and "
                f"{FORMAT.decode()}: fill another store"
            )
        self._configure(recipe or recipe_from_json(stored), meta)
        return self.session.recipe

    def _create(self, recipe: Recipe, version: int, window: timedelta | None) -> None:
        """Create the store, unless another worker has done so."""
        with self.transaction():
            if self.session.records.get_one(field_name("meta", "recipe")) is not None:
                return
            settings = {
                "recipe": recipe.id,
                "recipe_json": recipe_to_json(recipe),
                "keys": version,
                "keep": self._requested_keep or "all",
                "window": "" if window is None else window // MICROSECOND,
                "born": self.session.worker_id,
                "format": FORMAT.decode(),
            }
            for name, value in settings.items():
                self.session.records.write(field_name("meta", name), str(value).encode())
            self.session.connection.list_pool(self._pool)

    def _configure(self, recipe: Recipe, meta: dict[bytes, bytes]) -> None:
        keep = meta[b"keep"].decode()
        if self._requested_keep not in (None, keep):
            raise StoreError(
                f"{self.address}: this store was made with keep={keep}: "
                "open it with that, or fill another store"
            )
        self.session.configure(recipe, keep, Expiry(_window(meta)))

    def settings(self) -> StoreSettings | None:
        """What this store was created with; None if it is not bound yet."""
        meta = self.session.connection.meta()
        if b"recipe" not in meta:
            return None
        recipe = recipe_from_json(meta[b"recipe_json"].decode())
        return StoreSettings(recipe, int(meta[b"keys"]), _window(meta))

    def format(self) -> str:
        """The storage format; raises StoreError for one that this version cannot read."""
        stored = self.session.connection.meta().get(b"format", FORMAT)
        if stored != FORMAT:
            raise StoreError(
                f"{self.address} has format {stored.decode()}, this nearcopy reads "
                f"{FORMAT.decode()}: open it with the version that created it, or fill another "
                "store"
            )
        return stored.decode()

    def note(self, name: str) -> str | None:
        self.session.refresh()
        text = self.session.records.get_one(field_name("meta", f"note {name}"))
        return None if text is None else text.decode()

    def set_note(self, name: str, text: str | None) -> None:
        value = None if text is None else text.encode()
        self.session.records.write(field_name("meta", f"note {name}"), value)

    # What several parts, or the server, have a share in.

    def collect_garbage(self, before: datetime) -> bool:
        """Remove latencies of earlier days; nothing else is left of removed articles."""
        self._statistics.remove_latencies((to_micros(before) or 0) // DAY)
        return False

    def list_stories(
        self, query: StoryFilter, order: StoryOrder, after: StoryCursor | None, limit: int
    ) -> list[StoryPlace]:
        """A page of stories, by a scan over all stories."""
        return scan_stories(self, query, order, after, limit)

    # Integrity checks.

    def verify(self) -> list[Check]:
        """The results of the integrity checks, also of the settings of the server."""
        self.session.refresh()
        return [
            self._check_durability(),
            self._check_eviction(),
            self._check_articles(),
            self._check_duplicates(),
        ]

    def _check_durability(self) -> Check:
        if self.session.connection.info("persistence").get("aof_enabled"):
            return Check("durability", True, "appendonly yes; see appendfsync for how soon")
        detail = (
            "appendonly is off: a server that stops may lose what it was sent last; "
            "set appendonly yes"
        )
        return Check("durability", True, detail, warning=True)

    def _check_eviction(self) -> Check:
        memory = self.session.connection.info("memory")
        policy, limit = memory.get("maxmemory_policy", "unknown"), int(memory.get("maxmemory", 0))
        harmless = policy == "noeviction" or not limit
        detail = f"maxmemory {limit}, policy {policy}"
        advice = "" if policy == "noeviction" else ": set maxmemory-policy noeviction"
        return Check("eviction", harmless, detail + advice)

    def _check_articles(self) -> Check:
        """Whether the newest articles have their fingerprints and texts."""
        last = self.session.headers.last
        newest = range(max(self.session.headers.first, last - CHECKED), last + 1)
        present = [number for number in newest if self.session.headers.id(number)]
        rows = self.session.records.fetch([row_name(number) for number in present])
        without_row = sum(rows[row_name(number)] is None for number in present)
        keeps_texts = self.session.keep == "all"
        texts = len(self.session.texts.get(present)) if keeps_texts else len(present)
        incomplete = without_row + len(present) - texts
        count = f"{len(self.session.headers)} articles"
        detail = f"{count}, {incomplete} of the newest {len(present)} incomplete"
        return Check("articles", not incomplete, detail)

    def _check_duplicates(self) -> Check:
        members = self._stories.scan_members()
        return check_members(
            {member.id: (story, member.duplicate_of) for _, story, member in members},
            self._is_expired,
        )

    def _is_expired(self, id_: str) -> bool:
        return self.session.expiry.window is not None and not self.session.headers.numbers([id_])

    def close(self, counts: LatencyCounts = NO_LATENCIES) -> None:
        """Close the connections; the latencies are saved unless another worker is writing."""
        connection = self.session.connection
        if counts:
            with suppress(StoreError):
                self.session.lock_seconds = connection.retry_seconds = CLOSE_SECONDS
                with self.transaction():
                    self.add_latencies(counts)
        connection.close()


def list_pools_at(address: str) -> list[str]:
    """The pools under the prefix of an address."""
    connection = Connection(parse_address(address, DEFAULT_POOL))
    try:
        return connection.pools()
    finally:
        connection.close()


def _window(meta: dict[bytes, bytes]) -> timedelta | None:
    return int(meta[b"window"]) * MICROSECOND if meta[b"window"] else None


def _parse_latency(field: bytes) -> tuple[int, str, int]:
    day, bucket, operation = field.decode().split(":", 2)
    return int(day), operation, int(bucket)
