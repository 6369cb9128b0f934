"""The likeliest mistakes: each message says what is wrong, what was found, and what to do.

A port that is taken: test_service_settings.py.
"""

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from tests.support.service_client import free_port, serving
from typer.testing import CliRunner

import nearcopy
from nearcopy import RECIPES, Article, Deduper, NearcopyError, Policy, Recipe
from nearcopy.cli import app
from nearcopy.io.streams.consumer import process_messages
from nearcopy.io.streams.messages import Message
from nearcopy.service.settings import Settings
from nearcopy.stores.sql.sqlite import LATEST

TEXT = "The harbour council voted on Tuesday to close the old quay, after divers found shipworm. "
NAIVE = datetime(2026, 1, 31)


class Mistake(NamedTuple):
    """What somebody does, and what the message has to have in it."""

    what: str
    do: Any
    found: str  # what was given, or is there
    to_do: str


def article(**values: Any) -> Article:
    return Article(**{"id": "a", "text": TEXT} | values)


def opened(address: str, *words: Any, **more: Any) -> None:
    Deduper(address, *words, **more).close()


def asked(ask: Callable[[Deduper], Any]) -> Callable[[], Any]:
    def run() -> Any:
        with Deduper() as deduper:
            return ask(deduper)

    return run


IN_PYTHON = [
    Mistake("one article to run", asked(lambda d: list(d.run(article()))), "one Article", "list"),
    Mistake("a story that is not there", asked(lambda d: d.story("s-1")), "s-1", "give the id"),
    Mistake("a date without a zone", lambda: article(published=NAIVE), "2026-01-31", "tzinfo"),
    Mistake(
        "a date as text",
        lambda: article(published="2026-01-31"),
        "got str: '2026-01-31'",
        "fromisoformat",
    ),
    Mistake("a date in seconds", lambda: article(published=1767225600), "got int", "fromtimestamp"),
    Mistake("an id that is a number", lambda: article(id=7), "got int: 7", "str(...)"),
    Mistake("an empty id", lambda: article(id=""), "is empty", "give every article an id"),
    Mistake("a text in bytes", lambda: article(text=b"quay"), "got bytes", "decode it first"),
    Mistake(
        "a dict in place of an article",
        asked(lambda deduper: deduper.add({"id": "a"})),  # type: ignore[arg-type]
        "got dict",
        "Article(id=..., ...)",
    ),
    Mistake("per cent", lambda: Policy(near_overlap=70), "is 70", "from 0.0 to 1.0"),
    Mistake("days as a number", lambda: Policy(window=14), "is 14", "give a timedelta"),  # type: ignore[arg-type]
    Mistake(
        "the name of a preset for a policy",
        lambda: opened("memory://", policy="tracker"),
        "got str",
        "nearcopy.POLICIES",
    ),
    Mistake(
        "the name of a preset for a recipe",
        lambda: opened("memory://", "tracker"),
        "got str",
        "nearcopy.RECIPES",
    ),
    Mistake("a recipe that is none", lambda: Recipe(simhash=3), "is 3", 'Features("words", 3)'),  # type: ignore[arg-type]
    Mistake("a path for an address", lambda: opened("seen.db"), "'seen.db'", "sqlite:///path"),
    Mistake("a store of another kind", lambda: opened("mysql://host/db"), "mysql", "postgresql://"),
    Mistake("no folder", lambda: opened("sqlite:///none/s.db"), "no folder none", "make it first"),
    Mistake(
        "an article that is not there",
        asked(lambda deduper: deduper.similar("nobody")),
        "nobody",
        "add it first",
    ),
    Mistake(
        "a purge before a date without a zone",
        asked(lambda deduper: deduper.purge(NAIVE)),
        "2026, 1, 31",
        "with a time zone",
    ),
    Mistake(
        "a relation that is none",
        asked(lambda deduper: deduper.feedback("a", "b", same=True, relation="copy")),
        "'copy'",
        "choose from same_url",
    ),
    Mistake(
        "a list in place of a frame",
        lambda: nearcopy.dedupe([TEXT]),
        "got list",
        "nearcopy.batch.dedupe_files",
    ),
]


