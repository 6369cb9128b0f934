"""Write an Atom feed of new stories, and an OPML report of which feeds repeat which."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from xml.etree import ElementTree

from nearcopy.extract.text import plain_text
from nearcopy.io.feeds.new_stories import NewStory
from nearcopy.io.feeds.poll import FeedState
from nearcopy.models import Article

ATOM = "http://www.w3.org/2005/Atom"
REPORT = "urn:nearcopy:report"
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
MAX_SUMMARY = 2000  # characters
ElementTree.register_namespace("nearcopy", REPORT)


def atom_feed(stories: Sequence[tuple[NewStory, datetime]], now: datetime) -> bytes:
    """A feed of stories and the times they were reported, latest first, as plain text."""
    root = ElementTree.Element("feed", xmlns=ATOM)
    _add(root, "id", "urn:nearcopy:feed")
    _add(root, "title", "New stories")
    _add(root, "updated", now.isoformat())
    _add(_add(root, "author"), "name", "nearcopy")
    for new_story, when in reversed(stories):
        _add_entry(root, new_story, when)
    return _to_bytes(root)


def _add_entry(root: ElementTree.Element, new_story: NewStory, when: datetime) -> None:
    kept = new_story.kept
    entry = _add(root, "entry")
    _add(entry, "id", f"urn:nearcopy:story:{new_story.story.id}")
    _add(entry, "title", kept.title or "(no title)")
    _add(entry, "updated", when.isoformat())
    if kept.published:
        _add(entry, "published", kept.published.isoformat())
    _add(_add(entry, "author"), "name", kept.source or "unknown")
    if kept.url:
        _add(entry, "link", rel="alternate", href=kept.url)
    for other in new_story.other_articles:
        if other.url and other.url != kept.url:
            _add(entry, "link", rel="related", href=other.url, title=other.source or "")
    _add(entry, "summary", _summary(kept))


def _summary(article: Article) -> str:
    text = plain_text(article.text, html=article.html)
    words = " ".join(text[: 4 * MAX_SUMMARY].split())
    return f"{words[:MAX_SUMMARY]}..." if len(words) > MAX_SUMMARY else words


def repeat_report(feeds: Mapping[str, FeedState], names: Iterable[str], now: datetime) -> bytes:
    """The feeds as OPML, each with the feeds whose entries it repeats, the most repeated first."""
    root = ElementTree.Element("opml", version="2.0")
    head = _add(root, "head")
    _add(head, "title", "Which feeds repeat which")
    _add(head, "dateCreated", now.strftime("%a, %d %b %Y %H:%M:%S GMT"))
    body = _add(root, "body")
    for name in names:
        if name in feeds:
            _add_feed(body, name, feeds)
    return _to_bytes(root)


def _add_feed(body: ElementTree.Element, name: str, feeds: Mapping[str, FeedState]) -> None:
    feed = feeds[name]
    outline = _add(body, "outline", type="rss", text=feed.title or name, xmlUrl=name)
    outline.set(f"{{{REPORT}}}entries", str(feed.entries))
    outline.set(f"{{{REPORT}}}repeated", str(sum(feed.repeats.values())))
    for other, count in sorted(feed.repeats.items(), key=lambda item: (-item[1], item[0])):
        other_feed = feeds.get(other)
        title = "itself" if other == name else (other_feed and other_feed.title) or other
        repeat_outline = _add(outline, "outline", text=f"{count} of {feed.entries} repeat {title}")
        repeat_outline.set(f"{{{REPORT}}}feed", _clean(other))
        repeat_outline.set(f"{{{REPORT}}}count", str(count))


def _add(
    to: ElementTree.Element, name: str, text: str | None = None, /, **attributes: str
) -> ElementTree.Element:
    element = ElementTree.SubElement(to, name, {k: _clean(v) for k, v in attributes.items()})
    element.text = _clean(text) if text is not None else None
    return element


def _clean(text: str) -> str:
    """The text without characters that XML does not allow."""
    return NOT_XML.sub("\ufffd", text)


def _to_bytes(root: ElementTree.Element) -> bytes:
    ElementTree.indent(root)
    document: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"
