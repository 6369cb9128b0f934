"""Feeds: parse RSS, Atom, JSON Feed and OPML, poll feeds for new stories, write Atom and OPML."""

from nearcopy.io.feeds.parse import feed_kind, feed_rows

__all__ = ["feed_kind", "feed_rows"]
