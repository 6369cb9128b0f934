"""The Redis store, composed of its parts."""

from contextlib import suppress
from datetime import datetime, timedelta

from nearcopy.config import Recipe
from nearcopy.config.units import MICROSECOND, to_micros
from nearcopy.errors import RecipeMismatch, StoreError
from nearcopy.match.candidate_index import DAY
from nearcopy.stores.addresses import DEFAULT_POOL
from nearcopy.stores.base import (
    NO_LATENCIES,
    LatencyCounts,
    StoreSettings,
    StoryCursor,
    StoryFilter,
    StoryOrder,
    StoryPlace,
    scan_stories,
)
from nearcopy.stores.integrity import recipe_mismatch
from nearcopy.stores.redis.article_headers import Expiry
from nearcopy.stores.redis.articles import Articles
from nearcopy.stores.redis.binary_format import field_name
from nearcopy.stores.redis.candidates import CandidateLookup
from nearcopy.stores.redis.connection import Connection, parse_address
from nearcopy.stores.redis.edges import Edges
from nearcopy.stores.redis.feedback import FeedbackLog
from nearcopy.stores.redis.statistics import Statistics
from nearcopy.stores.redis.stories import Stories
from nearcopy.stores.redis.transactions import Session
from nearcopy.stores.row_codec import recipe_from_json, recipe_to_json

FORMAT = b"1"
CLOSE_SECONDS = 0.2  # to wait for other writers


class RedisStore:
    """A store on a Redis server, under one prefix."""

    def __init__(self, address: str, pool: str = DEFAULT_POOL) -> None:
        parsed = parse_address(address, pool)
        self.address = parsed.shown
        self._pool, self._requested_keep = pool, parsed.keep
        self.session = Session(Connection(parsed))
        self._candidates = CandidateLookup(self.session)
        self._edges = Edges(self.session)
        self._articles = Articles(self.session, self._edges)
        self._stories = Stories(self.session)
        self._feedback = FeedbackLog(self.session)
        self._statistics = Statistics(self.session, self._stories)
        self._delegate()

    def _delegate(self) -> None:
        """The methods of the contract are those of the parts."""
        self.snapshot, self.transaction = self.session.snapshot, self.session.transaction

        articles = self._articles
        self.find_candidates = self._candidates.find_candidates
        self.save_articles = articles.save_articles
        self.remove = self.drop = articles.remove  # nothing is left of what is removed
        self.dates, self.ids_before = articles.dates, articles.ids_before
        self.fingerprints, self.keys = articles.fingerprints, articles.keys
        self.articles, self.revisions = articles.articles, articles.revisions
        self.sequence_numbers, self.runs = articles.sequence_numbers, articles.runs
        self.run_count = articles.run_count
        self.ids, self.latest_ids = articles.ids, articles.latest_ids

        edges = self._edges
        self.save_edges, self.edges = edges.save_edges, edges.edges
        self.edges_among, self.links = edges.edges_among, edges.links
        self.connected_ids = edges.connected_ids

        stories = self._stories
        self.save_stories, self.stories = stories.save_stories, stories.stories
        self.members, self.story_ids = stories.members, stories.story_ids
        self.used_story_ids = stories.used_story_ids
        self.resolve_story, self.redirects = stories.resolve_story, stories.redirects

        feedback = self._feedback
        self.save_feedback, self.remove_feedback = feedback.save_feedback, feedback.remove_feedback
        self.feedback_about, self.all_feedback = feedback.feedback_about, feedback.all_feedback
        self.save_action, self.actions = feedback.save_action, feedback.actions
        self.preferred_copies = feedback.preferred_copies

        statistics = self._statistics
        self.term_counts = statistics.term_counts
        self.save_term_counts = statistics.save_term_counts
        self.count_articles, self.verify = statistics.count_articles, statistics.verify
        self.add_latencies, self.latencies = statistics.add_latencies, statistics.latencies

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
