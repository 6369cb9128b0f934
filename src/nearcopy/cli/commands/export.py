"""`nearcopy export`: every article of a store as a row with its verdict, written to a file."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearcopy.cli.commands.dedupe import check_file_ending, check_format
from nearcopy.cli.inputs import refuse_overwrite
from nearcopy.cli.open_store import open_raw_store, require_store, store_file
from nearcopy.cli.options import PolicyOption, PoolOption, StoreOption, WindowOption, store_address
from nearcopy.cli.terminal import format_count, json_line, note, report_errors
from nearcopy.config import Policy
from nearcopy.deduper.deduper import Deduper
from nearcopy.errors import NearcopyError, NotStored
from nearcopy.io.files import Format, format_of, open_writer
from nearcopy.io.settings import settings
from nearcopy.models.batches import batches
from nearcopy.stores import Store
from nearcopy.stores.retry import retry_transient

if TYPE_CHECKING:
    from nearcopy.cli.progress import Phases
    from nearcopy.maintenance.copy_store import ArticleBatch
    from nearcopy.stores.base import StoreSettings

TABLES = ("csv", "tsv")
TRIES = 5  # of a batch, while articles in it are being forgotten

Output = Annotated[
    str | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="FILE.jsonl, FILE.parquet, ... also .gz or .zst."
    ),
]
FormatOption = Annotated[
    str | None,
    typer.Option("--format", metavar="FORMAT", help="Where the name of the file does not tell."),
]
All = Annotated[
    bool,
    typer.Option("--all", help="All that `nearcopy import` needs to make the store again."),
]
Json = Annotated[bool, typer.Option("--json", help="The summary as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress and no summary.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportJob:
    """Which store to export, how much of it, and where to."""

    address: str
    pool: str | None
    policy: Policy
    to: str
    chosen_format: Format | None
    whole: bool
    json: bool
    quiet: bool

    def __post_init__(self) -> None:
        if self.whole and self.format in TABLES:
            raise NearcopyError(
                f"--all does not fit into {self.format}: give FILE.jsonl or FILE.parquet"
            )
        refuse_overwrite([store_file(self.address)], None if self.to == "-" else self.to)
        if self.chosen_format is None:
            check_file_ending(self.to)

    @property
    def format(self) -> Format:
        """The format that is written."""
        return self.chosen_format or format_of(self.to) or "jsonl"

    @property
    def columns(self) -> list[str]:
        """The columns of every row, in order."""
        from nearcopy.batch.output_columns import VERDICT_COLUMNS
        from nearcopy.io.files.store_export import COLUMNS, OF_WHOLE, RECORD

        return [*COLUMNS, *VERDICT_COLUMNS, *([*OF_WHOLE, RECORD] if self.whole else [])]


@report_errors
def export(
    output: Output = None,
    all_: All = False,
    format_: FormatOption = None,
    store: StoreOption = None,
    pool: PoolOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write the articles of a store to a file, with verdicts."""
    _, chosen_policy = settings(None, policy, window)
    job = ExportJob(
        address=store_address(store),
        pool=pool,
        policy=chosen_policy,
        to=output or "-",
        chosen_format=check_format(format_),
        whole=all_,
        json=as_json,
        quiet=quiet,
    )
    _run(job)


def _run(job: ExportJob) -> None:
    """Write the file, and report how many articles it holds."""
    from nearcopy.cli.progress import Phases

    started = perf_counter()
    require_store(job.address, job.pool)
    with (
        Deduper(job.address, None, job.policy, pool=job.pool) as deduper,
        open_raw_store(job.address, job.pool) as store,
        Phases(quiet=job.quiet) as phases,
        open_writer(job.to, job.format, columns=job.columns) as out,
    ):
        rows = _ExportRows(deduper, store, phases, whole=job.whole)
        for row in rows:
            out.write(row)
    if job.json:
        spent = round(perf_counter() - started, 3)
        row = {"store": deduper.address, "file": job.to, "articles": rows.articles}
        sys.stderr.write(json_line(row | {"seconds": spent}) + "\n")
    elif not job.quiet:
        note(f"exported {format_count(rows.articles, 'article')} from {deduper.address}")


class _ExportRows:
    """The rows of an export; `articles` counts those written so far."""

    def __init__(self, deduper: Deduper, store: Store, phases: "Phases", *, whole: bool) -> None:
        self._deduper, self._store, self._phases = deduper, store, phases
        self._whole = whole
        self.articles = 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """A row per article, in insertion order; a whole export has its other records around."""
        from nearcopy.io.files.store_export import end_row
        from nearcopy.maintenance.copy_store import open_source
        from nearcopy.maintenance.inventory import BATCH_SIZE, all_ids

        stated = open_source(self._store)
        ids = all_ids(self._store)
        before = list(self._records_before(stated)) if self._whole else []
        yield from before
        for batch in batches(self._phases.track(ids, "exporting", total=len(ids)), BATCH_SIZE):
            for row in self._batch_rows(batch):
                self.articles += 1
                yield row
        if self._whole:
            after = list(self._records_after())
            yield from after
            yield end_row(len(before) + self.articles + len(after))

    def _batch_rows(self, ids: list[str]) -> list[dict[str, Any]]:
        """The rows of those of the articles that are still in the store."""
        from nearcopy.batch.output_columns import VERDICT_COLUMNS
        from nearcopy.io.files.store_export import article_row
        from nearcopy.io.serializers.verdict import verdict_row

        for _ in range(TRIES):
            arrived = self._load(ids)
            try:
                verdicts = list(self._deduper.verdicts(a.id for a in arrived.articles))
            except NotStored:  # another process forgot one just now
                continue
            pairs = zip(arrived.articles, map(verdict_row, verdicts), strict=True)
            return [
                article_row(article)
                | {name: verdict[name] for name in VERDICT_COLUMNS}
                | (self._history_row(arrived, article.id) if self._whole else {})
                for article, verdict in pairs
            ]
        raise NearcopyError(f"{self._store.address} changes all the time: try when it is quiet")

    def _history_row(self, arrived: "ArticleBatch", name: str) -> dict[str, Any]:
        from nearcopy.io.files.store_export import history_row

        return history_row(arrived.runs[name], arrived.revisions.get(name, ()))

    def _load(self, ids: list[str]) -> "ArticleBatch":
        from nearcopy.maintenance.copy_store import read_batch

        @retry_transient
        def read() -> "ArticleBatch":
            with self._store.snapshot():
                return read_batch(self._store, ids)

        return read()

    def _records_before(self, stated: "StoreSettings") -> Iterator[dict[str, Any]]:
        from nearcopy.io.files.store_export import head_row

        yield head_row(stated, retry_transient(self._store.term_counts)())

    def _records_after(self) -> Iterator[dict[str, Any]]:
        from nearcopy.io.files.store_export import action_row, feedback_row, redirect_row, time_rows

        yield from map(feedback_row, retry_transient(self._store.all_feedback)())
        yield from map(action_row, reversed(retry_transient(self._store.actions)()))
        for story, to in sorted(retry_transient(self._store.redirects)().items()):
            yield redirect_row(story, to)
        yield from time_rows(retry_transient(self._store.latencies)(None))
