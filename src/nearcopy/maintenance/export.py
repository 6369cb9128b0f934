"""Exports of stores: the rows to write, and a whole export read back.

The form of the rows is that of `nearcopy.io.files.store_export`.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any, Protocol, TypeVar

from nearcopy.cluster.story_ids import own_story_id
from nearcopy.deduper.deduper import Deduper
from nearcopy.errors import BadArticle, NearcopyError, NotStored
from nearcopy.io.files import Rejected, Row, Source, read
from nearcopy.io.files.store_export import (
    END,
    Head,
    action_row,
    arrival_of,
    article_row,
    end_row,
    feedback_of,
    feedback_row,
    head_of,
    head_row,
    history_row,
    record_of,
    redirect_row,
    time_of,
    time_rows,
)
from nearcopy.io.serializers.verdict import verdict_columns
from nearcopy.maintenance.copy_store import ArticleBatch, open_source, read_batch
from nearcopy.maintenance.inventory import BATCH_SIZE, all_ids
from nearcopy.maintenance.rebuild import ImportedMetadata
from nearcopy.models.batches import batches
from nearcopy.models.feedback import Feedback, StoryAction, action_from_json
from nearcopy.stores import Store
from nearcopy.stores.retry import retry_transient

TRIES = 5  # of a batch, while articles in it are being forgotten
TRUNCATED = "its last row is missing, so the file is truncated: export it again"
Item = TypeVar("Item")


class Track(Protocol):
    """Follows the items of a phase as they are read."""

    def __call__(
        self, rows: Iterable[Item], phase: str, *, total: int | None = None
    ) -> Iterable[Item]:
        """The items."""


class ExportRows:
    """The rows of an export; `articles` counts those written so far."""

    def __init__(self, deduper: Deduper, store: Store, track: Track, *, whole: bool) -> None:
        self._deduper, self._store, self._track = deduper, store, track
        self._whole = whole
        self.articles = 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """A row per article, in insertion order; a whole export has its other records around."""
        settings = open_source(self._store)
        ids = all_ids(self._store)
        if self._whole:
            yield head_row(settings, retry_transient(self._store.term_counts)())
        for batch in batches(self._track(ids, "exporting", total=len(ids)), BATCH_SIZE):
            for row in self._batch_rows(batch):
                self.articles += 1
                yield row
        if self._whole:
            records = list(self._records())
            yield from records
            yield end_row(1 + self.articles + len(records))

    def _batch_rows(self, ids: list[str]) -> list[dict[str, Any]]:
        """The rows of those of the articles that are still in the store."""
        for _ in range(TRIES):
            batch = self._load(ids)
            try:
                verdicts = list(self._deduper.verdicts(article.id for article in batch.articles))
            except NotStored:  # another process forgot one just now
                continue
            return [
                article_row(article)
                | verdict_columns(verdict)
                | (self._history(batch, article.id) if self._whole else {})
                for article, verdict in zip(batch.articles, verdicts, strict=True)
            ]
        raise NearcopyError(f"{self._store.address} keeps changing: export it when it is idle")

    def _history(self, batch: ArticleBatch, article_id: str) -> dict[str, Any]:
        return history_row(batch.runs[article_id], batch.revisions.get(article_id, ()))

    def _load(self, ids: list[str]) -> ArticleBatch:
        @retry_transient
        def load() -> ArticleBatch:
            with self._store.snapshot():
                return read_batch(self._store, ids)

        return load()

    def _records(self) -> Iterator[dict[str, Any]]:
        yield from map(feedback_row, retry_transient(self._store.all_feedback)())
        yield from map(action_row, reversed(retry_transient(self._store.actions)()))
        for story, to in sorted(retry_transient(self._store.redirects)().items()):
            yield redirect_row(story, to)
        yield from time_rows(retry_transient(self._store.latencies)(None))


class ExportFile:
    """A whole export; creating it reads and checks the file."""

    def __init__(self, source: Source, track: Track) -> None:
        self._source, self._track = source, track
        self.feedback: list[Feedback] = []
        self._actions: list[StoryAction] = []
        self._redirects: dict[str, str] = {}
        self._times: dict[tuple[int, str, int], int] = {}
        self._shared: set[str] = set()  # stories that are not named after one of their articles
        self._former: dict[str, str] = {}
        self._articles = 0
        self._complete = False
        head: Head | None = None
        digest = sha256()
        for rows, row in enumerate(track(read(source), "reading")):
            values = row.raw if isinstance(row, Rejected) else row.values
            digest.update(repr(values).encode("utf-8", "backslashreplace"))
            record = record_of(row)
            if head is None and record is not None:
                head = head_of(record)
            elif record is None:
                self._check_article(row)
            else:
                self._add_record(record, row, rows)
        if head is None or not self._complete:
            raise BadArticle(f"{source.name}: {TRUNCATED}")
        self.head, self.digest = head, digest.hexdigest()[:12]

    def _check_article(self, row: Row | Rejected) -> None:
        """Count an article, and note its story id where other articles may share it."""
        if isinstance(row, Rejected):
            raise BadArticle(f"{row.place}: {row.why}")
        try:
            arrival = arrival_of(row.values)
        except BadArticle as exc:
            raise BadArticle(f"{row.place}: {exc}") from exc
        self._articles += 1
        if arrival.story and arrival.story != own_story_id(arrival.article.id):
            self._shared.add(arrival.story)

    def _add_record(self, record: dict[str, Any], row: Row | Rejected, rows: int) -> None:
        """Parse a record that is not an article; `rows` is how many came before it."""
        try:
            match record["kind"]:
                case "feedback":
                    self.feedback.append(feedback_of(record))
                case "action":
                    self._actions.append(action_from_json(record["action"]))
                case "redirect":
                    self._redirects[record["story"]] = record["to"]
                case "time":
                    key, count = time_of(record)
                    self._times[key] = count
                case kind:
                    self._complete = kind == END and record["rows"] == rows
        except (KeyError, TypeError, ValueError) as exc:
            raise BadArticle(f"{row.place}: not a record of an export: {exc!r:.100}") from exc

    def batches(self) -> Iterator[ArticleBatch]:
        """The articles in insertion order, in batches."""
        rows = (row for row in read(self._source) if isinstance(row, Row))
        tracked = self._track(rows, "importing", total=self._articles)
        for batch in batches(tracked, BATCH_SIZE):
            arrivals = [arrival_of(row.values) for row in batch]
            self._former |= {a.article.id: a.story for a in arrivals if a.story in self._shared}
            yield ArticleBatch(
                [arrival.article for arrival in arrivals],
                {arrival.article.id: arrival.run for arrival in arrivals},
                {arrival.article.id: arrival.before for arrival in arrivals if arrival.before},
            )

    def metadata(self) -> ImportedMetadata:
        """All records beside the articles; the former stories once `batches` has been read."""
        return ImportedMetadata(
            self._former,
            self._redirects,
            self.feedback,
            self._times,
            self.head.terms,
            self._actions,
        )
