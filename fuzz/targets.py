"""What must hold of whatever comes in, a function for each thing that reads it (see README.md).

Each takes the bytes of an input and raises where something does not hold: an error that is none
of ours is a finding just as a broken promise is.
"""

import asyncio
import atexit
import gzip
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree

import numpy as np
import zstandard

from nearcopy import Article, Deduper, NearcopyError, Recipe, explain, fingerprints
from nearcopy.extract import facts as facts_of
from nearcopy.extract import titles as titles_of
from nearcopy.extract import urls
from nearcopy.extract.agencies import credited_agencies
from nearcopy.extract.block_pages import block_page_reason, block_page_reasons
from nearcopy.extract.text import normalised, plain_text, words
from nearcopy.extract.titles.clean import _decode_entities
from nearcopy.extract.urls.canonical import ADDRESSES, INDEX_FILES, SECTIONS
from nearcopy.io.feeds import feed_rows
from nearcopy.io.feeds import poll as polling
from nearcopy.io.feeds.atom import atom_feed, repeat_report
from nearcopy.io.feeds.new_stories import NewStory
from nearcopy.io.feeds.poll import NEVER_POLLED, PollState, read_state, write_state
from nearcopy.io.files import Row, assign_unique_ids, open_sources, open_writer, read
from nearcopy.io.files.json import as_json, replace_lone_surrogates
from nearcopy.io.http_client import Response
from nearcopy.io.serializers import explanation_row, verdict_row
from nearcopy.io.streams.consumer import check_storable
from nearcopy.kernels import reference, title_keys, word_spans
from nearcopy.match.fact_clash import compare_facts
from nearcopy.match.titles import contrast, similarity, substitutions
from nearcopy.models import Member, Story

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
FEED = "https://coast.example/feed"
READABLE = reference.AddressReader(SECTIONS, INDEX_FILES)


def text_of(data: bytes) -> str:
    """The bytes as text; what is no UTF-8 becomes halves of surrogate pairs."""
    return data.decode("utf-8", "surrogateescape")


def same(function: Callable[..., Any], *arguments: Any) -> Any:
    """What the function gives, which is the same twice."""
    answer = function(*arguments)
    assert function(*arguments) == answer, "another answer the second time"
    return answer


# --- Addresses: an address, and in the next line what its page declares --------------------------


def addresses(data: bytes) -> None:
    """The form of a form is itself, and says the same as what it is the form of."""
    url, _, link = text_of(data).partition("\n")
    form = same(urls.canonical, url)
    place = urls.page_address(url)
    assert (place is None) == (form is None)
    declared = same(urls.declared_address, url, link)
    for address in (form, declared):
        if address is not None:
            address.encode()
            assert urls.canonical(address) == address, address
    assert urls.page_addresses([url, link]) == [place, urls.page_address(link)]
    assert ADDRESSES.read([url, link]) == READABLE.read([url, link])
    assert ADDRESSES.slugs([form or url, link]) == READABLE.slugs([form or url, link])
    if form is not None:
        assert urls.page_address(form) == place
        assert urls.slug(form) == urls.slug(url)
    assert urls.declared_address(None, link) is None or urls.canonical(link)


# --- Facts: two titles, a line each --------------------------------------------------------------


def facts(data: bytes) -> None:
    """Facts do not overlap and are in order; a title never clashes with itself."""
    a, _, b = text_of(data).partition("\n")
    left, right = same(facts_of.read_facts, a), facts_of.read_facts(b)
    place = 0
    for fact in left.facts:
        assert place <= fact.start < fact.end <= len(a)
        place = fact.end
        assert facts_of.describe_fact(fact)
    assert len(left.facts) <= facts_of.MOST_FACTS
    stated = facts_of.read_titles([a, b])
    assert stated.figures == [left.figures, right.figures]
    assert stated.names == [left.names, right.names]
    assert stated.remainders == [left.remainder, right.remainder]
    itself = compare_facts(left.facts, left.facts)
    assert not itself.clashes
    assert not itself.moved
    forward = compare_facts(left.facts, right.facts)
    back = compare_facts(right.facts, left.facts)
    for pairs, flipped in zip(forward, back, strict=True):
        assert {(y, x) for x, y in flipped} == set(pairs)


# --- Headlines: two titles and the source of the first, a line each ------------------------------


def headlines(data: bytes) -> None:
    """Cleaning empties no title, and scores are shares that do not mind the order."""
    a, b, source, *_ = (text_of(data) + "\n\n\n").split("\n")
    clean = same(titles_of.clean, a, source or None)
    assert bool(normalised(clean.text)) == bool(normalised(_decode_entities(a)))
    left, right = normalised(clean.text), normalised(b)
    assert normalised(left) == left
    forward = similarity.title_scores([left], [right])
    back = similarity.title_scores([right], [left])
    for one, other in zip(forward, back, strict=True):
        assert np.array_equal(one, other, equal_nan=True)
        assert np.isnan(one[0]) or 0 <= one[0] <= 1
    left_stage, right_stage = (
        titles_of.find_stage_words(left, clean.prefix),
        titles_of.find_stage_words(right),
    )
    clash = contrast.find_contrast(left_stage, right_stage)
    assert (clash is None) == (contrast.find_contrast(right_stage, left_stage) is None)
    substitutions.format_swap(substitutions.find_swaps(left, right))
    titles_of.recurring_column(left)
    title_keys([left, right])


