"""Exports: rows that hold all that a store cannot find out again by itself.

A row is an article with its run and its revisions; what is of no article stands in a column of its
own, `record`, as JSON. The first record says what the store was made with, the last how many rows
there were, so that a file that is cut off is not taken for a whole one.
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
from nearcopy.models.action import Act, act_json
from nearcopy.models.feedback import Feedback, Said, evidence_json, evidence_of
from nearcopy.models.model import Article, Relation
from nearcopy.stores.base import Counts, Stated
from nearcopy.stores.row_codec import recipe_json, recipe_of

FORMAT = 1
RECORD = "record"
TEXTS = ("url", "canonical_url", "source", "language")
COLUMNS = ("id", "title", "text", "html", *TEXTS, "tier", "published", "seen")
OF_WHOLE = ("run", "revisions")
STORE, END = "store", "end"
Values = Mapping[str, Any]


class Head(NamedTuple):
    """What the exported store was made with, and how often terms stood in it."""

    recipe: Recipe
    terms: bytes


class Arrival(NamedTuple):
    """An article as it came, in which run, what stood under its id before, and its story."""

    article: Article
    run: int
    before: list[Article]
    story: str | None


# Writing.


def article_row(article: Article) -> dict[str, Any]:
    """The article as the columns of a row."""
    return {name: getattr(article, name) for name in COLUMNS}


def history_row(run: int, before: Iterable[Article]) -> dict[str, Any]:
    """What else there is of an article, as columns of its row."""
    revisions = [_plain(article_row(revision)) for revision in before]
    return {"run": run, "revisions": json.dumps(revisions) if revisions else None}


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {k: v.isoformat() if isinstance(v, datetime) else v for k, v in values.items()}


def head_row(stated: Stated, terms: bytes) -> dict[str, str]:
    """The first row: what the store was made with."""
    recipe = json.loads(recipe_json(stated.recipe))
    counts = b64encode(terms).decode()
    return _record(STORE, format=FORMAT, keys=stated.version, recipe=recipe, terms=counts)


def end_row(rows: int) -> dict[str, str]:
    """The last row: how many came before it."""
    return _record(END, rows=rows)


def redirect_row(story: str, to: str) -> dict[str, str]:
    """A story that became part of another."""
    return _record("redirect", story=story, to=to)


def time_rows(times: Counts) -> Iterator[dict[str, str]]:
    """How often some work took a time."""
    for (day, work, step), count in sorted(times.items()):
        yield _record("time", day=day, work=work, step=step, count=count)


def feedback_row(feedback: Feedback) -> dict[str, str]:
    """What people said of two articles."""
    return _record(
        "feedback",
        a=feedback.a,
        b=feedback.b,
        same=feedback.same,
        relation=feedback.relation.value,
        note=feedback.note,
        when=feedback.when.isoformat(),
        said=[*feedback.said[:-1], evidence_json(feedback.said.evidence)],
    )


def action_row(act: Act) -> dict[str, str]:
    """What people did to a story."""
    return _record("act", act=act_json(act))


def _record(kind: str, **values: Any) -> dict[str, str]:
    return {RECORD: json.dumps({"kind": kind, **values})}


# Reading.


def record_of(row: Row | Rejected) -> dict[str, Any] | None:
    """The record that a row is; None where it is an article, or nothing of ours."""
    values = row.raw if isinstance(row, Rejected) else None
    text = values.get(RECORD) if isinstance(values, Mapping) else None
    try:
        record = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and "kind" in record else None


def head_of(record: Values) -> Head:
    """What the first row says."""
    if record.get("format") != FORMAT:
        raise BadArticle(
            f"this is an export of format {record.get('format')!r:.20}, and {FORMAT} can be read: "
            "export it again, or import it with the nearcopy that wrote it"
        )
    try:
        return Head(recipe_of(json.dumps(record["recipe"])), b64decode(record["terms"]))
    except (KeyError, TypeError, ValueError) as exc:
        raise BadArticle(f"the first row is no head of an export: {exc!r:.100}") from exc


def arrival_of(values: Values) -> Arrival:
    """What a row says of an article."""
    try:
        revisions = json.loads(values["revisions"]) if values.get("revisions") else []
        before = [_article(revision) for revision in revisions]
        return Arrival(_article(values), int(values["run"]), before, values.get("story_id"))
    except BadArticle:
        raise
    except (KeyError, TypeError, ValueError, RecursionError) as exc:
        raise BadArticle(f"no article of an export: {exc!r:.100}") from exc


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
    """What people said, again."""
    relation, rule, confidence, duplicate, news, copy, evidence = record["said"]
    shares = (confidence, duplicate, news, copy)
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
        said=Said(Relation(relation), rule, *shares, evidence_of(evidence)),
    )


def time_of(record: Values) -> tuple[tuple[int, str, int], int]:
    """How often some work took a time, again."""
    return (record["day"], record["work"], record["step"]), record["count"]
