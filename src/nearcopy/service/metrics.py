"""Prometheus metrics, of all workers together."""

import os
import tempfile
import time
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    multiprocess,
)

from nearcopy.deduper.statistics import Stats
from nearcopy.models import Verdict

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
OTHER = "other"


def shared_folder() -> tempfile.TemporaryDirectory[str]:
    """A private folder where workers share their counts; start them after this."""
    folder = tempfile.TemporaryDirectory(prefix="nearcopy-metrics-")
    os.environ[FOLDER] = folder.name
    return folder


class Metrics:
    """The counters of this worker process."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self._documents = Counter(
            "nearcopy_documents",
            "Articles checked and added, by relation.",
            ("work", "relation"),
            registry=registry,
        )
        self._seconds = Histogram(
            "nearcopy_check_seconds",
            "Duration of checks, adds and similarity searches, with the time in the queue.",
            ("work",),
            buckets=SECONDS,
            registry=registry,
        )
        self._vetoes = Counter(
            "nearcopy_vetoes",
            "Near-duplicates rejected by a veto, by kind of veto.",
            ("kind",),
            registry=registry,
        )
        self.responses = Counter(
            "nearcopy_requests",
            "Responses, by route and status.",
            ("method", "route", "status"),
            registry=registry,
        )
        self.store_errors = Counter("nearcopy_store_errors", "Store errors.", registry=registry)

    def count_verdicts(self, work: str, verdicts: Iterable[Verdict]) -> None:
        for verdict in verdicts:
            relation = str(verdict.relation) if verdict.match else "new"
            self._documents.labels(work, relation).inc()
            if verdict.rule == "vetoed":
                self._vetoes.labels(veto_kind(verdict)).inc()

    def observe_duration(self, work: str, start: float) -> None:
        self._seconds.labels(work).observe(time.perf_counter() - start)

    def text(self, stats: Stats | None, window_days: int | None) -> bytes:
        """The exposition format; without gauges of the store if it has no statistics."""
        registry = self._registry
        if os.environ.get(FOLDER):
            registry = CollectorRegistry()
            multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry) + generate_latest(_gauges(stats, window_days))


def veto_kind(verdict: Verdict) -> str:
    """The kind of veto: a kind of fact, a block page, or changed figures."""
    evidence = verdict.evidence
    if evidence is None:
        return OTHER
    if evidence.block_page:
        return "block_page"
    if evidence.clashes:
        return evidence.clashes[0][0].kind
    return "form" if evidence.numerals_changed else OTHER


def _gauges(stats: Stats | None, window_days: int | None) -> CollectorRegistry:
    registry = CollectorRegistry()
    if stats is None:
        return registry
    gauges = {
        "nearcopy_articles": ("Articles in the store.", stats.articles),
        "nearcopy_duplicates": ("Duplicates in the store.", stats.duplicates),
        "nearcopy_stories": ("Stories in the store.", stats.stories),
        "nearcopy_largest_story": (
            "Articles of the largest story.",
            max(stats.sizes, default=0),
        ),
        "nearcopy_window_articles": (
            "Articles added within the window.",
            _added_within(stats, window_days),
        ),
    }
    for name, (documentation, value) in gauges.items():
        Gauge(name, documentation, registry=registry).set(value)
    return registry


def _added_within(stats: Stats, days: int | None) -> int:
    """The articles added in the last days, including today."""
    first = None if days is None else datetime.now(UTC).date() - timedelta(days=days - 1)
    return sum(row.articles for day, row in stats.days.items() if first is None or day >= first)
