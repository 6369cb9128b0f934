"""Exports of whole stores: rows that hold all that cannot be recomputed.

A row is an article with its run and its revisions. Other records are JSON in a column of their own,
`record`. The first states the recipe of the store, the last the number of rows, so that a truncated
file is recognised.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from nearcopy.config import Recipe
from nearcopy.errors import BadArticle
from nearcopy.io.files.dates import read_time
from nearcopy.io.files.rows import Rejected, Row
from nearcopy.models import Article, Relation
from nearcopy.models.feedback import (
    Feedback,
    Prediction,
    StoryAction,
    action_to_json,
    evidence_from_json,
    evidence_to_json,
)
from nearcopy.stores.base import LatencyCounts, StoreSettings
from nearcopy.stores.row_codec import recipe_from_json, recipe_to_json

FORMAT = 1
RECORD = "record"
TEXTS = ("url", "canonical_url", "source", "language")
COLUMNS = ("id", "title", "text", "html", *TEXTS, "tier", "published", "seen")
OF_WHOLE = ("run", "revisions")
STORE, END = "store", "end"
Values = Mapping[str, Any]


class Head(NamedTuple):
    """The recipe of the exported store, and its term counts."""

    recipe: Recipe
    terms: bytes


class Arrival(NamedTuple):
    """An article, the run it was added in, its earlier revisions, and its story."""

    article: Article
    run: int
    before: list[Article]
    story: str | None


# Writing.


def article_row(article: Article) -> dict[str, Any]:
    """The article as columns of a row."""
    return {name: getattr(article, name) for name in COLUMNS}


def history_row(run: int, before: Iterable[Article]) -> dict[str, Any]:
    """The run and the revisions of an article, as columns of its row."""
    revisions = [_plain(article_row(revision)) for revision in before]
    return {"run": run, "revisions": json.dumps(revisions) if revisions else None}


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {k: v.isoformat() if isinstance(v, datetime) else v for k, v in values.items()}


def head_row(stated: StoreSettings, terms: bytes) -> dict[str, str]:
    """The first row: the recipe of the store."""
    recipe = json.loads(recipe_to_json(stated.recipe))
    counts = b64encode(terms).decode()
    return _record(STORE, format=FORMAT, keys=stated.key_version, recipe=recipe, terms=counts)


def end_row(rows: int) -> dict[str, str]:
    """The last row: how many rows came before it."""
    return _record(END, rows=rows)


def redirect_row(story: str, to: str) -> dict[str, str]:
    """A story that became part of another."""
    return _record("redirect", story=story, to=to)


def time_rows(times: LatencyCounts) -> Iterator[dict[str, str]]:
    """The latency counts."""
    for (day, work, step), count in sorted(times.items()):
        yield _record("time", day=day, work=work, step=step, count=count)


def feedback_row(feedback: Feedback) -> dict[str, str]:
    """Feedback on two articles."""
    return _record(
        "feedback",
        a=feedback.a,
        b=feedback.b,
        same=feedback.same,
        relation=feedback.relation.value,
        note=feedback.note,
        when=feedback.when.isoformat(),
        prediction=[*feedback.prediction[:-1], evidence_to_json(feedback.prediction.evidence)],
    )


def action_row(action: StoryAction) -> dict[str, str]:
    """An action on a story."""
    return _record("action", action=action_to_json(action))


def _record(kind: str, **values: Any) -> dict[str, str]:
    return {RECORD: json.dumps({"kind": kind, **values})}


# Reading.


def record_of(row: Row | Rejected) -> dict[str, Any] | None:
    """The record of a row; None for an article."""
    values = row.raw if isinstance(row, Rejected) else None
    text = values.get(RECORD) if isinstance(values, Mapping) else None
    try:
        record = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and "kind" in record else None


def head_of(record: Values) -> Head:
    """The content of the first row."""
    if record.get("format") != FORMAT:
        raise BadArticle(
            f"unknown export format {record.get('format')!r:.20}, only {FORMAT} can be read: "
            "export it again, or import it with the nearcopy that wrote it"
        )
    try:
        return Head(recipe_from_json(json.dumps(record["recipe"])), b64decode(record["terms"]))
    except (KeyError, TypeError, ValueError) as exc:
        raise BadArticle(f"the first row is not the head of an export: {exc!r:.100}") from exc


def arrival_of(values: Values) -> Arrival:
    """The article of a row, with its history."""
    try:
        revisions = json.loads(values["revisions"]) if values.get("revisions") else []
        before = [_article(revision) for revision in revisions]
        return Arrival(_article(values), int(values["run"]), before, values.get("story_id"))
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


def feedback_of(record: Values) -> Feedback:
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


def time_of(record: Values) -> tuple[tuple[int, str, int], int]:
    """The latency count of a record."""
    return (record["day"], record["work"], record["step"]), record["count"]
