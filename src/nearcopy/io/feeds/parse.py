"""Feeds: the entries of RSS, Atom, JSON Feed and OPML as rows of an article; nothing is fetched.

An OPML file lists feeds, not articles: each comes back by its name and its address.
"""

import re
from calendar import timegm
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from html.parser import HTMLParser
from io import BytesIO
from typing import Any

from nearcopy.errors import MissingExtra, StreamError
from nearcopy.io.feeds.json_feed import is_json_feed, json_feed_rows

Values = dict[str, Any]
HEAD = 4096  # characters in which the first element stands
MOST_MARKS = 200_000  # tags and references; a hundred thousand take seconds to read
MOST_OPENED = 10_000  # entries; each that is not closed makes all that follow slower to read
ROOT = re.compile(r"<(rss|rdf:rdf|feed|opml)[\s>]", re.IGNORECASE)
ENTITY = re.compile(rb"<!ENTITY", re.IGNORECASE)
ENTRY = re.compile(rb"<(?:[a-z0-9]{1,20}:)?(?:item|entry)\b", re.IGNORECASE)


def feed_kind(data: bytes) -> str | None:
    """ "feed" or "opml", as the first element tells; None where it is neither.

    >>> feed_kind(b'<?xml version="1.0"?><opml version="2.0">')
    'opml'
    >>> feed_kind(b'{"title": "What <opml> is"}') is None
    True
    """
    head = data[:HEAD].replace(b"\0", b"").decode("utf-8", "replace")  # as UTF-16 has them
    root = None if head.lstrip("\ufeff \t\r\n").startswith(("{", "[")) else ROOT.search(head)
    if root is None:
        return "feed" if is_json_feed(head) else None
    return "opml" if root[1].lower() == "opml" else "feed"


def feed_rows(data: bytes, content_type: str | None = None) -> Iterator[Values]:
    """The entries of a feed, or the feeds of an OPML file, each as a row of a file."""
    if data.count(b"<") + data.count(b"&") > MOST_MARKS:
        raise StreamError(f"more than {MOST_MARKS:,} tags and references: send a part of it")
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        yield from json_feed_rows(data)
    elif feed_kind(data) == "opml":
        yield from _listed(data)
    else:
        yield from _entries(data, content_type)


def _listed(data: bytes) -> list[Values]:
    outlines = _Outlines()
    try:
        outlines.feed(data.decode("utf-8", "replace"))
    except Exception as exc:  # as for a section of no known kind, `<![X[`
        raise StreamError(f"no OPML that can be read: {exc!s:.200}") from exc
    return outlines.found


class _Outlines(HTMLParser):
    """The feeds that an OPML file lists. Read as HTML is: no entity of its own is looked up."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Values] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of a feed; what only groups others has no address."""
        attributes = dict(attrs)
        address = attributes.get("xmlurl") or attributes.get("url") or attributes.get("htmlurl")
        if tag == "outline" and address:
            title = attributes.get("title") or attributes.get("text") or ""
            self.found.append(
                {"title": title, "url": address, "language": attributes.get("language")}
            )


def _encoded(data: bytes, content_type: str | None) -> dict[str, str]:
    """What is said of the encoding; what reads as UTF-8 is taken to be, whatever is said."""
    if data.isascii():  # which may stand for other letters, as in ISO-2022-JP
        return {"content-type": content_type} if content_type else {}
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return {"content-type": content_type} if content_type else {}
    return {"content-type": "application/xml; charset=utf-8"}


def _entries(data: bytes, content_type: str | None) -> Iterator[Values]:
    try:
        import feedparser  # type: ignore[import-untyped]
    except ImportError:
        raise MissingExtra("feeds take feedparser: pip install 'nearcopy[feeds]'") from None
    if len(ENTRY.findall(data)) > MOST_OPENED:
        raise StreamError(f"more than {MOST_OPENED:,} entries: send a part of it")
    try:
        # A stream, as what is no stream may be an address or a file to it.
        parsed = feedparser.parse(
            BytesIO(ENTITY.sub(b"<!NOTHING", data)),  # entities of its own could grow without end
            response_headers=_encoded(data, content_type),
            sanitize_html=False,
            resolve_relative_uris=False,
        )
    except Exception as exc:  # of many kinds, as where the name of the encoding is no name
        raise StreamError(f"no feed that can be read: {exc!s:.200}") from exc
    outlet, language = parsed.feed.get("title"), parsed.feed.get("language")
    for entry in parsed.entries:
        yield {
            "id": entry.get("id"),
            "title": entry.get("title", ""),
            "text": _text(entry),
            "html": True,
            "url": entry.get("link"),
            "source": outlet,
            "language": entry.get("language") or language,
            "published": _when(entry),
        }


def _text(entry: Mapping[str, Any]) -> str:
    """The longest of what an entry says."""
    contents = [content.get("value") or "" for content in entry.get("content", ())]
    return max([*contents, entry.get("summary") or ""], key=len)


def _when(entry: dict[str, Any]) -> str | None:
    # The entry's own `get` warns where one is missing and gives the other.
    moment = dict.get(entry, "published_parsed") or dict.get(entry, "updated_parsed")
    try:
        return datetime.fromtimestamp(timegm(moment), UTC).isoformat() if moment else None
    except (ValueError, OverflowError, OSError):
        return None
