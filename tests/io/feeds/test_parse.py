"""Feeds: what RSS, Atom and OPML say, as rows; hostile ones raise nothing."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import StreamError
from nearcopy.io.feeds import feed_kind, feed_rows

RSS = b"""<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0"><channel><title>Coast Post</title><language>en</language>
<item><title>Ferry cancelled &amp; rebooked</title><link>https://coast.example/1</link>
<guid>coast-1</guid><description>&lt;p&gt;The ferry stays.&lt;/p&gt;</description>
<pubDate>Mon, 04 May 2026 12:00:00 +0200</pubDate></item>
<item><title>Mill</title><link>https://coast.example/2</link></item>
</channel></rss>"""
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><title>Radio</title>
<entry><id>r-1</id><title>Ferry</title><link href="https://radio.example/1"/>
<summary>short</summary><content type="html">a longer text</content>
<updated>2026-05-04T10:00:00Z</updated></entry></feed>"""
OPML = b"""<opml version="2.0"><body><outline text="News">
<outline type="rss" text="Coast Post" xmlUrl="https://coast.example/feed"/>
<outline type="rss" title="Radio" xmlUrl="https://radio.example/feed"/></outline></body></opml>"""
BOMB = (
    b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    b"<rss><title>&b;</title></rss>"
)


@pytest.mark.parametrize(
    ("data", "kind"), [(RSS, "feed"), (ATOM, "feed"), (OPML, "opml"), (b"a,b\n1,2", None)]
)
def test_a_feed_is_known_by_its_first_element(data, kind):
    assert feed_kind(data) == kind


def test_the_entries_of_a_feed_bear_its_name():
    first, second = feed_rows(RSS)
    assert first["title"] == "Ferry cancelled & rebooked"
    assert (first["id"], first["source"], first["language"]) == ("coast-1", "Coast Post", "en")
    assert first["published"] == "2026-05-04T10:00:00+00:00"
    assert first["text"] == "<p>The ferry stays.</p>"
    assert (second["url"], second["text"], second["published"]) == (
        "https://coast.example/2",
        "",
        None,
    )


def test_of_summary_and_content_the_longer_is_the_text():
    (entry,) = feed_rows(ATOM)
    assert entry["text"] == "a longer text"


def test_opml_lists_feeds_by_address():
    assert [row["url"] for row in feed_rows(OPML)] == [
        "https://coast.example/feed",
        "https://radio.example/feed",
    ]


@given(st.binary(max_size=200) | st.sampled_from([BOMB, RSS[:100], ATOM[:60], OPML[:80]]))
def test_bytes_are_a_feed_or_refused(data):
    with suppress(StreamError):
        assert all(isinstance(row, dict) for row in feed_rows(data))


def test_a_name_of_a_file_is_no_feed(tmp_path):
    file = tmp_path / "feed.xml"
    file.write_bytes(RSS)
    assert list(feed_rows(str(file).encode())) == []


@pytest.mark.parametrize("encoding", [b"utf\0008", b"iso-2\xf0022-jp"])
def test_a_feed_in_an_encoding_that_is_none_is_told(encoding):
    head = b'<?xml version="1.0" encoding="' + encoding + b'"?>'
    with pytest.raises(StreamError, match="the feed cannot be parsed"):
        list(feed_rows(head + b"<rss><channel><item><title>Tide \xe4</title></item>"))


def test_opml_with_a_section_of_no_kind_is_told():
    with pytest.raises(StreamError, match="the OPML cannot be parsed"):
        list(feed_rows(b'<opml><outline xmlUrl="https://coast.example/feed"/><![X[ y ]]></opml>'))
