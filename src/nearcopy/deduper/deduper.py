"""The Deduper: has this article been published before, where, and how do we know?"""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Self

from nearcopy.cluster.duplicate_groups import OversizedGroup
from nearcopy.cluster.outlet_spread import Spread
from nearcopy.config import Policy, Recipe
from nearcopy.deduper import (
    check_and_add,
    feedback,
    retention,
    review_queue,
    similar,
    statistics,
    stories,
    story_actions,
)
from nearcopy.deduper.check_and_add import BATCH_SIZE
from nearcopy.deduper.feedback import FeedbackResult
from nearcopy.deduper.review_queue import Example, ReviewPage
from nearcopy.deduper.session import ID_BATCH_SIZE, Session, id_list
from nearcopy.deduper.statistics import Stats
from nearcopy.deduper.stories import StoryPage
from nearcopy.deduper.story_actions import ActionResult
from nearcopy.fingerprint.term_weights import TermCounts
from nearcopy.match.explain import Explanation
from nearcopy.models import Article, Check, Edge, Match, Story, Verdict
from nearcopy.models.batches import batches
from nearcopy.models.feedback import Feedback, StoryAction
from nearcopy.stores.base import StoryFilter
from nearcopy.stores.retry import retry_transient

__all__ = ["BATCH_SIZE", "Deduper"]


def _now() -> datetime:
    return datetime.now(UTC)


