"""An open store, and what all that is done with it needs."""

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from threading import RLock
from time import perf_counter
from types import TracebackType
from typing import Self

from nearcopy.cluster.stories import Brake
from nearcopy.config import Policy, Recipe, checked_policy, checked_recipe
from nearcopy.deduper.feedback.overlay import told_together
from nearcopy.deduper.find_matches import between
from nearcopy.deduper.latency import Times
from nearcopy.deduper.recluster import Settled, settle
from nearcopy.deduper.verdicts import story_of
from nearcopy.errors import NotStored
from nearcopy.fingerprint.blocking_keys import VERSION, keys
from nearcopy.fingerprint.fingerprint import fingerprints
from nearcopy.models.model import Article, Edge, Fingerprint
from nearcopy.stores import Entry, open_store
from nearcopy.stores.addresses import shown
from nearcopy.stores.incomplete import refuse_half
from nearcopy.stores.retry import tried

FORGOTTEN_AT_ONCE = 500
log = logging.getLogger("nearcopy")


def _now() -> datetime:
    return datetime.now(UTC)


class Opened:
    """An open store: how it is judged, and whose turn it is."""

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
        self.address = shown(address)
        self.policy = checked_policy(policy)
        recipe = checked_recipe(recipe)
        self.provisional = False  # whether `retell` may change stories
        self.brakes: list[Brake] = []  # groups that grew beyond policy.largest_story
        self._threads = threads
        self._clock = clock
        self._lock = RLock()
        self._shared_turns = 1  # to come in which others may add too
        self._times = Times()  # handed to the store with the next write, and at the end
        self._store = tried(open_store)(address, pool)
        try:
            self.recipe = tried(self._store.bind)(recipe, VERSION, self.policy.window)
            refuse_half(self._store)
        except BaseException:
            self._store.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the store."""
        times = self._times.counts
        self._store.close(times)
        self._times.let_go(times)

    def _timed(self, work: str, start: float, times: int = 1) -> None:
        """Take note of how long some work took, each of so many times."""
        spent, today = (perf_counter() - start) / times, self._clock().astimezone(UTC).date()
        self._times.count(today, work, spent, times)

    def _entries(self, batch: list[Article]) -> list[Entry]:
        seen = self._clock()
        stamped = [a if a.seen is not None else replace(a, seen=seen) for a in batch]
        made = list(fingerprints(stamped, self.recipe, threads=self._threads))
        return list(map(Entry, stamped, made, keys(made, self.recipe)))

    def _require(self, ids: list[str]) -> Mapping[str, Fingerprint]:
        """The fingerprints of these articles, all of which have to be there."""
        made = self._store.fingerprints(ids)
        missing = set(ids) - made.keys()
        if missing:
            some = ", ".join(sorted(map(_shown, missing))[:5])
            raise NotStored(f"not in {self.address}: {some}: add it first")
        return made

    def _judge(self, a: str, b: str) -> Edge:
        return between(self._store, a, b, self.recipe, self.policy)

    def _stories_of(self, ids: Iterable[str]) -> dict[str, str]:
        wanted = list(ids)
        members = self._store.members(wanted)
        return {name: story_of(name, members) for name in wanted}

    def _neighbours(self, ids: Iterable[str]) -> set[str]:
        """The articles linked to these, whose stories change when these go."""
        these = list(ids)
        found = {name for join in self._store.joins(these) for name in (join.a, join.b)}
        return found | told_together(self._store, these)

    def _settle(
        self,
        ids: set[str],
        were: Mapping[str, str],
        *,
        new: Collection[str] = (),
        whole: bool = False,
    ) -> Settled:
        if not ids and not were:
            return Settled()
        found = settle(self._store, ids, self.policy, self._judge, new=new, were=were, whole=whole)
        for brake in found.braked:
            log.warning("%s", brake.why)
        self.brakes += [each for each in found.braked if each not in self.brakes]
        self.provisional |= not found.whole
        return found


def _shown(name: object) -> str:
    """The name so that it can be printed: halves of surrogate pairs are escaped."""
    return str(name).encode("utf-8", "backslashreplace").decode()


def listed_ids(ids: str | Iterable[str]) -> Iterable[str]:
    """The ids; a single one may come without a list."""
    return [ids] if isinstance(ids, str) else ids


def portions(ids: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(ids)
    while some := list(islice(rest, FORGOTTEN_AT_ONCE)):
        yield some
