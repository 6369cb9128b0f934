"""Files to articles."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import fields
from datetime import datetime
from typing import Any

from nearcopy.errors import BadArticle
from nearcopy.model import Article

FIELDS = frozenset(field.name for field in fields(Article))


def read_jsonl(lines: Iterable[str]) -> Iterator[Article]:
    """An article a line; fields that are none of an article's are passed over."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield _article(json.loads(line))
            except json.JSONDecodeError as wrong:
                raise BadArticle(f"line {number}: not JSON, {wrong.msg} at {wrong.pos}") from wrong
            except (ValueError, RecursionError) as wrong:
                raise BadArticle(f"line {number}: {wrong}") from wrong


def _article(row: Any) -> Article:
    if not isinstance(row, dict):
        raise BadArticle(f"expected an object with id and text, got {type(row).__name__}")
    known = {name: value for name, value in row.items() if name in FIELDS}
    if "id" not in known:
        raise BadArticle("no id: give every article an id of its own")
    if isinstance(known.get("published"), str):
        known["published"] = _time(known["published"])
    return Article(**known)


def _time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError as wrong:
        raise BadArticle(f"published is {text!r:.60}: write it as 2026-01-31T09:00:00Z") from wrong
