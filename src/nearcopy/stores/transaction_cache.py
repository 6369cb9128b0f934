"""A store that within a transaction reads nothing twice, and writes nothing that is empty.

What one transaction reads of an article, of feedback or of a story id is asked for in several
steps: for the verdict, for the stories, for the constraints of feedback. What is written through
this store replaces what was read; outside of transactions every call is passed on.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from nearcopy.models import Article, Edge, Fingerprint, Member, Story, StoryLink
from nearcopy.models.feedback import Feedback, StoryAction
from nearcopy.stores.base import NO_RUNS, LatencyCounts, Runs, Store, StoredArticle

Value = TypeVar("Value")


class _Reads:
    """What a transaction has read; None: there is no such thing."""

    def __init__(self) -> None:
        self.fingerprints: dict[str, Fingerprint | None] = {}
        self.members: dict[str, tuple[str, Member] | None] = {}
        self.story_ids: dict[str, bool | None] = {}
        self.term_counts: bytes | None = None
        self.forget_feedback()

    def forget_feedback(self) -> None:
        self.has_feedback: bool | None = None
        self.feedback: dict[str, list[Feedback] | None] = {}

    def forget(self, ids: Iterable[str]) -> None:
        """Forget what was read of these articles."""
        for id_ in ids:
            self.fingerprints.pop(id_, None)
            self.members.pop(id_, None)

    def note_absent(self, ids: Iterable[str]) -> None:
        """These articles are not stored."""
        for id_ in ids:
            self.fingerprints[id_] = self.members[id_] = None


class TransactionCache:
    """The store behind, with the reads of the current transaction."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._reads: _Reads | None = None

    def __getattr__(self, name: str) -> Any:
        """All that is neither read several times nor written."""
        return getattr(self._store, name)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._store.transaction():
            self._reads = _Reads()
            try:
                yield
            finally:
                self._reads = None

    # Reads.

    def fingerprints(self, ids: Collection[str]) -> dict[str, Fingerprint]:
        known = None if self._reads is None else self._reads.fingerprints
        return _read_once(ids, known, self._store.fingerprints)

    def members(self, ids: Collection[str]) -> dict[str, tuple[str, Member]]:
        known = None if self._reads is None else self._reads.members
        return _read_once(ids, known, self._store.members)

    def used_story_ids(self, stories: Collection[str]) -> set[str]:
        known = None if self._reads is None else self._reads.story_ids
        used = _read_once(stories, known, lambda ids: _all_true(self._store.used_story_ids(ids)))
        return set(used)

    def articles(self, ids: Collection[str]) -> dict[str, Article]:
        """The articles, whose texts are not kept in memory; those that are absent are noted."""
        if self._reads is None:
            return self._store.articles(ids)
        known = self._reads.fingerprints
        asked = [id_ for id_ in ids if id_ not in known or known[id_] is not None]
        articles = self._store.articles(asked) if asked else {}
        self._reads.note_absent(id_ for id_ in asked if id_ not in articles)
        return articles

    def stories(self, ids: Collection[str]) -> dict[str, Story]:
        return self._store.stories(ids) if ids else {}

    def edges(self, ids: Collection[str]) -> list[Edge]:
        return self._store.edges(ids) if ids else []

    def links(self, ids: Collection[str]) -> list[StoryLink]:
        return self._store.links(ids) if ids else []

    def runs(self, ids: Collection[str]) -> dict[str, int]:
        return self._store.runs(ids) if ids else {}

    def sequence_numbers(self, ids: Collection[str]) -> dict[str, int]:
        return self._store.sequence_numbers(ids) if ids else {}

    def feedback_about(self, ids: Collection[str]) -> list[Feedback]:
        if not self._has_feedback():
            return []
        known = None if self._reads is None else self._reads.feedback
        by_id = _read_once(ids, known, self._feedback_by_id)
        distinct = {item.pair: item for items in by_id.values() for item in items}
        return sorted(distinct.values(), key=lambda item: (item.when, item.pair))

    def _feedback_by_id(self, ids: Collection[str]) -> dict[str, list[Feedback]]:
        by_id: dict[str, list[Feedback]] = {id_: [] for id_ in ids}
        for item in self._store.feedback_about(ids):
            for id_ in item.pair:
                if id_ in by_id:
                    by_id[id_].append(item)
        return by_id

    def preferred_copies(self, ids: Collection[str]) -> dict[str, int]:
        return self._store.preferred_copies(ids) if self._has_feedback() else {}

    def _has_feedback(self) -> bool:
        if self._reads is None:
            return True  # a call to know it would save none
        if self._reads.has_feedback is None:
            self._reads.has_feedback = self._store.has_feedback()
        return self._reads.has_feedback

    def term_counts(self) -> bytes:
        if self._reads is None:
            return self._store.term_counts()
        if self._reads.term_counts is None:
            self._reads.term_counts = self._store.term_counts()
        return self._reads.term_counts

    # Writes.

    def save_articles(self, articles: Sequence[StoredArticle], runs: Runs = NO_RUNS) -> None:
        if articles:
            self._store.save_articles(articles, runs)
        ids = [stored.article.id for stored in articles]
        self._forget(ids)
        if self._reads is not None:  # a new article is in no story yet
            self._reads.members |= dict.fromkeys(ids)

    def remove(self, ids: Collection[str]) -> int:
        self._forget(ids)
        return self._store.remove(ids)

    def drop(self, ids: Collection[str]) -> int:
        self._forget(ids)
        return self._store.drop(ids)

    def _forget(self, ids: Collection[str]) -> None:
        if self._reads is not None:
            self._reads.forget(ids)

    def save_edges(self, edges: Iterable[Edge]) -> None:
        if listed := list(edges):
            self._store.save_edges(listed)

    def save_stories(
        self, stories: Iterable[Story], removed: Collection[str], redirects: Mapping[str, str]
    ) -> None:
        listed = list(stories)
        if listed or removed or redirects:
            self._store.save_stories(listed, removed, redirects)
        if self._reads is not None:
            self._reads.story_ids.clear()
            members = {m.id: (story.id, m) for story in listed for m in story.members}
            self._reads.members |= members

    def add_latencies(self, counts: LatencyCounts) -> None:
        if counts:
            self._store.add_latencies(counts)

    def save_term_counts(self, counts: bytes) -> None:
        self._store.save_term_counts(counts)
        if self._reads is not None:
            self._reads.term_counts = None

    def save_feedback(self, feedback: Feedback) -> None:
        self._store.save_feedback(feedback)
        self._forget_feedback()

    def remove_feedback(self, a: str, b: str) -> bool:
        self._forget_feedback()
        return self._store.remove_feedback(a, b)

    def save_action(self, action: StoryAction) -> None:
        self._store.save_action(action)
        self._forget_feedback()

    def _forget_feedback(self) -> None:
        if self._reads is not None:
            self._reads.forget_feedback()


def with_transaction_cache(store: Store) -> Store:
    """The store, with the reads of each transaction made once."""
    return cast("Store", TransactionCache(store))


def _all_true(names: Iterable[str]) -> dict[str, bool]:
    return dict.fromkeys(names, True)


def _read_once(
    ids: Collection[str],
    known: dict[str, Value | None] | None,
    read: Callable[[Collection[str]], Mapping[str, Value]],
) -> dict[str, Value]:
    """The values of those that have one; only those that are not known are read."""
    if known is None:
        return dict(read(ids))
    missing = [id_ for id_ in dict.fromkeys(ids) if id_ not in known]
    if missing:
        values = read(missing)
        known.update((id_, values.get(id_)) for id_ in missing)
    return {id_: value for id_ in ids if (value := known[id_]) is not None}
