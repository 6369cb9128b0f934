"""A session: an open store with its recipe, policy, lock and clock, shared by all of `Deduper`."""

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from threading import RLock
from time import perf_counter
from typing import TypeVar

from nearcopy.cluster.duplicate_groups import OversizedGroup
from nearcopy.config import Policy, Recipe, check_policy, check_recipe
from nearcopy.deduper.feedback_overlay import same_by_feedback
from nearcopy.deduper.matches import judge_stored_pair
from nearcopy.deduper.recluster import (
    ClusterUpdate,
    learn_term_counts,
    rejudge_edges,
    update_stories,
)
from nearcopy.deduper.statistics import LatencyHistogram
from nearcopy.deduper.verdicts import story_of
from nearcopy.errors import NotStored
from nearcopy.fingerprint.blocking_keys import VERSION, blocking_keys
from nearcopy.fingerprint.fingerprint import fingerprints
from nearcopy.fingerprint.fingerprint_table import FingerprintTable
from nearcopy.fingerprint.term_weights import TermCounts
from nearcopy.models import Article, Edge, Fingerprint
from nearcopy.models.batches import batches
from nearcopy.stores import StoredArticle, mask_password, open_store
from nearcopy.stores.base import NO_LATENCIES
from nearcopy.stores.integrity import refuse_incomplete
from nearcopy.stores.retry import retry_transient
from nearcopy.stores.transaction_cache import with_transaction_cache

ID_BATCH_SIZE = 500
MAX_FINGERPRINTS = 50_000  # in columns
LATENCIES_SECONDS = 1.0  # between transactions that save latencies
CONTENTION_SECONDS = 0.05  # a longer wait for a transaction means that others write too,
CONTENDED_TRANSACTIONS = 8  # and that the next ones are contended as well
log = logging.getLogger("nearcopy")
Result = TypeVar("Result")