class Deduper:
    """Articles in a store, their verdicts and their stories. Thread-safe.

    Args:
        address: Store address: `memory://`, `sqlite:///seen.db`, `postgresql://host/database` or
            `redis://host:6379/0`.
        recipe: How fingerprints are made; None for that of the store, or the default in a new one.
        policy: How pairs are decided and stories clustered; None for the default.
        threads: Threads that fingerprint articles.
        clock: The current time; replace it in tests.
        pool: The pool of the store; pools never see each other's articles.

    >>> with Deduper() as deduper:
    ...     url = "https://example.org/news/1"
    ...     first = deduper.add(Article(id="a", url=url, text="Hello."))
    ...     copy = deduper.add(Article(id="b", url="http://www.example.org/news/1", text="Hello."))
    >>> first.is_duplicate, copy.is_duplicate, copy.duplicate_of, copy.relation.value
    (False, True, 'a', 'same_url')
    """

    def __init__(
        self,
        address: str = "memory://",
        recipe: Recipe | None = None,
        policy: Policy | None = None,
        *,
        threads: int = 1,
        clock: Callable[[], datetime] = _now,
        pool: str | None = None,
    ) -> None:
        self._session = Session(address, recipe, policy, threads=threads, clock=clock, pool=pool)
        self._store = self._session.store

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store."""
        self._session.close()

    @property
    def address(self) -> str:
        """The store address, without a password."""
        return self._session.address

    @property
    def recipe(self) -> Recipe:
        """The recipe of the store."""
        return self._session.recipe

    @property
    def policy(self) -> Policy:
        """The policy by which pairs are decided."""
        return self._session.policy

    @property
    def provisional(self) -> bool:
        """Whether stories may depend on the insertion order until `recluster`."""
        return self._session.provisional

    @property
    def oversized_groups(self) -> list[OversizedGroup]:
        """The groups that grew beyond `policy.max_story_size` in this session."""
        return self._session.oversized_groups

    # Check and add

    def check(self, article: Article) -> Verdict:
        """The verdict on an article; nothing is written."""
        return check_and_add.check(self._session, article)

    def check_all(self, articles: Iterable[Article]) -> list[Verdict]:
        """The verdict on each article as if the others did not exist; nothing is written."""
        return check_and_add.check_all(self._session, articles)

    def add(self, article: Article) -> Verdict:
        """The verdict on an article, which is then stored. Check-and-add is atomic.

        An article with a stored id replaces that version, and is never a duplicate of itself. An
        unchanged one gets the verdict of its first insertion, and is not stored again.
        """
        return check_and_add.add_batch(self._session, [check_and_add.require_article(article)])[0]

    def run(self, articles: Iterable[Article], *, cluster: bool = True) -> Iterator[Verdict]:
        """The verdict on each article, in order, as `add` gives it; stored in durable batches.

        Without `cluster`, stories are left to `recluster`: faster for many new articles.
        """
        for batch in check_and_add.article_batches(articles):
            yield from check_and_add.add_batch(self._session, batch, cluster=cluster)

    # Articles

    @retry_transient
    def article(self, id: str) -> Article:  # noqa: A002
        """A stored article."""
        with self._session.snapshot():
            self._session.require([id])
            return self._store.articles([id])[id]

    def articles(self, ids: Iterable[str]) -> dict[str, Article]:
        """The stored ones of these articles, by id."""
        listed = list(ids)
        return self._session.read(lambda: self._store.articles(listed))

    def latest(self, *, limit: int = 20) -> list[str]:
        """The ids of the articles inserted last, the last one first."""
        latest = self._session.read(lambda: self._store.latest_ids(None, max(1, limit)))
        return [id_ for _, id_ in latest]

    def revisions(self, id: str) -> list[Article]:  # noqa: A002
        """The earlier versions of an article, earliest first."""
        return self._session.read(lambda: self._store.revisions([id])).get(id, [])

    def similar(self, id: str, *, limit: int = 10) -> list[Match]:  # noqa: A002
        """The articles similar to a stored one, most similar first."""
        return self.similar_all([id], limit=limit)[id]

    def similar_all(self, ids: Iterable[str], *, limit: int = 10) -> dict[str, list[Match]]:
        """The articles similar to each of these stored ones, most similar first."""
        return similar.find_similar(self._session, list(ids), limit)

    def explain(self, a: str, b: str) -> Explanation:
        """The decision between two stored articles, with the evidence and rule behind it."""
        return similar.explain_pair(self._session, a, b)

    # Verdicts and stories

    def verdicts(self, ids: str | Iterable[str]) -> Iterator[Verdict]:
        """The current verdict on each of these stored articles, in order.

        A copy is compared with its kept copy, a kept copy with the articles that are no copies of
        it. What an earlier run kept stays the kept copy for later runs.
        """
        for batch in batches(id_list(ids), BATCH_SIZE):
            yield from stories.read_verdicts(self._session, batch)

    def stories(self) -> Iterator[Story]:
        """All stories, those of several articles first.

        An article whose story changes meanwhile may come in two stories, but none is left out.
        """
        return stories.all_stories(self._session)

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
    ) -> StoryPage:
        """A page of stories with an article that meets all conditions.

        Args:
            since: The article is published at this time or later; undated ones count as seen.
            until: The article is published before this time.
            least: The story has at least this many articles.
            source: The article is of this outlet, by name or site, ignoring case.
            text: The article has this text in its title, ignoring case.
            order: "newest" (by the article inserted last) or "largest".
            after: The `after` of the page before; None for the first page.
            limit: The number of stories on a page.

        >>> with Deduper() as deduper:
        ...     _ = deduper.add(Article(id="a", title="Ferry aground", source="Port Times"))
        ...     page = deduper.find_stories(source="port times", text="ferry")
        >>> [story.kept for story in page.stories], page.after
        (['a'], None)
        """
        query = StoryFilter(least, since, until, source, text)
        return stories.list_stories(self._session, query, order=order, after=after, limit=limit)

    def story(self, id: str) -> Story:  # noqa: A002
        """A story by its id, a former id, or the id of an article in it."""
        return self._session.read(lambda: stories.find_story(self._session, id))

    def spread(self, id: str) -> Spread:  # noqa: A002
        """How a story spread over outlets and hours; `id` as for `story`."""
        return stories.read_spread(self._session, id)

    # User feedback

    def feedback(
        self, a: str, b: str, *, same: bool, relation: str | None = None, note: str = ""
    ) -> FeedbackResult:
        """Record a user's label of two stored articles; the articles that change by it.

        It overrides every measurement, also after either is forgotten and added again, until other
        feedback on the two replaces it or it is retracted.

        Args:
            a: The id of one article.
            b: The id of the other.
            same: Whether they belong together; with the relation "same_event" as one story, else
                as copies.
            relation: Their relation; None for the measured one where that fits.
            note: A remark for the audit log.

        >>> with Deduper() as deduper:
        ...     _ = deduper.add(Article(id="a", text="The ferry ran aground off the old pier."))
        ...     _ = deduper.add(Article(id="b", text="A boat is stuck in the harbour."))
        ...     result = deduper.feedback("a", "b", same=True, note="the same boat")
        >>> [(change.id, change.duplicate_of) for change in result.changes]
        [('b', 'a')]
        """
        return feedback.record(self._session, a, b, same=same, relation=relation, note=note)

    def retract_feedback(self, a: str, b: str) -> FeedbackResult:
        """Remove the feedback on two articles; the articles that change by it."""
        return feedback.retract(self._session, a, b)

    def all_feedback(self) -> list[Feedback]:
        """All feedback, in the order it was given."""
        return self._session.read(self._store.all_feedback)

    def examples(self) -> list[Example]:
        """All feedback as labelled examples: the training data of `tune`."""
        return self._session.read(lambda: list(review_queue.labelled_examples(self._session)))

    def review(self, *, limit: int = 20, after: str | None = None) -> ReviewPage:
        """A page of pairs close to a threshold that have no feedback.

        A page may have fewer than `limit` pairs and still name a next page.
        """
        return review_queue.review(self._session, after, limit)

    def changed_decisions(self, policy: Policy, *, limit: int = 100) -> list[tuple[Edge, Edge]]:
        """The pairs of the review queue that another policy decides otherwise: now, and then."""
        return review_queue.changed_decisions(self._session, policy, limit)

    # Actions on stories

    def keep(self, id: str, *, by: str = "", note: str = "") -> ActionResult:  # noqa: A002
        """Make an article the kept copy of its story, until that is undone; what changes by it.

        Args:
            id: The article.
            by: The user, for the audit log.
            note: A remark for the audit log.

        >>> with Deduper() as deduper:
        ...     for id_ in "ab":
        ...         _ = deduper.add(Article(id=id_, url="https://example.org/1", text="Hello."))
        ...     before = deduper.story("a").kept
        ...     result = deduper.keep("b", by="Ada")
        ...     before, deduper.story("a").kept, result.action.number
        ('a', 'b', 1)
        """
        return story_actions.keep(self._session, id, by=by, note=note)

    def split(self, id: str, *, by: str = "", note: str = "") -> ActionResult:  # noqa: A002
        """Move an article to a story of its own; what changes by it.

        Args:
            id: The article.
            by: The user, for the audit log.
            note: A remark for the audit log.

        >>> with Deduper() as deduper:
        ...     for id_ in "ab":
        ...         _ = deduper.add(Article(id=id_, url="https://example.org/1", text="Hello."))
        ...     _ = deduper.split("b")
        ...     [len(deduper.story(id_).members) for id_ in "ab"]
        [1, 1]
        """
        return story_actions.split(self._session, id, by=by, note=note)

    def merge(self, a: str, b: str, *, by: str = "", note: str = "") -> ActionResult:
        """Merge two stories; what changes by it.

        Args:
            a: One story, by its id or the id of an article in it.
            b: The other.
            by: The user, for the audit log.
            note: A remark for the audit log.

        >>> with Deduper() as deduper:
        ...     for id_, text in (("a", "The ferry ran aground."), ("b", "A boat is stuck.")):
        ...         _ = deduper.add(Article(id=id_, text=text))
        ...     _ = deduper.merge("a", "b")
        ...     [[member.id for member in story.members] for story in deduper.stories()]
        [['a', 'b']]
        """
        return story_actions.merge(self._session, a, b, by=by, note=note)

    def undo(self, number: int, *, by: str = "") -> ActionResult:
        """Undo the action of this number; what changes by it."""
        return story_actions.undo(self._session, number, by=by)

    def actions(self, *, before: int | None = None, limit: int = 50) -> list[StoryAction]:
        """The audit log: actions with a number below `before`, the last first."""
        return self._session.read(lambda: self._store.actions(before, limit))

    # Maintenance

    def forget(self, ids: str | Iterable[str]) -> int:
        """Remove articles and all decisions about them; how many were stored."""
        groups = batches(id_list(ids), ID_BATCH_SIZE)
        return sum(retention.forget_batch(self._session, group) for group in groups)

    def purge(self, before: datetime) -> int:
        """Remove the articles published before a time (undated: seen); how many there were.

        The old members of a story are removed together, and the others are reclustered.
        """
        return retention.purge(self._session, before)

    def learn(self) -> TermCounts:
        """Count term frequencies over the store's articles, and decide all pairs again by them.

        Terms that are common in this store weigh less from now on. Other processes that have the
        store open follow when they open it again.
        """
        counts = self._session.learn()
        self.recluster()
        return counts

    def recluster(self) -> None:
        """Cluster all articles again, as if they had been added in one batch.

        Where same-event edges connect more articles than are reclustered by an `add`, stories
        depend on the insertion order (`provisional`); after this they do not.
        """
        self._session.recluster()

    def stats(self, *, days: int | None = None) -> Stats:
        """Counts and latencies of the last `days`, today included, or of all.

        Latencies of other processes count once they saved them: with an add, or on close.
        """
        now, latencies = self._session.clock().astimezone(UTC), self._session.latencies
        return self._session.read(
            lambda: statistics.count(self._store, days, now, latencies.counts)
        )

    def verify(self) -> list[Check]:
        """Integrity checks: file, indexes, recipe, window, and a known duplicate."""
        return retention.verify(self._session)
