"""One short script for each way in, and each runs."""

import json
import re
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.support import kafka_mock, servers

from nearcopy import RECIPES, Deduper
from nearcopy.io.files import read_articles
from nearcopy.io.sinks.sqlite_fts import FtsIndex

EXAMPLES = Path(__file__).parents[2] / "examples"
QUAY = "The harbour council voted to close the old quay after divers found shipworm in its piles. "


def printed(name, *words):
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_lines():
    assert "66 lines in, " in printed("lines.py")


def test_redis_stream(redis_address):
    shown = printed("redis_stream.py", redis_address)
    assert "66 pages: " in shown
    assert " is a copy of " in shown


def test_crawler_path(redis_address, tmp_path):
    """Pages, a stream, nearcopy over Redis, an index: copies dropped, addresses recorded."""
    shown = printed("crawler_path.py", redis_address, tmp_path / "pages.db", "council").splitlines()
    counts = re.fullmatch(r"(\d+) pages: (\d+) indexed, (\d+) dropped", shown[0])
    pages, indexed, dropped = map(int, counts.groups())
    assert (pages, indexed + dropped) == (132, 132)
    assert dropped >= 66  # each mirror, and the copies among the rest
    table = FtsIndex(tmp_path / "pages.db", RECIPES["default"])
    stored_pages = table.pages()
    table.close()
    assert len(stored_pages) == indexed
    assert not [page for page in stored_pages if "utm_source" in (page["canonical_url"] or "")]
    assert len({page["canonical_url"] for page in stored_pages}) == indexed
    hits = [line for line in shown if line.startswith("found: ")]
    assert hits
    assert len(set(hits)) == len(hits)


def test_kafka_topics():
    servers.driver("confluent_kafka")
    with kafka_mock.cluster() as cluster:
        topics = [cluster.topic(name, 2) for name in ("pages", "new")]
        assert "66 pages: " in printed("kafka_topics.py", cluster.brokers, *topics)


def test_assistant(tmp_path):
    servers.driver("mcp")
    with Deduper(f"sqlite:///{tmp_path}/seen.db") as deduper:
        list(deduper.run(read_articles(EXAMPLES / "wire.jsonl")))
    shown = printed("assistant.py", tmp_path / "seen.db")
    assert "check, similar, compare, explain, stories, story" in shown
    assert "articles" in shown


def test_frames():
    servers.driver("pandas")
    servers.driver("polars")
    assert printed("frames.py") == "pandas: 66 rows, 43 kept\npolars: 66 rows, 43 kept\n"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def site(tmp_path):
    page = f"<h1>Council closes quay</h1><p>{QUAY * 6}</p>"
    (tmp_path / "index.html").write_text('<a href="one.html">1</a> <a href="two.html">2</a>')
    for name in ("one", "two"):
        (tmp_path / f"{name}.html").write_text(page)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_spider(site, tmp_path):
    servers.driver("scrapy")
    items = [
        json.loads(line) for line in printed("spider.py", site, tmp_path / "seen.db").splitlines()
    ]
    assert sorted(item["nearcopy"]["is_duplicate"] for item in items) == [False, True]