class Session:
    """An open store and the settings by which articles are matched and clustered."""

    def __init__(
        self,
        address: str,
        recipe: Recipe | None,
        policy: Policy | None,
        *,
        threads: int,
        clock: Callable[[], datetime],
        pool: str | None,
    ) -> None:
        self.address = mask_password(address)
        self.policy = check_policy(policy)
        recipe = check_recipe(recipe)
        self.provisional = False
        self.oversized_groups: list[OversizedGroup] = []
        self.lock = RLock()
        self.clock = clock
        self.contended = 1  # the transactions to come that are expected to be contended
        self.latencies = LatencyHistogram()  # saved with an insert now and then, and on close
        self._latencies_due = 0.0
        self._threads = threads
        self._fingerprint_table = FingerprintTable()
        self.store = with_transaction_cache(retry_transient(open_store)(address, pool))
        try:
            self.recipe = retry_transient(self.store.bind)(recipe, VERSION, self.policy.window)
            refuse_incomplete(self.store)
        except BaseException:
            self.store.close()
            raise

    @property
    def fingerprint_table(self) -> FingerprintTable:
        """The fingerprints compared last, so that few need to be put into columns again."""
        if len(self._fingerprint_table) > MAX_FINGERPRINTS:
            self._fingerprint_table = FingerprintTable()
        return self._fingerprint_table

    @property
    def settings(self) -> tuple[Recipe, Policy]:
        """How articles are fingerprinted, and how pairs are decided."""
        return self.recipe, self.policy

    def close(self) -> None:
        """Save the latencies and close the store."""
        counts = self.latencies.counts
        self.store.close(counts)
        self.latencies.subtract(counts)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Reads inside see one state of the store."""
        with self.lock, self.store.snapshot():
            yield

    @retry_transient
    def read(self, query: Callable[[], Result]) -> Result:
        """What a query returns that sees one state of the store; it may be run several times."""
        with self.snapshot():
            return query()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Reads and writes inside are atomic."""
        with self.lock, self.store.transaction():
            yield

    @contextmanager
    def insert_transaction(self) -> Iterator[None]:
        """A transaction that saves the latencies so far, if due, and notices contention."""
        with self.lock:
            start = perf_counter()
            counts = self.latencies.counts if start >= self._latencies_due else NO_LATENCIES
            with self.store.transaction():
                self.store.add_latencies(counts)
                contended = perf_counter() - start > CONTENTION_SECONDS
                self.contended = CONTENDED_TRANSACTIONS if contended else max(0, self.contended - 1)
                yield
            if counts:
                self.latencies.subtract(counts)
                self._latencies_due = start + LATENCIES_SECONDS

    def record_latency(self, operation: str, start: float, count: int = 1) -> None:
        """Record the seconds since `start`, spread over `count` articles."""
        seconds, today = (perf_counter() - start) / count, self.clock().astimezone(UTC).date()
        self.latencies.record(today, operation, seconds, count)

    def fingerprint(self, articles: list[Article]) -> list[StoredArticle]:
        """The articles as the store takes them: with fingerprints and blocking keys."""
        now = self.clock()
        dated = [a if a.seen is not None else replace(a, seen=now) for a in articles]
        prints = list(fingerprints(dated, self.recipe, threads=self._threads))
        return list(map(StoredArticle, dated, prints, blocking_keys(prints, self.recipe)))

    def require(self, ids: list[str]) -> Mapping[str, Fingerprint]:
        """The fingerprints of these articles; raises NotStored where one is missing."""
        stored = self.store.fingerprints(ids)
        missing = set(ids) - stored.keys()
        if missing:
            # Unpaired surrogates are escaped.
            names = (str(id_).encode("utf-8", "backslashreplace").decode() for id_ in missing)
            listed = ", ".join(sorted(names)[:5])
            raise NotStored(f"not in {self.address}: {listed}: add it first")
        return stored

    def judge(self, a: str, b: str) -> Edge:
        """The edge between two stored articles."""
        return judge_stored_pair(self.store, a, b, *self.settings)

    def story_ids_of(self, ids: Iterable[str]) -> dict[str, str]:
        """The story id of each article."""
        articles = list(ids)
        members = self.store.members(articles)
        return {id_: story_of(id_, members) for id_ in articles}

    def neighbours(self, ids: Iterable[str]) -> set[str]:
        """The articles linked to these, whose stories change when these are removed."""
        removed = list(ids)
        linked = {id_ for link in self.store.links(removed) for id_ in link[:2]}
        return linked | same_by_feedback(self.store, removed)

    def cluster(
        self,
        ids: set[str],
        former: Mapping[str, str],
        *,
        new: Collection[str] = (),
        whole: bool = False,
    ) -> ClusterUpdate:
        """Update the stories of these articles, as `update_stories` does."""
        if not ids and not former:
            return ClusterUpdate()
        update = update_stories(
            self.store, ids, self.policy, self.judge, new=new, former=former, whole=whole
        )
        for group in update.oversized:
            log.warning("%s", group.why)
        self.oversized_groups += [g for g in update.oversized if g not in self.oversized_groups]
        self.provisional |= not update.complete
        return update

    @retry_transient
    def recluster(self) -> None:
        """Cluster all articles again, as if they had been added in one batch."""
        with self.transaction():
            self.cluster({*self.store.ids()}, {}, whole=True)
            self.provisional = False

    def learn(self) -> TermCounts:
        """Count the terms of all articles, and decide all pairs again by their weights."""
        ids, counts = self._learn_term_counts()
        for batch in batches(ids, ID_BATCH_SIZE):
            self._rejudge_edges(batch)
        return counts

    @retry_transient
    def _learn_term_counts(self) -> tuple[list[str], TermCounts]:
        with self.transaction():
            ids = list(self.store.ids())
            return ids, learn_term_counts(self.store, batches(ids, ID_BATCH_SIZE))

    @retry_transient
    def _rejudge_edges(self, ids: list[str]) -> None:
        with self.transaction():
            rejudge_edges(self.store, ids, *self.settings)


def id_list(ids: str | Iterable[str]) -> Iterable[str]:
    """The ids; a single one may come without a list."""
    return [ids] if isinstance(ids, str) else ids