# --- Pages: title, address, outlet, a line each, then the text; and the same of another ----------

ANOTHER = "\n----\n"


def pages(data: bytes) -> None:
    """Two articles, from their text to what they are to each other, in every way that asks."""
    first, _, second = text_of(data).partition(ANOTHER)
    a, b = _article("a", first), _article("b", second or first)
    _check_text(a)
    one_by_one = [*fingerprints([a], Recipe()), *fingerprints([b], Recipe())]
    assert list(fingerprints([a, b], Recipe())) == one_by_one
    forward, back = explain(a, b), explain(b, a)
    assert forward.decision.relation is back.decision.relation
    json.loads(as_json(explanation_row(forward)))
    with Deduper(clock=lambda: NOW) as deduper:
        deduper.add(a)
        looked = deduper.check(b)
        added = deduper.add(b)
        assert looked.relation is added.relation
        assert deduper.add(b) == added
        json.loads(as_json(verdict_row(added, evidence=True)))


def _article(name: str, given: str) -> Article:
    title, url, source, text, *_ = (*given.split("\n", 3), "", "", "")
    html = text.lstrip().startswith("<")
    return Article(id=name, title=title, url=url, source=source or None, text=text, html=html)


def _check_text(article: Article) -> None:
    text = article.text
    word_list = words(text, html=article.html)
    spelt, starts, ends = word_spans(text, article.html)
    assert spelt == word_list
    assert all(starts < ends)
    assert all(ends <= len(text))
    folded = normalised(text, html=article.html)
    assert normalised(folded) == folded
    plain_text(text, html=True)
    same(credited_agencies, article)
    page = (article.title, text, len(word_list))
    columns = [[value] for value in page]
    assert block_page_reasons(*columns, html=[article.html]) == [
        block_page_reason(*page, html=article.html)
    ]


# --- Feeds: the type that a server names, then what it answers -----------------------------------


def feeds(data: bytes) -> None:
    """Entries can be kept, are of their feed, and can be written as a feed again."""
    kind, _, body = data.partition(b"\n")
    headers = {"content-type": kind.decode("latin-1")} if kind else {}
    answer = Response(FEED, 200, headers, body)
    try:
        listed = [as_json(row) for row in feed_rows(body, headers.get("content-type"))]
        polled = same(polling._parse_response, FEED, NEVER_POLLED, answer, NOW)
    except NearcopyError:
        return
    assert len(polled.articles) <= len(listed)
    for article in polled.articles:
        check_storable(article)
        assert polling.feed_of(article.id) == FEED
        as_json(article.title)
    state = PollState(
        feeds={FEED: polled.state.with_seen([article.id for article in polled.articles])}
    )
    path = Path(_folder()) / "memory"
    write_state(path, state)
    assert read_state(path) == state
    ElementTree.fromstring(repeat_report(state.feeds, [FEED], NOW))  # noqa: S314 (it is our own)
    written = atom_feed([(_told(article), NOW) for article in polled.articles], NOW)
    ElementTree.fromstring(written)  # noqa: S314
    assert len(list(feed_rows(written))) == len(polled.articles)


def _told(article: Article) -> NewStory:
    member = Member(article.id, None, 1.0, "kept")
    return NewStory(Story(article.id, article.id, "alone", (member,)), article)


# --- Rows: the ending of a file's name, `+` before it to have the rest packed, then the file -----

ENDINGS = ("jsonl", "json", "csv", "tsv", "parquet", "warc")
PACKED = {"gz": gzip.compress, "zst": zstandard.compress}
SAID = ("id", "title", "text", "url", "language")


def rows(data: bytes) -> None:
    """Every row is an article or says why not; what is read is read the same when written."""
    named, _, content = data.partition(b"\n")
    path = _file(named.decode("latin-1"), content)
    outcomes = _read(path)
    assert [_shown(outcome) for outcome in outcomes] == [_shown(outcome) for outcome in _read(path)]
    articles = [outcome.article for outcome in outcomes if isinstance(outcome, Row)]
    assert len({article.id for article in articles}) == len(articles)
    assert [outcome.place.line for outcome in outcomes] == sorted(
        outcome.place.line for outcome in outcomes
    )
    values = [
        {**outcome.values, "id": outcome.article.id}
        for outcome in outcomes
        if isinstance(outcome, Row)
    ]
    if all(outcome.id_column in (None, "id") for outcome in outcomes if isinstance(outcome, Row)):
        assert _written(values, "jsonl") == articles
    said = [
        {name: replace_lone_surrogates(getattr(article, name) or "") for name in SAID}
        for article in articles
    ]
    for ending in ("csv", "tsv.gz", "json.zst"):
        for old, new in zip(said, _written(said, ending), strict=True):
            assert new.id.partition("#")[0] == old["id"].partition("#")[0]
            assert (new.title, new.text) == (old["title"], old["text"])


