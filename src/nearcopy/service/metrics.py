"""Metrics: what Prometheus reads, of all workers together."""

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

from nearcopy.deduper.stats import Stats
from nearcopy.models.model import Verdict

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
UNKNOWN = "other"


def shared_folder() -> tempfile.TemporaryDirectory[str]:
    """A private folder where workers count together; they must be started after this."""
    folder = tempfile.TemporaryDirectory(prefix="nearcopy-metrics-")
    os.environ[FOLDER] = folder.name
    return folder


class Metrics:
    """What is counted in this worker."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self._documents = Counter(
            "nearcopy_documents",
            "Articles checked and added, by what they were found to be.",
            ("work", "relation"),
            registry=registry,
        )
        self._seconds = Histogram(
            "nearcopy_check_seconds",
            "How long checks, adds and look-ups took, the waiting included.",
            ("work",),
            buckets=SECONDS,
            registry=registry,
        )
        self._vetoes = Counter(
            "nearcopy_vetoes",
            "Articles that facts and the like kept apart from what they resemble, by the kind.",
            ("kind",),
            registry=registry,
        )
        self._requests = Counter(
            "nearcopy_requests",
            "Answers, by route and status.",
            ("method", "route", "status"),
            registry=registry,
        )
        self._errors = Counter(
            "nearcopy_store_errors", "Times that a store could not be used.", registry=registry
        )

    def judged(self, work: str, verdicts: Iterable[Verdict]) -> None:
        """Count what articles were found to be."""
        for each in verdicts:
            relation = str(each.relation) if each.match else "new"
            self._documents.labels(work, relation).inc()
            if each.rule == "vetoed":
                self._vetoes.labels(veto_kind(each)).inc()

    def took(self, work: str, start: float) -> None:
        """Take note of how long some work took."""
        self._seconds.labels(work).observe(time.perf_counter() - start)

    def answered(self, method: str, route: str, status: int) -> None:
        """Count an answer."""
        self._requests.labels(method, route, str(status)).inc()

    def store_failed(self) -> None:
        """Count that a store could not be used."""
        self._errors.inc()

    def text(self, found: Stats | None, window_days: int | None) -> bytes:
        """All of it as Prometheus reads it; without the store's numbers where there are none."""
        counted = self._registry
        if os.environ.get(FOLDER):
            counted = CollectorRegistry()
            multiprocess.MultiProcessCollector(counted)  # type: ignore[no-untyped-call]
        return generate_latest(counted) + generate_latest(_gauges(found, window_days))


def veto_kind(verdict: Verdict) -> str:
    """What kept an article apart: a kind of fact, or what else it was."""
    evidence = verdict.evidence
    if evidence is None:
        return UNKNOWN
    if evidence.junk:
        return "junk"
    if evidence.clashes:
        return evidence.clashes[0][0].kind
    return "form" if evidence.numerals_changed else UNKNOWN


def _gauges(found: Stats | None, window_days: int | None) -> CollectorRegistry:
    registry = CollectorRegistry()
    if found is None:
        return registry
    numbers = {
        "nearcopy_articles": ("Articles in the store.", found.articles),
        "nearcopy_duplicates": ("Of these duplicates.", found.duplicates),
        "nearcopy_stories": ("Stories in the store.", found.stories),
        "nearcopy_largest_story": (
            "Articles of the largest story.",
            max(found.sizes, default=0),
        ),
        "nearcopy_window_articles": (
            "Articles that came within the window.",
            _within(found, window_days),
        ),
    }
    for name, (means, number) in numbers.items():
        Gauge(name, means, registry=registry).set(number)
    return registry


def _within(found: Stats, days: int | None) -> int:
    """The articles that came in the last so many days, today among them."""
    first = None if days is None else datetime.now(UTC).date() - timedelta(days=days - 1)
    return sum(each.articles for day, each in found.days.items() if first is None or day >= first)
