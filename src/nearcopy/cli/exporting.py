"""The work of `nearcopy export`: every article of a store as a row, beside its verdict."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from nearcopy import moving
from nearcopy.cli.deduping import checked_ending
from nearcopy.cli.marking import OURS
from nearcopy.cli.moved import opened
from nearcopy.cli.progress import Phases
from nearcopy.cli.spared import spare, store_file
from nearcopy.cli.stored import reading
from nearcopy.cli.terminal import counted, json_line, noted
from nearcopy.config import Policy
from nearcopy.deduper import Deduper
from nearcopy.errors import NearcopyError, NotStored
from nearcopy.formats import Format, format_of, writer
from nearcopy.formats.answers import verdict_row
from nearcopy.formats.exports import (
    COLUMNS,
    OF_WHOLE,
    RECORD,
    act_row,
    article_row,
    end_row,
    feedback_row,
    head_row,
    redirect_row,
    time_rows,
    whole_row,
)
from nearcopy.inventory import all_ids, some
from nearcopy.moving import Arrived, arrived_of
from nearcopy.steps import tried
from nearcopy.stores import Store
from nearcopy.stores.base import Stated

TABLES = ("csv", "tsv")
TRIES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What was asked for."""

    address: str
    pool: str | None
    policy: Policy
    to: str
    asked: Format | None
    whole: bool
    json: bool
    quiet: bool

    def __post_init__(self) -> None:
        if self.whole and self.kind in TABLES:
            raise NearcopyError(
                f"--all does not fit into {self.kind}: give FILE.jsonl or FILE.parquet"
            )
        spare([store_file(self.address)], None if self.to == "-" else self.to)
        if self.asked is None:
            checked_ending(self.to)

    @property
    def kind(self) -> Format:
        """The format that is written."""
        return self.asked or format_of(self.to) or "jsonl"

    @property
    def columns(self) -> list[str]:
        """What every row has, in order."""
        return [*COLUMNS, *OURS, *([*OF_WHOLE, RECORD] if self.whole else [])]


def run(job: Job) -> None:
    """Does what was asked, and says how much there was."""
    started = perf_counter()
    with (
        reading(job.address, None, job.policy, pool=job.pool) as deduper,
        opened(job.address, job.pool) as store,
        Phases(quiet=job.quiet) as phases,
        writer(job.to, job.kind, columns=job.columns) as out,
    ):
        rows = _Rows(deduper, store, phases, whole=job.whole)
        for row in rows.all():
            out.write(row)
    if job.json:
        spent = round(perf_counter() - started, 3)
        row = {"store": deduper.address, "file": job.to, "articles": rows.articles}
        sys.stderr.write(json_line(row | {"seconds": spent}) + "\n")
    elif not job.quiet:
        noted(f"exported {counted(rows.articles, 'article')} from {deduper.address}")


class _Rows:
    """A store on its way into a file; articles are those that were written."""

    def __init__(self, deduper: Deduper, store: Store, phases: Phases, *, whole: bool) -> None:
        self._deduper, self._store, self._phases = deduper, store, phases
        self._whole = whole
        self.articles = 0

    def all(self) -> Iterator[dict[str, Any]]:
        """A row for every article, in the order they came; if all is wanted, the rest around."""
        stated = moving.opened(self._store)
        ids = all_ids(self._store)
        before = list(self._before(stated)) if self._whole else []
        yield from before
        for names in some(self._phases.each(ids, "exporting", total=len(ids))):
            for row in self._some(names):
                self.articles += 1
                yield row
        if self._whole:
            after = list(self._after())
            yield from after
            yield end_row(len(before) + self.articles + len(after))

    def _some(self, names: list[str]) -> list[dict[str, Any]]:
        """The rows of those of the articles that are still there."""
        for _ in range(TRIES):
            arrived = self._arrived(names)
            try:
                verdicts = list(self._deduper.verdicts(each.id for each in arrived.articles))
            except NotStored:  # somebody forgot it just now
                continue
            found = zip(arrived.articles, map(verdict_row, verdicts), strict=True)
            return [
                article_row(article)
                | {name: verdict[name] for name in OURS}
                | (self._whole_row(arrived, article.id) if self._whole else {})
                for article, verdict in found
            ]
        raise NearcopyError(f"{self._store.address} changes all the time: try when it is quiet")

    def _whole_row(self, arrived: Arrived, name: str) -> dict[str, Any]:
        return whole_row(arrived.runs[name], arrived.revised.get(name, ()))

    def _arrived(self, names: list[str]) -> Arrived:
        @tried
        def read() -> Arrived:
            with self._store.reading():
                return arrived_of(self._store, names)

        return read()

    def _before(self, stated: Stated) -> Iterator[dict[str, Any]]:
        yield head_row(stated, tried(self._store.term_counts)())

    def _after(self) -> Iterator[dict[str, Any]]:
        yield from map(feedback_row, tried(self._store.all_told)())
        yield from map(act_row, reversed(tried(self._store.acts)()))
        for story, to in sorted(tried(self._store.redirects)().items()):
            yield redirect_row(story, to)
        yield from time_rows(tried(self._store.times)(None))
