"""JSON Feed: its items as rows of an article."""

import json
import re
from collections.abc import Iterator
from typing import Any

Values = dict[str, Any]
VERSION = re.compile(r'"https?://jsonfeed\.org/version/')
TEXTS = (("content_html", True), ("content_text", False), ("summary", False))


def is_json_feed(head: str) -> bool:
    """Whether what begins like this is a JSON Feed.

    >>> is_json_feed('{"version": "https://jsonfeed.org/version/1.1", "items": []}')
    True
    """
    return head.lstrip("\ufeff \t\r\n").startswith("{") and bool(VERSION.search(head))


def json_feed_rows(data: bytes) -> Iterator[Values]:
    """The items, each as a row of a file; none of what is no JSON Feed."""
    try:
        feed = json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return
    items = feed.get("items") if isinstance(feed, dict) else None
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict):
            yield _row(item, feed)


def _row(item: Values, feed: Values) -> Values:
    text, html = _text(item)
    return {
        "id": _named(item.get("id")),
        "title": _string(item.get("title")) or "",
        "text": text,
        "html": html,
        "url": _string(item.get("url")) or _string(item.get("external_url")),
        "source": _string(feed.get("title")),
        "language": _string(item.get("language")) or _string(feed.get("language")),
        "published": _string(item.get("date_published")) or _string(item.get("date_modified")),
    }


def _text(item: Values) -> tuple[str, bool]:
    """The first of what an item says, and whether it is HTML."""
    for name, html in TEXTS:
        text = _string(item.get(name))
        if text:
            return text, html
    return "", False


def _string(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _named(value: object) -> str | None:
    """An id; early feeds had numbers."""
    numbered = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63
    return str(value) if numbered else _string(value)
