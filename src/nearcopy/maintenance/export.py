"""Exports of stores: the rows to write, and a whole export read back.

A row is an article with its verdict. A whole export holds all that cannot be recomputed: a row has
the run and the revisions of its article too, and other records are JSON in a column of their own,
`record`. The first states the recipe of the store, the last the number of rows, so that a truncated
file is recognised.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

from nearcopy.cluster.stories import own_story_id
from nearcopy.config import Recipe
from nearcopy.deduper.deduper import Deduper
from nearcopy.errors import BadArticle, NearcopyError, NotStored
from nearcopy.io.files import Rejected, Row, Source, read, read_time
from nearcopy.io.serializers import dataclass_row, verdict_columns
from nearcopy.maintenance.copy_store import ArticleBatch, open_source, read_batch
from nearcopy.maintenance.rebuild import ImportedMetadata
from nearcopy.maintenance.store_records import BATCH_SIZE, all_ids
from nearcopy.maintenance.store_records import read as read_store
from nearcopy.models import Article, Relation
from nearcopy.models.batches import Progress, batches
from nearcopy.models.feedback import (
    Feedback,
    Prediction,
    action_from_json,
    action_to_json,
    evidence_from_json,
    evidence_to_json,
)
from nearcopy.stores import Store
from nearcopy.stores.base import StoreSettings
from nearcopy.stores.retry import retry_transient
from nearcopy.stores.row_codec import recipe_from_json, recipe_to_json

FORMAT = 1
RECORD = "record"
TEXTS = ("url", "canonical_url", "source", "language")
COLUMNS = ("id", "title", "text", "html", *TEXTS, "tier", "published", "seen")
OF_WHOLE = ("run", "revisions")
STORE, END = "store", "end"
TRIES = 5  # of a batch, while articles in it are being forgotten
TRUNCATED = "its last row is missing, so the file is truncated: export it again"
Values = Mapping[str, Any]


# Writing.


class ExportRows:
    """The rows of an export; `articles` counts those written so far."""

    def __init__(self, deduper: Deduper, store: Store, track: Progress, *, whole: bool) -> None:
        self._deduper, self._store, self._track = deduper, store, track
        self._whole = whole
        self.articles = 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """A row per article, in insertion order; a whole export has its other records around."""
        settings = open_source(self._store)
        ids = all_ids(self._store)
        if self._whole:
            yield _head_row(settings, retry_transient(self._store.term_counts)())
        for batch in batches(self._track(ids, "exporting", total=len(ids)), BATCH_SIZE):
            for row in self._batch_rows(batch):
                self.articles += 1
                yield row
        if self._whole:
            records = list(self._records())
            yield from records
            yield _record(END, rows=1 + self.articles + len(records))

    def _batch_rows(self, ids: list[str]) -> list[dict[str, Any]]:
        """The rows of those of the articles that are still in the store."""
        for _ in range(TRIES):
            batch = read_store(self._store, lambda snapshot: read_batch(snapshot, ids))
            try:
                verdicts = list(self._deduper.verdicts(article.id for article in batch.articles))
            except NotStored:  # another process forgot one just now
                continue
            return [
                _article_row(article)
                | verdict_columns(verdict)
                | (_history_row(batch, article.id) if self._whole else {})
                for article, verdict in zip(batch.articles, verdicts, strict=True)
            ]
        raise NearcopyError(f"{self._store.address} keeps changing: export it when it is idle")

    def _records(self) -> Iterator[dict[str, str]]:
        for feedback in retry_transient(self._store.all_feedback)():
            predicted = feedback.prediction
            prediction = [*predicted[:-1], evidence_to_json(predicted.evidence)]
            yield _record("feedback", **dataclass_row(feedback) | {"prediction": prediction})
        for action in reversed(retry_transient(self._store.actions)()):
            yield _record("action", action=action_to_json(action))
        for story, to in sorted(retry_transient(self._store.redirects)().items()):
            yield _record("redirect", story=story, to=to)
        latencies = retry_transient(self._store.latencies)(None)
        for (day, work, step), count in sorted(latencies.items()):
            yield _record("time", day=day, work=work, step=step, count=count)


def _record(kind: str, **values: Any) -> dict[str, str]:
    return {RECORD: json.dumps({"kind": kind, **values})}


def _head_row(settings: StoreSettings, terms: bytes) -> dict[str, str]:
    """The first row: the recipe of the store."""
    recipe = json.loads(recipe_to_json(settings.recipe))
    counts = b64encode(terms).decode()
    return _record(STORE, format=FORMAT, keys=settings.key_version, recipe=recipe, terms=counts)


def _article_row(article: Article) -> dict[str, Any]:
    """The article as columns of a row."""
    return {name: getattr(article, name) for name in COLUMNS}


def _history_row(batch: ArticleBatch, article_id: str) -> dict[str, Any]:
    """The run and the revisions of an article, as columns of its row."""
    revisions = list(map(_article_row, batch.revisions.get(article_id, ())))
    text = json.dumps(revisions, default=datetime.isoformat) if revisions else None
    return {"run": batch.runs[article_id], "revisions": text}


# Reading.


class ExportFile:
    """A whole export; creating it reads and checks the file.

    The former stories are part of its metadata once `batches` has been read.
    """

    def __init__(self, source: Source, track: Progress) -> None:
        self._source, self._track = source, track
        self._shared: set[str] = set()  # stories that are not named after one of their articles
        self._articles = 0
        self._complete = False
        self.metadata = ImportedMetadata()
        recipe: Recipe | None = None
        digest = sha256()
        for rows, row in enumerate(track(read(source), "reading")):
            values = row.raw if isinstance(row, Rejected) else row.values
            digest.update(repr(values).encode("utf-8", "backslashreplace"))
            record = record_of(row)
            if recipe is None and record is not None:
                recipe, self.metadata.term_counts = _head(record)
            elif record is None:
                self._check_article(row)
            else:
                self._add_record(record, row, rows)
        if recipe is None or not self._complete:
            raise BadArticle(f"{source.name}: {TRUNCATED}")
        self.recipe, self.digest = recipe, digest.hexdigest()[:12]

    def _check_article(self, row: Row | Rejected) -> None:
        """Count an article, and note its story id where other articles may share it."""
        if isinstance(row, Rejected):
            raise BadArticle(f"{row.place}: {row.why}")
        try:
            exported = _exported_article(row.values)
        except BadArticle as exc:
            raise BadArticle(f"{row.place}: {exc}") from exc
        self._articles += 1
        if exported.story and exported.story != own_story_id(exported.article.id):
            self._shared.add(exported.story)

    def _add_record(self, record: Values, row: Row | Rejected, rows: int) -> None:
        """Parse a record that is not an article; `rows` is how many came before it."""
        metadata = self.metadata
        try:
            match record["kind"]:
                case "feedback":
                    metadata.feedback.append(_feedback(record))
                case "action":
                    metadata.actions.append(action_from_json(record["action"]))
                case "redirect":
                    metadata.redirects[record["story"]] = record["to"]
                case "time":
                    key = (record["day"], record["work"], record["step"])
                    metadata.latencies[key] = record["count"]
                case kind:
                    self._complete = kind == END and record["rows"] == rows
        except (KeyError, TypeError, ValueError) as exc:
            raise BadArticle(f"{row.place}: not a record of an export: {exc!r:.100}") from exc

    def batches(self) -> Iterator[ArticleBatch]:
        """The articles in insertion order, in batches."""
        rows = (row for row in read(self._source) if isinstance(row, Row))
        tracked = self._track(rows, "importing", total=self._articles)
        for batch in batches(tracked, BATCH_SIZE):
            exported = [_exported_article(row.values) for row in batch]
            self.metadata.former_stories |= {
                item.article.id: item.story for item in exported if item.story in self._shared
            }
            yield ArticleBatch(
                [item.article for item in exported],
                {item.article.id: item.run for item in exported},
                {item.article.id: item.revisions for item in exported if item.revisions},
            )


def record_of(row: Row | Rejected) -> dict[str, Any] | None:
    """The record of a row; None for an article."""
    values = row.raw if isinstance(row, Rejected) else None
    text = values.get(RECORD) if isinstance(values, Mapping) else None
    try:
        record = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and "kind" in record else None


def _head(record: Values) -> tuple[Recipe, bytes]:
    """The content of the first row: the recipe of the exported store, and its term counts."""
    if record.get("format") != FORMAT:
        raise BadArticle(
            f"unknown export format {record.get('format')!r:.20}, only {FORMAT} can be read: "
            "export it again, or import it with the nearcopy that wrote it"
        )
    try:
        return recipe_from_json(json.dumps(record["recipe"])), b64decode(record["terms"])
    except (KeyError, TypeError, ValueError) as exc:
        raise BadArticle(f"the first row is not the head of an export: {exc!r:.100}") from exc


class _ExportedArticle(NamedTuple):
    """An article, the run it was added in, its earlier revisions, and its story."""

    article: Article
    run: int
    revisions: list[Article]
    story: str | None


def _exported_article(values: Values) -> _ExportedArticle:
    """The article of a row, with its history."""
    try:
        revisions = json.loads(values["revisions"]) if values.get("revisions") else []
        earlier = [_article(revision) for revision in revisions]
        return _ExportedArticle(
            _article(values), int(values["run"]), earlier, values.get("story_id")
        )
    except BadArticle:
        raise
    except (KeyError, TypeError, ValueError, RecursionError) as exc:
        raise BadArticle(f"not an article of an export: {exc!r:.100}") from exc


def _article(values: Values) -> Article:
    return Article(
        **{name: values.get(name) for name in (*TEXTS, "tier")},
        id=values["id"],
        title=values.get("title") or "",
        text=values.get("text") or "",
        html=bool(values.get("html")),
        published=read_time(values.get("published")),
        seen=read_time(values.get("seen")),
    )


def _feedback(record: Values) -> Feedback:
    """The feedback of a record."""
    relation, rule, confidence, duplicate, event_score, overlap, evidence = record["prediction"]
    shares = (confidence, duplicate, event_score, overlap)
    when = read_time(record["when"])
    if when is None:
        raise BadArticle("feedback without a time")
    return Feedback(
        a=record["a"],
        b=record["b"],
        same=record["same"],
        relation=Relation(record["relation"]),
        note=record["note"],
        when=when,
        prediction=Prediction(Relation(relation), rule, *shares, evidence_from_json(evidence)),
    )
