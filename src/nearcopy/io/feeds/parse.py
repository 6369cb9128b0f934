"""Parse RSS, Atom, JSON Feed and OPML into rows, as files of articles have them.

Nothing is fetched. An OPML file lists feeds, not articles: each row is the title and URL of a feed.
"""

import json
import re
from calendar import timegm
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import Any

from nearcopy.errors import MissingExtra, NearcopyError, StreamError

Values = dict[str, Any]
HEAD = 4096  # bytes that contain the first element
MAX_MARKUP = 200_000  # tags and references; a hundred thousand take seconds to parse
MAX_ENTRIES = 10_000  # each unclosed entry slows down the parsing of all that follow
ROOT = re.compile(r"<(rss|rdf:rdf|feed|opml)[\s>]", re.IGNORECASE)
JSON_FEED_VERSION = re.compile(r'"https?://jsonfeed\.org/version/')
JSON_FEED_TEXTS = (("content_html", True), ("content_text", False), ("summary", False))
ENTITY = re.compile(rb"<!ENTITY", re.IGNORECASE)
ENTRY = re.compile(rb"<(?:[a-z0-9]{1,20}:)?(?:item|entry)\b", re.IGNORECASE)


def feed_kind(data: bytes) -> str | None:
    """ "feed" or "opml", by the first element; None for anything else.

    >>> feed_kind(b'<?xml version="1.0"?><opml version="2.0">')
    'opml'
    >>> feed_kind(b'{"title": "What <opml> is"}') is None
    True
    """
    head = data[:HEAD].replace(b"\0", b"").decode("utf-8", "replace")  # UTF-16
    root = None if head.lstrip("\ufeff \t\r\n").startswith(("{", "[")) else ROOT.search(head)
    if root is None:
        return "feed" if is_json_feed(head) else None
    return "opml" if root[1].lower() == "opml" else "feed"


def feed_rows(data: bytes, content_type: str | None = None) -> Iterator[Values]:
    """A row for each entry of a feed, or for each feed of an OPML file."""
    if data.count(b"<") + data.count(b"&") > MAX_MARKUP:
        raise StreamError(f"more than {MAX_MARKUP:,} tags and references: send a part of it")
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        yield from json_feed_rows(data)
    elif feed_kind(data) == "opml":
        yield from _opml_rows(data)
    else:
        yield from _xml_feed_rows(data, content_type)


def _opml_rows(data: bytes) -> list[Values]:
    outlines = _Outlines()
    try:
        outlines.feed(data.decode("utf-8", "replace"))
    except Exception as exc:  # such as for an unknown section, `<![X[`
        raise StreamError(f"the OPML cannot be parsed: {exc!s:.200}") from exc
    return outlines.feeds


