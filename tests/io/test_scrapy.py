"""Scrapy: items say what they are, and a page is asked for once whatever its address looks like."""

import json
import subprocess
import sys
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tests.support import servers

from nearcopy import BadPolicy

scrapy = servers.driver("scrapy")
from scrapy.exceptions import DropItem  # noqa: E402
from scrapy.utils.test import get_crawler  # noqa: E402

from nearcopy.io.scrapy import CanonicalDupeFilter, NearcopyPipeline  # noqa: E402

QUAY = "The harbour council voted to close the old quay after divers found shipworm in its piles. "
PAGE = {"title": "Council closes quay", "text": QUAY * 6, "url": "https://example.org/a/quay"}


@pytest.fixture
def opened(sqlite_address):
    pipelines = []

    def pipeline(**settings):
        crawler = get_crawler(settings_dict={"NEARCOPY_STORE": sqlite_address, **settings})
        pipelines.append(NearcopyPipeline.from_crawler(crawler))
        return pipelines[-1]

    yield pipeline
    for open_pipeline in pipelines:
        open_pipeline.close_spider()


class Page(scrapy.Item):
    title = scrapy.Field()
    text = scrapy.Field()
    url = scrapy.Field()
    nearcopy = scrapy.Field()


@dataclass
class Record:
    title: str
    text: str
    url: str
    nearcopy: dict | None = None


@pytest.mark.parametrize("kind", [dict, lambda given: Page(**given), lambda given: Record(**given)])
def test_items_of_any_kind_are_annotated_and_none_is_dropped(opened, kind):
    pipeline = opened()
    first = pipeline.process_item(kind(PAGE))
    copy = pipeline.process_item(kind(PAGE | {"url": "https://mirror.example/quay"}))
    annotations = [
        item.nearcopy if isinstance(item, Record) else item["nearcopy"] for item in (first, copy)
    ]
    assert [annotation["is_duplicate"] for annotation in annotations] == [False, True]
    assert annotations[1]["duplicate_of"] == PAGE["url"]
    assert annotations[1]["canonical_url"] == PAGE["url"]


def test_duplicates_are_dropped_where_that_is_asked_for(opened):
    pipeline = opened(NEARCOPY_DROP=True)
    pipeline.process_item(dict(PAGE))
    with pytest.raises(DropItem, match=r"duplicate of https://example\.org/a/quay"):
        pipeline.process_item(PAGE | {"url": "https://mirror.example/quay"})
    with pytest.raises(DropItem, match="already stored, unchanged"):
        pipeline.process_item(dict(PAGE))


def test_a_page_that_has_changed_is_not_dropped(opened):
    pipeline = opened(NEARCOPY_DROP=True)
    pipeline.process_item(dict(PAGE))
    assert pipeline.process_item(PAGE | {"title": "Council sells quay"})["nearcopy"]


@pytest.mark.parametrize("item", [{}, {"title": "Tea"}, PAGE | {"published": "never"}, {"url": 5}])
def test_an_item_that_is_no_article_passes_and_says_why(opened, item):
    pipeline = opened(NEARCOPY_DROP=True)
    assert pipeline.process_item(dict(item))["nearcopy"]["error"]


def test_another_field_and_a_preset_can_be_named(opened):
    item = opened(NEARCOPY_FIELD="seen_before", NEARCOPY_PRESET="crawler").process_item(dict(PAGE))
    assert item["seen_before"]["is_duplicate"] is False
    with pytest.raises(BadPolicy, match="NEARCOPY_PRESET"):
        opened(NEARCOPY_PRESET="crawl")


@pytest.mark.parametrize(
    ("other", "seen"),
    [
        ("http://www.example.org/a/quay?utm_source=x#top", True),
        ("https://example.org/a/other", False),
    ],
)
def test_requests_are_known_by_canonical_addresses(other, seen, tmp_path):
    filtering = CanonicalDupeFilter.from_crawler(
        get_crawler(settings_dict={"JOBDIR": str(tmp_path)})
    )
    assert not filtering.request_seen(scrapy.Request("https://example.org/a/quay"))
    assert filtering.request_seen(scrapy.Request(other)) == seen
    posted = scrapy.Request("https://example.org/a/quay", method="POST", body=b"x")
    assert not filtering.request_seen(posted)
    filtering.close("done")
    resumed_filter = CanonicalDupeFilter.from_crawler(
        get_crawler(settings_dict={"JOBDIR": str(tmp_path)})
    )
    assert resumed_filter.request_seen(scrapy.Request("https://example.org/a/quay"))
    resumed_filter.close("done")


class Site(BaseHTTPRequestHandler):
    """A front page that links to a story in two spellings, and to a copy of it."""

    asked: list[str] = []  # noqa: RUF012

    def do_GET(self):
        self.asked.append(self.path)
        pages = ("/news/quay", "/news/quay?utm_source=x", "/news/copy")
        links = "".join(f'<a href="{page}"></a>' for page in pages)
        story = f"<h1>Council closes quay</h1><p>{QUAY * 6}</p>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write((links if self.path == "/" else story).encode())

    def log_message(self, *_):
        pass


SPIDER = """
import sys
import scrapy
from scrapy.crawler import CrawlerProcess

class News(scrapy.Spider):
    name = "news"
    start_urls = [sys.argv[1]]
    def parse(self, response):
        yield from response.follow_all(css="a", callback=self.parse_story)
    def parse_story(self, response):
        text = " ".join(response.css("p::text").getall())
        yield {"url": response.url, "title": response.css("h1::text").get(), "text": text}

process = CrawlerProcess({
    "ITEM_PIPELINES": {"nearcopy.io.scrapy.NearcopyPipeline": 300},
    "DUPEFILTER_CLASS": "nearcopy.io.scrapy.CanonicalDupeFilter",
    "NEARCOPY_STORE": sys.argv[2],
    "FEEDS": {sys.argv[3]: {"format": "jsonlines"}},
    "LOG_LEVEL": "ERROR",
    "TELNETCONSOLE_ENABLED": False,
    "CONCURRENT_REQUESTS": 1,
})
process.crawl(News)
process.start()
"""


def test_a_crawl_marks_copies_and_asks_for_each_page_once(tmp_path, sqlite_address):
    Site.asked.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        out = tmp_path / "items.jsonl"
        where = f"http://127.0.0.1:{site.server_port}/"
        spider = tmp_path / "news.py"
        spider.write_text(SPIDER)
        done = subprocess.run(
            [sys.executable, str(spider), where, sqlite_address, str(out)],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        site.shutdown()
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(path for path in Site.asked if path.startswith("/news")) == [
        "/news/copy",
        "/news/quay",
    ]
    items = [json.loads(line) for line in out.read_text().splitlines()]
    assert sorted(item["nearcopy"]["is_duplicate"] for item in items) == [False, True]
