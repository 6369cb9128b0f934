"""Candidate lookups of a Redis store."""

from collections.abc import Sequence
from datetime import timedelta

from nearcopy.stores.base import Candidates, Probe
from nearcopy.stores.redis.binary_format import article_name, row_name
from nearcopy.stores.redis.transactions import Session
from nearcopy.stores.window_cache import Matches, collect_candidates, required_partitions

FEW_CANDIDATES = 64  # so few that the story members of all of them are read ahead


class CandidateLookup:
    """Finds candidates in the window cache."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def find_candidates(
        self, probes: Sequence[Probe], window: timedelta | None, limit: int | None = None
    ) -> list[Candidates]:
        session = self._session
        matches = None if session.is_current else self._find_cached(probes, window, limit)
        if matches is None:
            session.refresh()
            session.window.load(self._partitions(probes, window))
            matches = session.window.find(probes, window, limit)
        numbers = {number for matched, _ in matches for number in matched}
        return collect_candidates(matches, session.window.fingerprints(numbers))

    def _partitions(self, probes: Sequence[Probe], window: timedelta | None) -> set[int]:
        articles = [article for article, _ in probes]
        return required_partitions(self._session.headers, articles, window)

    def _find_cached(
        self, probes: Sequence[Probe], window: timedelta | None, limit: int | None
    ) -> Matches | None:
        """The candidates in the cache; None where it was not complete or is outdated.

        What is needed of them is read in the call that catches up, so a lookup is one call.
        """
        session, records, window_cache = self._session, self._session.records, self._session.window
        if not self._partitions(probes, window) <= window_cache.cache.partitions:
            return None
        matches = window_cache.find(probes, window, limit)
        numbers = {number for matched, _ in matches for number in matched}
        before = records.position, session.headers.first
        missing = [n for n in numbers if n not in window_cache.cache.fingerprints]
        ahead = (article_name("m", n) for n in numbers if len(numbers) <= FEW_CANDIDATES)
        members = [name for name in ahead if not records.is_cached(name)]
        names = [*map(row_name, missing), *members]
        values = dict(zip(names, session.read(names), strict=True))
        records.cache({name: values[name] for name in members})
        loaded = window_cache.decode({n: values[row_name(n)] for n in missing})
        window_cache.cache.remember(loaded)
        return matches if before == (records.position, session.headers.first) else None
