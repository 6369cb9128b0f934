"""The contract of every store: five small protocols, which `Store` composes.

A store indexes articles by their blocking keys, partitioned by day, and keeps the edges between
them, the stories they form, the feedback of users, and statistics. It knows nothing of hashing,
thresholds or relations. Times are aware datetimes; ids are the caller's. Ids that are not stored
are skipped without an error.

All writes happen inside `transaction()`. A transaction is serializable: no other writer runs
meanwhile, what was read inside stays true until it ends, and all of it is committed or, after an
exception, none. So of several workers that check and add copies at the same time, exactly one is
the first.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Literal, NamedTuple, Protocol

from nearcopy.config import Recipe
from nearcopy.fingerprint.blocking_keys import Keys
from nearcopy.models import Article, Check, Edge, Fingerprint, Member, Relation, Story, StoryLink
from nearcopy.models.feedback import Feedback, StoryAction

Probe = tuple[Fingerprint, Keys]
LatencyCounts = Mapping[tuple[int, str, int], int]  # by day since 1970, operation, and bucket
NO_LATENCIES: LatencyCounts = MappingProxyType({})
Runs = Mapping[str, int]  # by article id
NO_RUNS: Runs = MappingProxyType({})
StoryOrder = Literal["newest", "largest"]
UNLIMITED = 1 << 62  # rows


class StoreSettings(NamedTuple):
    """What a store was created with."""

    recipe: Recipe
    key_version: int
    window: timedelta | None = None  # after which articles expire; None: never


class StoredArticle(NamedTuple):
    """An article with its fingerprint and its blocking keys."""

    article: Article
    fingerprint: Fingerprint
    keys: Keys


class Candidates(NamedTuple):
    """The articles that share enough keys with a probe."""

    candidates: list[Fingerprint]
    truncated: int = 0  # candidates beyond the limit


class ArticleCounts(NamedTuple):
    """The number of articles, and how many of them are duplicates."""

    articles: int
    duplicates: int


class StoreCounts(NamedTuple):
    """Articles by day and source, members by day and relation to the kept copy, story sizes."""

    days: dict[int, ArticleCounts]  # of arrival, counted from 1970
    sources: dict[str | None, ArticleCounts]
    related: dict[tuple[int, Relation], int]
    sizes: dict[int, int]  # the number of stories by their number of articles

    @property
    def relations(self) -> dict[Relation, int]:
        """Members by relation, surest first."""
        counts: dict[Relation, int] = {}
        for (_, relation), count in self.related.items():
            counts[relation] = counts.get(relation, 0) + count
        return {kind: counts[kind] for kind in Relation if kind in counts}


class StoryFilter(NamedTuple):
    """Stories of at least `least` articles, one of which matches all other conditions."""

    least: int = 1
    since: datetime | None = None  # published, or first seen where undated
    until: datetime | None = None  # exclusive
    source: str | None = None  # as fingerprints hold it
    text: str | None = None  # within the title, ignoring case


class StoryCursor(NamedTuple):
    """Where a page begins: after the story of this size and latest sequence number."""

    size: int
    latest: int


class StoryPlace(NamedTuple):
    """One row of a page: a story, or an article that is in no story."""

    size: int
    latest: int  # the highest sequence number of its articles
    story: str | None
    article: str | None = None


class ArticleStore(Protocol):
    """Articles, their fingerprints, and the candidate index."""

    def find_candidates(
        self, probes: Sequence[Probe], window: timedelta | None, limit: int | None = None
    ) -> list[Candidates]:
        """For each probe the articles within the window that share enough keys.

        The candidate index says what is enough (`nearcopy.match.candidate_index`). Day partitions
        are returned whole: the caller compares the hours. Beyond the limit (None: that of the
        index) the articles with the most keys in common are returned, of these the first added.
        """

    def save_articles(self, articles: Sequence[StoredArticle], runs: Runs = NO_RUNS) -> None:
        """Insert or replace articles by id.

        A replaced article becomes a revision where its title or text differs; its edges are
        removed. `runs` overrides the run in which an article was first added.
        """

    def remove(self, ids: Collection[str]) -> int:
        """Remove articles and their edges, leaving tombstones; returns how many there were."""

    def drop(self, ids: Collection[str]) -> int:
        """Remove articles without leaving tombstones; returns how many there were."""

    def dates(self, ids: Collection[str]) -> dict[str, datetime | None]:
        """When each article was published; when it was first seen if undated."""

    def ids_before(self, before: datetime) -> Iterator[str]:
        """The articles dated before a time, fetched in batches; they may be removed meanwhile."""

    def fingerprints(self, ids: Collection[str]) -> dict[str, Fingerprint]:
        """The fingerprints of the articles."""

    def keys(self, ids: Collection[str]) -> dict[str, Keys]:
        """The blocking keys of the articles, where the store keeps or can derive them."""

    def articles(self, ids: Collection[str]) -> dict[str, Article]:
        """The articles as they were added."""

    def revisions(self, ids: Collection[str]) -> dict[str, list[Article]]:
        """The earlier revisions of those articles that have any, earliest first."""

    def sequence_numbers(self, ids: Collection[str]) -> dict[str, int]:
        """The sequence numbers of the articles, ascending in the order they were added."""

    def runs(self, ids: Collection[str]) -> dict[str, int]:
        """The run in which each article was first added.

        A run is one opening of the store that added something; runs are numbered from 1.
        """

    def run_count(self) -> int:
        """The number of runs so far."""

    def ids(self) -> Iterator[str]:
        """All articles, in the order they were added."""

    def latest_ids(self, before: int | None, limit: int) -> list[tuple[int, str]]:
        """Sequence numbers and ids of the last articles below a sequence number, latest first."""


class EdgeStore(Protocol):
    """The edges between articles: the decision on each compared pair."""

    def save_edges(self, edges: Iterable[Edge]) -> None:
        """Insert or replace edges by their pair; edges of articles not stored are skipped."""

    def edges(self, ids: Collection[str]) -> list[Edge]:
        """All edges with at least one end among these articles."""

    def edges_among(self, ids: Collection[str]) -> list[Edge]:
        """All edges with both ends among these articles."""

    def links(self, ids: Collection[str]) -> list[StoryLink]:
        """The edges of these articles that put two articles into one story."""

    def connected_ids(self, ids: Collection[str], limit: int) -> list[str]:
        """These articles and all that joins connect them to, directly or not; up to `limit`."""


class StoryStore(Protocol):
    """Stories, their members, and the redirects of merged stories."""

    def save_stories(
        self, stories: Iterable[Story], removed: Collection[str], redirects: Mapping[str, str]
    ) -> None:
        """Save stories with their members, delete the removed ones, and add redirects."""

    def members(self, ids: Collection[str]) -> dict[str, tuple[str, Member]]:
        """The story id and membership of each article that is in a story."""

    def stories(self, ids: Collection[str]) -> dict[str, Story]:
        """The stories by id."""

    def story_ids(self) -> Iterator[str]:
        """All stories, in no order."""

    def used_story_ids(self, stories: Collection[str]) -> set[str]:
        """Which of these ids name a story or a redirect."""

    def resolve_story(self, story: str) -> str:
        """The story that redirects lead to in the end; else the story itself."""

    def redirects(self) -> dict[str, str]:
        """All redirects, from a story that was merged to the next one."""


class FeedbackStore(Protocol):
    """Feedback on pairs of articles, and the audit log of actions on stories."""

    def save_feedback(self, feedback: Feedback) -> None:
        """Insert or replace the feedback on a pair.

        It is kept by the two ids: it outlives the articles, and applies to whatever is added
        under these ids later.
        """

    def remove_feedback(self, a: str, b: str) -> bool:
        """Delete the feedback on a pair, in either order; whether there was any."""

    def has_feedback(self) -> bool:
        """Whether there may be any feedback, or an action that keeps an article."""

    def feedback_about(self, ids: Collection[str]) -> list[Feedback]:
        """The feedback on pairs with at least one of these ids, be they stored or not."""

    def all_feedback(self) -> list[Feedback]:
        """All feedback, oldest first."""

    def save_action(self, action: StoryAction) -> None:
        """Insert or replace an action in the audit log by its number."""

    def actions(self, before: int | None = None, limit: int = UNLIMITED) -> list[StoryAction]:
        """The last actions with a number below `before`, latest first."""

    def preferred_copies(self, ids: Collection[str]) -> dict[str, int]:
        """Those ids that an action not undone keeps, with the number of the last such action."""


class StatisticsStore(Protocol):
    """Counts for reports: term frequencies, articles and stories, latencies."""

    def term_counts(self) -> bytes:
        """The packed term frequencies last saved; empty at first.

        A process may see those from before it opened the store.
        """

    def save_term_counts(self, counts: bytes) -> None:
        """Replace the packed term frequencies."""

    def count_articles(self, since: int | None) -> StoreCounts:
        """Counts of the articles added since a day, counted from 1970; None: all."""

    def add_latencies(self, counts: LatencyCounts) -> None:
        """Add to the latency histogram."""

    def latencies(self, since: int | None) -> LatencyCounts:
        """The latency histogram since a day, counted from 1970; None: all."""


class Store(ArticleStore, EdgeStore, StoryStore, FeedbackStore, StatisticsStore, Protocol):
    """A place where articles are kept, with its transactions and settings."""

    address: str

    def bind(self, recipe: Recipe | None, version: int, window: timedelta | None = None) -> Recipe:
        """The recipe of this store; the first caller decides it, any other recipe is refused.

        So is another version of the keys. A store whose articles expire keeps them for the window
        that the first caller gives; None: for ever.
        """

    def settings(self) -> StoreSettings | None:
        """What this store was created with; None if it is not bound yet."""

    def note(self, name: str) -> str | None:
        """The note of this name, if any."""

    def set_note(self, name: str, text: str | None) -> None:
        """Set or, with None, delete the note of this name."""

    def snapshot(self) -> AbstractContextManager[None]:
        """All reads inside see one consistent state."""

    def transaction(self) -> AbstractContextManager[None]:
        """All reads and writes inside are one transaction: committed or rolled back as a whole."""

    def list_stories(
        self, query: StoryFilter, order: StoryOrder, after: StoryCursor | None, limit: int
    ) -> list[StoryPlace]:
        """A page of stories and of articles that are in no story, after a cursor."""

    def collect_garbage(self, before: datetime) -> bool:
        """Delete some tombstones and latencies from before a time; whether more is left.

        Each call is a short transaction of its own, so that other writers need not wait long.
        """

    def verify(self) -> list[Check]:
        """The results of the integrity checks."""

    def close(self, counts: LatencyCounts = NO_LATENCIES) -> None:
        """Close files and connections; everything committed stays.

        `counts` are added to the latencies first, unless another writer is active.
        """


class ComposedStore:
    """The methods of the contract that are those of a store's parts."""

    def __init__(
        self,
        articles: ArticleStore,
        edges: EdgeStore,
        stories: StoryStore,
        feedback: FeedbackStore,
        statistics: StatisticsStore,
    ) -> None:
        self.find_candidates, self.save_articles = articles.find_candidates, articles.save_articles
        self.remove, self.drop = articles.remove, articles.drop
        self.dates, self.ids_before = articles.dates, articles.ids_before
        self.fingerprints, self.keys = articles.fingerprints, articles.keys
        self.articles, self.revisions = articles.articles, articles.revisions
        self.sequence_numbers, self.runs = articles.sequence_numbers, articles.runs
        self.run_count = articles.run_count
        self.ids, self.latest_ids = articles.ids, articles.latest_ids

        self.save_edges, self.edges = edges.save_edges, edges.edges
        self.edges_among, self.links = edges.edges_among, edges.links
        self.connected_ids = edges.connected_ids

        self.save_stories, self.stories = stories.save_stories, stories.stories
        self.members, self.story_ids = stories.members, stories.story_ids
        self.used_story_ids = stories.used_story_ids
        self.resolve_story, self.redirects = stories.resolve_story, stories.redirects

        self.save_feedback, self.remove_feedback = feedback.save_feedback, feedback.remove_feedback
        self.has_feedback = feedback.has_feedback
        self.feedback_about, self.all_feedback = feedback.feedback_about, feedback.all_feedback
        self.save_action, self.actions = feedback.save_action, feedback.actions
        self.preferred_copies = feedback.preferred_copies

        self.term_counts = statistics.term_counts
        self.save_term_counts = statistics.save_term_counts
        self.count_articles = statistics.count_articles
        self.add_latencies, self.latencies = statistics.add_latencies, statistics.latencies