class _Outlines(HTMLParser):
    """Collects the feeds that an OPML file lists. As in HTML, no entities are declared."""

    def __init__(self) -> None:
        super().__init__()
        self.feeds: list[Values] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Add a feed; an outline that only groups others has no URL."""
        attributes = dict(attrs)
        url = attributes.get("xmlurl") or attributes.get("url") or attributes.get("htmlurl")
        if tag == "outline" and url:
            title = attributes.get("title") or attributes.get("text") or ""
            self.feeds.append({"title": title, "url": url, "language": attributes.get("language")})


def _encoding_headers(data: bytes, content_type: str | None) -> dict[str, str]:
    """The declared encoding; valid UTF-8 is taken as such, whatever is declared."""
    if data.isascii():  # may encode other letters, as in ISO-2022-JP
        return {"content-type": content_type} if content_type else {}
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return {"content-type": content_type} if content_type else {}
    return {"content-type": "application/xml; charset=utf-8"}


def _xml_feed_rows(data: bytes, content_type: str | None) -> Iterator[Values]:
    try:
        import feedparser  # type: ignore[import-untyped]
    except ImportError:
        raise MissingExtra("feeds need feedparser: pip install 'nearcopy[feeds]'") from None
    if len(ENTRY.findall(data)) > MAX_ENTRIES:
        raise StreamError(f"more than {MAX_ENTRIES:,} entries: send a part of it")
    try:
        # A stream, since feedparser opens strings as URLs or files.
        parsed = feedparser.parse(
            BytesIO(ENTITY.sub(b"<!NOTHING", data)),  # its own entities could expand without limit
            response_headers=_encoding_headers(data, content_type),
            sanitize_html=False,
            resolve_relative_uris=False,
        )
    except Exception as exc:  # of many types, such as for an invalid encoding name
        raise StreamError(f"the feed cannot be parsed: {exc!s:.200}") from exc
    source, language = parsed.feed.get("title"), parsed.feed.get("language")
    for entry in parsed.entries:
        yield {
            "id": entry.get("id"),
            "title": entry.get("title", ""),
            "text": _text(entry),
            "html": True,
            "url": entry.get("link"),
            "source": source,
            "language": entry.get("language") or language,
            "published": _date(entry),
        }


def _text(entry: Mapping[str, Any]) -> str:
    """The longest of contents and summary."""
    contents = [content.get("value") or "" for content in entry.get("content", ())]
    return max([*contents, entry.get("summary") or ""], key=len)


def _date(entry: dict[str, Any]) -> str | None:
    # The `get` of feedparser warns where one is missing and returns the other.
    parsed = dict.get(entry, "published_parsed") or dict.get(entry, "updated_parsed")
    try:
        return datetime.fromtimestamp(timegm(parsed), UTC).isoformat() if parsed else None
    except (ValueError, OverflowError, OSError):
        return None


# JSON Feed.


def is_json_feed(head: str) -> bool:
    """Whether a document with this beginning is a JSON Feed.

    >>> is_json_feed('{"version": "https://jsonfeed.org/version/1.1", "items": []}')
    True
    """
    return head.lstrip("\ufeff \t\r\n").startswith("{") and bool(JSON_FEED_VERSION.search(head))


def json_feed_rows(data: bytes) -> Iterator[Values]:
    """A row for each item; none where the data is no JSON Feed."""
    try:
        feed = json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return
    items = feed.get("items") if isinstance(feed, dict) else None
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict):
            yield _json_row(item, feed)


def _json_row(item: Values, feed: Values) -> Values:
    text, html = _json_text(item)
    return {
        "id": _json_id(item.get("id")),
        "title": _string(item.get("title")) or "",
        "text": text,
        "html": html,
        "url": _string(item.get("url")) or _string(item.get("external_url")),
        "source": _string(feed.get("title")),
        "language": _string(item.get("language")) or _string(feed.get("language")),
        "published": _string(item.get("date_published")) or _string(item.get("date_modified")),
    }


def _json_text(item: Values) -> tuple[str, bool]:
    """The first text of an item that is not empty, and whether it is HTML."""
    for name, html in JSON_FEED_TEXTS:
        text = _string(item.get(name))
        if text:
            return text, html
    return "", False


def _string(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _json_id(value: object) -> str | None:
    """The id of an item; early feeds have numbers."""
    is_number = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63
    return str(value) if is_number else _string(value)


MAX_OPML_BYTES = 16 << 20
WEB = ("http://", "https://")


def list_feeds(names: Iterable[str]) -> Iterator[str]:
    """The distinct URLs of all feeds, without fragments."""
    urls = (url for name in names for url in _read_feed_list(name))
    yield from dict.fromkeys(url.strip().partition("#")[0] for url in urls)


def _read_feed_list(name: str) -> list[str]:
    if name.lower().startswith(WEB):
        return [name]
    if "://" in name:
        raise NearcopyError(f"{name}: give an http or https URL, or an OPML file")
    with Path(name).open("rb") as file:
        data = file.read(MAX_OPML_BYTES + 1)
    if len(data) > MAX_OPML_BYTES or feed_kind(data) != "opml":
        raise NearcopyError(f"{name} is no OPML file: give one that lists feeds, or URLs")
    urls = [str(row["url"]) for row in feed_rows(data)]
    if not urls:
        raise NearcopyError(f"{name} lists no feeds: give an OPML file with feeds, or URLs")
    return urls