@pytest.mark.parametrize("mistake", IN_PYTHON, ids=lambda each: each.what)
def test_in_python(mistake, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NearcopyError) as raised:
        mistake.do()
    assert mistake.found in str(raised.value)
    assert mistake.to_do in str(raised.value)


ON_THE_COMMAND_LINE = [
    Mistake("a file that is not there", "dedupe none.jsonl", "none.jsonl: No such", "name right?"),
    Mistake("a folder for a file", "dedupe folder", "folder: Is a directory", "name a file"),
    Mistake("fields of other names", "dedupe odd.jsonl", "only caption, story", "name its column"),
    Mistake("columns of other names", "dedupe odd.csv", "are caption, story", "--text-field"),
    Mistake(
        "a column that is not there",
        "dedupe in.jsonl --title-field headlin",
        "no column 'headlin' for title: its columns are id, text",
        "name one of these",
    ),
    Mistake("not UTF-8", "dedupe latin.csv", "invalid continuation byte in line 2", "in UTF-8"),
    Mistake("not JSON", "dedupe broken.jsonl", "broken.jsonl:1: not JSON", "--rejected FILE"),
    Mistake("a workbook", "dedupe book.xlsx", "book.xlsx is an Excel workbook", "save it as CSV"),
    Mistake("a letter", "dedupe letter", "letter is neither JSON", "rename it"),
    Mistake(
        "no such id", "compare a b --in in.jsonl", "no article 'b' in in.jsonl", "its ids are a"
    ),
    Mistake("no date", "dedupe dated.jsonl", "'yesterday'", "2026-01-31T09:00:00Z"),
    Mistake("a preset misspelt", "dedupe in.jsonl --preset crawlr", "'crawlr'", "mean crawler?"),
    Mistake(
        "a rule by another word",
        "dedupe in.jsonl --keep newest",
        "--keep 'newest': give",
        "latest (published last)",
    ),
    Mistake("a preset cut short", "presets crawl", "no preset 'crawl'", "mean crawler?"),
    Mistake("a folder for a store", "stats --store folder", "is a folder", "folder/seen.db"),
    Mistake("no file", "dedupe", "Missing argument 'FILE'", "dedupe -h"),
    Mistake("a rule misspelt", "dedupe in.jsonl --keep lattest", "'lattest'", "mean latest?"),
    Mistake(
        "a setting misspelt",
        "dedupe in.jsonl --policy misspelt.toml",
        "'near_overlapp'",
        "near_overlap?",
    ),
    Mistake(
        "a setting in per cent", "dedupe in.jsonl --policy percent.toml", "is 70", "from 0.0 to 1.0"
    ),
    Mistake(
        "a policy that is no TOML",
        "dedupe in.jsonl --policy broken.toml",
        "at line 1, column 16",
        "nearcopy presets default",
    ),
    Mistake(
        "a policy that is not UTF-8",
        "dedupe in.jsonl --policy latin.toml",
        "latin.toml is not UTF-8",
        "write it in UTF-8",
    ),
    Mistake("no span", "dedupe in.jsonl --window fortnight", "'fortnight'", "write 14d"),
    Mistake("a spreadsheet", "dedupe in.jsonl -o out.xlsx", ".xlsx", ".csv"),
    Mistake("no folder", "dedupe in.jsonl -o none/out.jsonl", "does not exist", "create it first"),
    Mistake("a command misspelt", "dedup in.jsonl", "'dedup'", "'dedupe'"),
    Mistake("an option misspelt", "dedupe in.jsonl --stor seen.db", "--stor", "--store"),
    Mistake("no store", "check in.jsonl", "which store?", "NEARCOPY_STORE"),
    Mistake(
        "a store misspelt", "check in.jsonl --store sen.db", "no store at sen.db", "nearcopy add"
    ),
    Mistake(
        "a store that forgets",
        "check in.jsonl --store memory://",
        "begins empty",
        "--store seen.db",
    ),
    Mistake(
        "a database of another program",
        "add in.jsonl --store other.db",
        "of something else",
        "give another file",
    ),
    Mistake(
        "another recipe",
        "add in.jsonl --store seen.db --preset crawler",
        "was filled with recipe default",
        "nearcopy rebuild",
    ),
    Mistake("a newer store", "stats --store newer.db", f"schema {LATEST + 1}", "update nearcopy"),
    Mistake(
        "a PostgreSQL that is not there",
        "check in.jsonl --store postgresql://127.0.0.1:1/news",
        "127.0.0.1, port 1",
        "is it running",
    ),
    Mistake(
        "a Redis that is not there",
        "check in.jsonl --store redis://127.0.0.1:1/0",
        "127.0.0.1:1",
        "see that the server runs",
    ),
    Mistake(
        "a database of Redis by name",
        "check in.jsonl --store redis://127.0.0.1:1/news",
        "'news' is no database",
        "as in /0",
    ),
    Mistake("an id misspelt", "similar nobody --store seen.db", "nobody", "add it first"),
    Mistake("one article twice", "feedback a a --same --store seen.db", "'a' twice", "name two"),
    Mistake(
        "a relation alone",
        "feedback a b --relation same_event --store seen.db",
        "what is the feedback?",
        "--relation goes with --same",
    ),
    Mistake("no opinion", "feedback a b --store seen.db", "what is the feedback?", "--different"),
    Mistake("no time", "purge --before soon --store seen.db", "'soon'", "2026-01-31"),
    Mistake("too few labels", "tune --store seen.db", "too few labels: 0", "nearcopy feedback"),
    Mistake("no topic", "consume --brokers 127.0.0.1:1 --store seen.db", "which topic?", "--topic"),
    Mistake(
        "a feed of the own network",
        "feeds http://127.0.0.1:9/feed --store seen.db",
        "is at 127.0.0.1",
        "--allow-private",
    ),
    Mistake("no such port", "serve --port 99999", "is 99999", "from 1 to 65,535"),
    Mistake(
        "open to all without a token", "serve --host 0.0.0.0", "no token", "nearcopy token add"
    ),
    Mistake("no corpus", "corpus none -o out", "none does not exist", "name a file, a folder"),
    Mistake(
        "the output of a corpus in its work",
        "corpus in.jsonl -o scratch/out.jsonl --work scratch",
        "scratch/out.jsonl is in the work folder scratch",
        "another folder with --work",
    ),
    Mistake(
        "the work of a corpus on the desk",
        "corpus in.jsonl -o out --work .",
        ". holds book.xlsx",
        "name an empty or a new folder",
    ),
    Mistake(
        "the output of Spark in its work",
        "spark in.jsonl scratch/out --work scratch",
        "scratch/out is in the work folder scratch",
        "another folder with --work",
    ),
    Mistake(
        "the output of Spark in its work far away",
        "spark hdfs://a/in hdfs://a/work/out --work hdfs://a/work/",
        "hdfs://a/work/out is in the work folder hdfs://a/work/",
        "another folder with --work",
    ),
    Mistake(
        "the work of Spark among other files",
        "spark folder/in.jsonl out --work others",
        "others holds letter",
        "name an empty or a new folder",
    ),
    Mistake(
        "the input of Spark in its work",
        "spark out.nearcopy/in.jsonl out",
        "out.nearcopy/in.jsonl would be overwritten",
        "write to another place",
    ),
    Mistake(
        "a store onto itself", "copy-store seen.db seen.db", "is read and written", "name another"
    ),
]
FILES = {
    "in.jsonl": '{"id": "a", "text": "The harbour council voted to close the old quay."}\n',
    "odd.jsonl": '{"caption": "Quay closed", "story": "The harbour council voted."}\n',
    "odd.csv": "caption,story\nQuay closed,The harbour council voted.\n",
    "latin.csv": b"id,text\na,caf\xe9 au lait\n",
    "broken.jsonl": "Dear editor,\n",
    "book.xlsx": b"PK\x03\x04\x14\x00",
    "letter": "Dear editor,\n",
    "dated.jsonl": '{"id": "a", "text": "x", "published": "yesterday"}\n',
    "misspelt.toml": "near_overlapp = 0.7\n",
    "percent.toml": "near_overlap = 70\n",
    "latin.toml": b"# caf\xe9\n",
    "broken.toml": "near_overlap = \n",
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory) -> Path:
    """A folder with the files and stores of somebody who begins."""
    folder = tmp_path_factory.mktemp("desk")
    (folder / "folder").mkdir()
    (folder / "others").mkdir()
    (folder / "others" / "letter").write_text("Dear editor,")
    for name, data in FILES.items():
        (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    for name in ("seen", "newer"):
        with Deduper(f"sqlite:///{folder}/{name}.db", RECIPES["default"]) as deduper:
            deduper.add(Article(id="a", text=TEXT))
    for name, change in {
        "newer": f"INSERT INTO migrations (number, name) VALUES ({LATEST + 1}, 'more')",
        "other": "CREATE TABLE bookmarks (url TEXT)",
    }.items():
        with closing(sqlite3.connect(folder / f"{name}.db")) as file:
            file.execute(change)
            file.commit()
    return folder


def in_one_line(text: str) -> str:
    """The words of what is shown, without a frame around them."""
    return " ".join(text.replace("│", " ").split())


@pytest.mark.parametrize("mistake", ON_THE_COMMAND_LINE, ids=lambda each: each.what)
def test_on_the_command_line(mistake, desk, monkeypatch):
    monkeypatch.chdir(desk)
    monkeypatch.delenv("NEARCOPY_STORE", raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    done = CliRunner().invoke(app, mistake.do.split())
    said = in_one_line(done.stderr)
    assert done.exit_code == 2
    assert isinstance(done.exception, SystemExit), "a traceback"
    assert "Traceback" not in said
    assert mistake.found in said
    assert mistake.to_do in said


# Each extra: a module of it, and a command that wants it.
EXTRAS = {
    "postgres": ("psycopg", "stats --store postgresql:///news"),
    "redis": ("redis", "stats --store redis://127.0.0.1:1/0"),
    "serve": ("fastapi", "serve"),
    "mcp": ("mcp", "mcp --store seen.db"),
    "kafka": ("confluent_kafka", "consume --brokers 127.0.0.1:1 --topic a --store seen.db"),
    "parquet": ("pyarrow", "dedupe in.jsonl -o out.parquet"),
    "spark": ("pyspark", "spark in.jsonl marked"),
}


WITHOUT = """
import sys
sys.modules[sys.argv.pop(1)] = None  # which makes an import fail
from nearcopy.cli import app
app()
"""


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_that_is_not_installed(extra, desk):
    module, words = EXTRAS[extra]
    command = [sys.executable, "-c", WITHOUT, module, *words.split()]
    done = subprocess.run(command, cwd=desk, capture_output=True, text=True)
    assert done.returncode == 2, done.stdout
    assert "not installed" in done.stderr
    assert f"pip install 'nearcopy[{extra}]'" in in_one_line(done.stderr)


@pytest.fixture(scope="module")
def service(tmp_path_factory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("service")
    settings = Settings(
        port=free_port(),
        store=f"{folder}/seen.db",
        tokens=f"{folder}/tokens.db",
        max_batch=2,
        max_text_chars=100,
    )
    with serving(settings) as address:
        yield address


CHECK = ("POST", "/api/v1/check")
JSON = {"content-type": "application/json"}
OVER_HTTP = [
    Mistake("an address misspelt", ("GET", "/api/v1/artikles", {}), "/api/v1/artikles", "/docs"),
    Mistake("another method", ("GET", "/api/v1/check", {}), "does not support GET", "use POST"),
    Mistake(
        "a form", (*CHECK, {"data": {"id": "a"}}), "x-www-form-urlencoded", "send application/json"
    ),
    Mistake(
        "broken JSON", (*CHECK, {"content": b"{", "headers": JSON}), "line 1 column 2", "an object"
    ),
    Mistake(
        "not UTF-8",
        (*CHECK, {"content": b'{"id": "caf\xe9"}', "headers": JSON}),
        "at 11",
        "write it in UTF-8",
    ),
    Mistake(
        "fields of other names", (*CHECK, {"json": {"caption": "x"}}), "only caption", "give one"
    ),
    Mistake("no article", (*CHECK, {"json": "Quay closed"}), "articles", "send an article"),
    Mistake(
        "no date", (*CHECK, {"json": {"id": "a", "published": "soon"}}), "'soon'", "2026-01-31T09"
    ),
    Mistake(
        "a long text", (*CHECK, {"json": {"id": "a", "text": TEXT * 2}}), "100 char", "shorten it"
    ),
    Mistake(
        "too many",
        (*CHECK, {"json": [{"id": letter} for letter in "abc"]}),
        "3 articles",
        "a stream",
    ),
    Mistake(
        "an id misspelt", ("GET", "/api/v1/articles/nobody/similar", {}), "nobody", "add it first"
    ),
    Mistake(
        "a limit that is none",
        ("GET", "/api/v1/articles/a/similar?limit=all", {}),
        "limit",
        "integer",
    ),
    Mistake(
        "a page that is none",
        ("GET", "/api/v1/stories?after=x", {}),
        "'x'",
        "the page before",
    ),
    Mistake(
        "feedback that says nothing",
        ("POST", "/api/v1/feedback", {"json": {"a": "x", "b": "y"}}),
        "same",
        "required",
    ),
    Mistake(
        "another name of this machine",
        ("GET", "/api/v1/stories", {"headers": {"host": "news.example"}}),
        "news.example",
        "nearcopy token add",
    ),
]


@pytest.mark.parametrize("mistake", OVER_HTTP, ids=lambda each: each.what)
def test_over_http(mistake, service):
    method, path, options = mistake.do
    answer = httpx.request(method, service + path, **options)
    assert 400 <= answer.status_code < 500
    assert answer.headers["content-type"] == "application/problem+json"
    detail = answer.json()["detail"]
    assert mistake.found in detail
    assert mistake.to_do in detail


IN_STREAMS = [
    Mistake("broken JSON", b"{", "line 1 column 2", "not JSON"),
    Mistake("not UTF-8", b'{"id": "caf\xe9"}', "at 11", "write it in UTF-8"),
    Mistake("no object", b"[1]", "got list", "expected an object"),
    Mistake("fields of other names", b'{"caption": "x"}', "only caption", "give one of these"),
    Mistake("no date", b'{"id": "a", "published": "soon"}', "'soon'", "2026-01-31T09:00:00Z"),
]


@pytest.mark.parametrize("mistake", IN_STREAMS, ids=lambda each: each.what)
def test_in_streams(mistake):
    """It becomes a dead letter that says why, and what came beside it goes on."""
    beside = Message("beside", b'{"id": "b", "text": "The harbour council voted."}', token=2)
    with Deduper(clock=lambda: datetime(2026, 1, 31, tzinfo=UTC)) as deduper:
        dead_letter, right = process_messages(
            deduper, [Message("place", mistake.do, token=1), beside]
        )
    assert right.why is None
    assert mistake.found in dead_letter.why
    assert mistake.to_do in dead_letter.why


def test_many_mistakes_are_covered():
    tables = (IN_PYTHON, ON_THE_COMMAND_LINE, OVER_HTTP, IN_STREAMS)
    assert sum(map(len, tables)) >= 60
