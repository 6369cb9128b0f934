"""Feeds: what RSS, Atom, JSON Feed and OPML say; polled, remembered and written."""

from nearcopy.io.feeds.parse import feed_kind, feed_rows

__all__ = ["feed_kind", "feed_rows"]
