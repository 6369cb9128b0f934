"""Search: new pages alone are indexed, with what results are collapsed by; no failure is silent.

The engine is a stand-in that checks what is sent to it by the rules of the bulk interface.
"""

import json
import threading
from base64 import b64encode
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from nearcopy import Deduper, StreamError
from nearcopy.cli import app
from nearcopy.config import RECIPES
from nearcopy.io.sinks import FIELDS, build_documents
from nearcopy.io.sinks import elasticsearch as bulk
from nearcopy.io.sinks.elasticsearch import MAPPING, BulkSink, bulk_settings
from nearcopy.io.sinks.sqlite_fts import FtsIndex
from nearcopy.io.streams import Message
from nearcopy.io.streams.consumer import process_messages

RECIPE = RECIPES["default"]
QUAY = "The harbour council voted to close the old quay after divers found shipworm in its piles. "
MILL = "The last paper mill in the valley is sold to its own workers for a single silver coin. "
PAGES = [
    {
        "id": "a",
        "title": "Council closes quay",
        "text": QUAY * 5,
        "url": "https://a.example/q?utm_source=x",
    },
    {"id": "b", "title": "Council closes quay", "text": QUAY * 5, "url": "https://b.example/copy"},
    {"id": "c", "title": "Mill sold", "text": f"<p>{MILL * 5}</p>", "html": True},
    {"id": "d", "title": ["no"]},
]


@pytest.fixture
def outcomes():
    with Deduper() as deduper:
        yield process_messages(
            deduper, [Message(str(n), json.dumps(p).encode()) for n, p in enumerate(PAGES)]
        )


