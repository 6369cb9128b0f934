"""The feeds to poll: URLs, and the feeds that OPML files list."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from nearcopy.errors import NearcopyError
from nearcopy.io.feeds.parse import feed_kind, feed_rows

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