def _file(named: str, content: bytes) -> Path:
    ending, _, packing = named.removeprefix("+").partition(".")
    pack = PACKED.get(packing)
    if pack is not None and named.startswith("+"):
        content = pack(content)
    suffix = f".{ending}" if ending in ENDINGS else ""
    path = Path(_folder()) / f"file{suffix}{f'.{packing}' if pack else ''}"
    path.write_bytes(content)
    return path


def _read(path: Path) -> list[Any]:
    with suppress(NearcopyError), open_sources([str(path)]) as (source,):
        return list(assign_unique_ids(read(source)))
    return []


def _shown(found: Any) -> tuple[Any, ...]:
    if isinstance(found, Row):
        return found.place, found.article, as_json(found.values)
    return found.place, found.why, as_json(found.raw)


def _written(rows: list[dict[str, Any]], ending: str) -> list[Article]:
    path = Path(_folder()) / f"written.{ending}"
    with open_writer(path) as file:
        for row in rows:
            file.write(row)
    outcomes = _read(path)
    assert all(isinstance(outcome, Row) for outcome in outcomes), outcomes
    return [outcome.article for outcome in outcomes]


@cache
def _folder() -> str:
    quick = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 (files are synchronised)
    folder = TemporaryDirectory(prefix="nearcopy-fuzz-", dir=quick)
    atexit.register(folder.cleanup)
    return folder.name


# --- Requests: a request line, headers, an empty line, and the body ------------------------------

RENEWED = 500  # requests after which the service is restarted with an empty store
ANSWERED = frozenset({200, 204, 303, 307, 400, 401, 403, 404, 405, 413, 415, 421, 422, 429})


class Served:
    """The service without a server: one request after another."""

    def __init__(self) -> None:
        from nearcopy.service.app import make_app
        from nearcopy.service.settings import Settings

        settings = Settings(store="memory://", tokens=f"{_folder()}/none", tuned=f"{_folder()}/p")
        self._loop = asyncio.new_event_loop()
        self._app = make_app(replace(settings, max_body_bytes=1 << 16, max_text_chars=10_000))
        self._loop.run_until_complete(self._app.state.service.pools.warm())
        self.asked = 0

    def ask(self, scope: dict[str, Any], body: bytes) -> tuple[int, dict[bytes, bytes], bytes]:
        """Status, headers and body of the answer."""
        self.asked += 1
        sent: list[dict[str, Any]] = []
        messages = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def receive() -> dict[str, Any]:
            return next(messages, {"type": "http.disconnect"})

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        self._loop.run_until_complete(asyncio.wait_for(self._app(scope, receive, send), 60))
        start, *chunks = sent
        return start["status"], dict(start["headers"]), b"".join(e.get("body", b"") for e in chunks)

    def close(self) -> None:
        """Let go of threads and stores."""
        self._app.state.service.pools.close()
        self._loop.close()


SERVED: list[Served] = []


def begin_anew() -> None:
    """Let go of the service; the next request is the first of another."""
    if SERVED:
        SERVED.pop().close()


def requests(data: bytes) -> None:
    """No request causes a server error; problems are reported as such; repeating is idempotent."""
    if SERVED and SERVED[0].asked > RENEWED:
        begin_anew()
    if not SERVED:
        SERVED.append(Served())
    head, _, body = data.partition(b"\n\n")
    line, *header_lines = head.split(b"\n")
    method, _, target = line.decode("latin-1").partition(" ")
    headers = [(b"host", b"localhost")]
    headers += [
        (n.strip().lower(), v.strip()) for n, _, v in (e.partition(b":") for e in header_lines)
    ]
    scope = _scope(method, target.encode("ascii", "replace"), headers)
    status, response_headers, answer = SERVED[0].ask(dict(scope), body)
    assert status in ANSWERED, (status, answer)
    assert response_headers[b"x-content-type-options"] == b"nosniff"
    kind = response_headers.get(b"content-type", b"").split(b";")[0]
    if kind == b"application/problem+json":
        problem = json.loads(answer)
        assert problem["status"] == status
        assert problem["detail"]
    elif kind == b"application/json":
        json.loads(answer)
    elif kind == b"application/x-ndjson":
        assert not [e for e in map(json.loads, answer.splitlines()) if e.get("status") == 500]
    if scope["path"] == "/api/v1/check":
        assert SERVED[0].ask(dict(scope), body)[2] == answer or status != 200


def _scope(method: str, target: bytes, headers: list[tuple[bytes, bytes]]) -> dict[str, Any]:
    path, _, query = target.partition(b"?")
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path.decode("ascii"),
        "raw_path": path,
        "query_string": query,
        "headers": headers,
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8000),
    }


TARGETS: dict[str, Callable[[bytes], None]] = {
    target.__name__: target
    for target in (addresses, facts, headlines, pages, feeds, rows, requests)
}