class Engine(BaseHTTPRequestHandler):
    """What the bulk interface says of requests, and nothing else."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body):
        data = b"" if self.command == "HEAD" else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def checked(self):
        authorization = self.server.authorization
        if authorization and self.headers["Authorization"] != authorization:
            self.answer(401, {"error": "security_exception"})
            return False
        if self.server.away:
            self.server.away -= 1
            self.answer(503, {})
            return False
        return True

    def do_HEAD(self):
        if self.checked():
            self.answer(200 if self.path[1:] in self.server.indexes else 404, {})

    def do_PUT(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.headers["Content-Type"] == "application/json"
        assert {field["type"] for field in body["mappings"]["properties"].values()} <= {
            *("text", "keyword", "date"),
        }
        if self.checked():
            self.server.indexes[self.path[1:]] = {}
            self.answer(200, {"acknowledged": True})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not self.checked():
            return
        index, _, verb = self.path[1:].partition("/")
        assert verb == "_bulk"
        assert self.headers["Content-Type"] == "application/x-ndjson"
        assert body.endswith(b"\n"), "a bulk request ends with a line break"
        lines = [json.loads(line) for line in body[:-1].split(b"\n")]
        assert len(lines) % 2 == 0
        self.server.requests.append(len(lines) // 2)
        pairs = zip(lines[::2], lines[1::2], strict=True)
        items = [self.item(index, action, source) for action, source in pairs]
        items = items[: self.server.told]
        errors = any(item["index"]["status"] >= 300 for item in items)
        self.answer(200, {"took": 1, "errors": errors, "items": items})

    def item(self, index, action, source):
        ((verb, where),) = action.items()
        assert verb == "index"
        assert set(where) == {"_id"}
        assert 0 < len(where["_id"].encode()) <= 512
        assert set(source) <= set(MAPPING["mappings"]["properties"])
        assert None not in source.values()
        statuses = self.server.refusals.get(source["id"], [])
        status = statuses.pop(0) if statuses else 201
        outcome = {"_index": index, "_id": where["_id"], "status": status}
        if status >= 300:
            outcome["error"] = {"type": "mapper_parsing_exception", "reason": "failed to parse"}
        else:
            self.server.indexes[index][where["_id"]] = source
        return {"index": outcome}


@contextmanager
def started():
    with ThreadingHTTPServer(("127.0.0.1", 0), Engine) as server:
        server.indexes, server.refusals, server.requests = {}, {}, []
        server.authorization, server.away, server.told = None, 0, None
        server.address = f"http://127.0.0.1:{server.server_port}/pages"
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def engine(monkeypatch):
    monkeypatch.setattr(bulk, "FIRST_PAUSE", 0.01)
    with started() as server:
        yield server


def written(engine, outcomes):
    BulkSink(bulk_settings(engine.address), RECIPE).write(outcomes)
    return engine.indexes["pages"]


# Documents.


def test_new_pages_alone_are_documents(outcomes):
    first, second = build_documents(outcomes, RECIPE)
    assert (first["id"], second["id"]) == ("a", "c")
    assert first["canonical_url"] == "https://a.example/q"
    assert first["story_id"] == outcomes[0].verdict.story_id
    assert second["text"].strip().startswith("The last paper mill")
    assert (len(first["simhash"]), first["simhash"] == second["simhash"]) == (16, False)
    assert first["digest"] != second["digest"]
    assert set(first) == set(FIELDS)


# Elasticsearch and OpenSearch.


def test_new_pages_are_indexed_and_again_under_the_same_name(engine, outcomes):
    assert set(written(engine, outcomes)) == {"a", "c"}
    assert set(written(engine, outcomes)) == {"a", "c"}
    assert engine.indexes["pages"]["a"]["canonical_url"] == "https://a.example/q"


def test_pages_that_are_refused_for_now_are_sent_again_alone(engine, outcomes):
    engine.refusals["c"] = [429, 503]
    assert set(written(engine, outcomes)) == {"a", "c"}
    assert engine.requests == [2, 1, 1]


def test_a_page_that_cannot_be_indexed_is_an_error(engine, outcomes):
    engine.refusals["c"] = [400]
    with pytest.raises(StreamError, match=r"1 of 2 pages cannot be indexed.*'c'.*mapper_parsing"):
        written(engine, outcomes)


def test_an_engine_that_stays_busy_is_an_error(engine, outcomes, monkeypatch):
    monkeypatch.setattr(bulk, "RETRY_SECONDS", 0.1)
    engine.refusals["c"] = [429] * 1000
    with pytest.raises(StreamError, match="too busy for 1 of 1 pages"):
        written(engine, outcomes)


def test_a_page_that_is_not_told_of_is_an_error(engine, outcomes):
    engine.told = 1
    with pytest.raises(StreamError, match="1 results for 2 pages"):
        written(engine, outcomes)


def test_an_engine_that_is_away_is_waited_for(engine, outcomes):
    engine.away = 3
    assert set(written(engine, outcomes)) == {"a", "c"}


def test_an_engine_that_is_not_there_is_an_error(monkeypatch):
    monkeypatch.setattr(bulk, "RETRY_SECONDS", 0.05)
    with pytest.raises(StreamError, match="refused"):
        BulkSink(bulk_settings("http://127.0.0.1:9/pages"), RECIPE)


def test_large_batches_go_in_several_requests(engine, outcomes, monkeypatch):
    monkeypatch.setattr(bulk, "MAX_BYTES", 10)
    assert set(written(engine, outcomes)) == {"a", "c"}
    assert engine.requests == [1, 1]


def test_who_asks_is_told_by_the_address_or_a_header(engine, outcomes):
    engine.authorization = f"Basic {b64encode(b'me:p@ss').decode()}"
    with pytest.raises(StreamError, match="401"):
        written(engine, outcomes)
    address = engine.address.replace("//", "//me:p%40ss@")
    BulkSink(bulk_settings(address), RECIPE).write(outcomes)
    engine.authorization = "ApiKey abc"
    BulkSink(bulk_settings(engine.address, "ApiKey abc"), RECIPE).write(outcomes)


def test_a_secret_is_in_no_message():
    settings = bulk_settings("http://me:secret@127.0.0.1:9/pages")
    assert "secret" not in settings.address


@pytest.mark.parametrize(
    "address", ["http://localhost:9200", "http://localhost:9200/", "http://h/p?x"]
)
def test_an_address_without_an_index_is_an_error(address):
    with pytest.raises(StreamError, match="which index"):
        bulk_settings(address)


def test_long_ids_and_odd_letters_are_taken(engine):
    page = {"id": "é" * 400, "title": "Tea \\ud800 \u2028 dearer", "text": MILL}
    data = json.dumps(page).encode().replace(b"\\\\ud800", b"\\ud800")
    with Deduper() as deduper:
        assert len(written(engine, process_messages(deduper, [Message("1", data)]))) == 1


# SQLite.


@pytest.fixture
def table(tmp_path):
    index = FtsIndex(tmp_path / "pages.db", RECIPE)
    yield index
    index.close()


def test_pages_are_found_by_their_words_once(table, outcomes):
    table.write(outcomes)
    table.write(outcomes)
    assert [(hit.id, hit.url) for hit in table.search("QUAY shipworm")] == [
        ("a", "https://a.example/q")
    ]
    assert [hit.id for hit in table.search("paper mill")] == ["c"]
    assert [page["id"] for page in table.pages()] == ["a", "c"]
    assert table.search("zeppelin") == []


def test_a_page_that_changes_is_found_by_its_new_words_alone(table):
    with Deduper() as deduper:
        for text in ("zeppelin lands", "tram derails"):
            page = {"id": "a", "title": "News of today", "text": text}
            table.write(process_messages(deduper, [Message("1", json.dumps(page).encode())]))
    assert table.search("zeppelin") == []
    assert [hit.id for hit in table.search("tram")] == ["a"]


def test_results_of_one_story_are_collapsed(table, outcomes):
    table.write(outcomes)
    with table._base:
        table._base.execute("UPDATE pages SET story_id = 's'")
    assert len(table.search("the")) == 1


def test_any_words_may_be_asked(outcomes, tmp_path):
    table = FtsIndex(tmp_path / "any.db", RECIPE)
    table.write(outcomes)

    @given(st.text(max_size=40) | st.sampled_from(['"', "a OR", "NEAR(", "title:x", "*", "\ud800"]))
    def ask(words):
        assert len(table.search(words)) <= 2

    ask()
    table.close()


def test_a_file_that_is_none_is_an_error(tmp_path):
    (tmp_path / "no.db").write_bytes(b"something else" * 100)
    with pytest.raises(StreamError, match="cannot be an index"):
        FtsIndex(tmp_path / "no.db", RECIPE)


# The command.


def consumed(tmp_path, *words):
    file = tmp_path / "pages.ndjson"
    file.write_text("".join(json.dumps(page) + "\n" for page in PAGES))
    return CliRunner().invoke(
        app, ["consume", str(file), "--store", str(tmp_path / "s.db"), *words]
    )


def test_consume_indexes_in_an_engine(engine, tmp_path):
    result = consumed(tmp_path, "--index", engine.address)
    assert (result.exit_code, set(engine.indexes["pages"])) == (0, {"a", "c"}), result.output


def test_consume_indexes_in_a_file(tmp_path):
    assert consumed(tmp_path, "--index", str(tmp_path / "i.db")).exit_code == 0
    table = FtsIndex(tmp_path / "i.db", RECIPE)
    assert len(table.pages()) == 2
    table.close()


def test_consume_answers_no_line_that_could_not_be_indexed(engine, tmp_path):
    engine.refusals["a"] = [400]
    result = consumed(tmp_path, "--index", engine.address)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "cannot be indexed" in result.stderr
