"""Elasticsearch and OpenSearch: index new articles through the bulk API that both have.

Documents that are rejected for a transient reason are retried. A permanent rejection is an error,
and then no message of the batch is acknowledged.
"""

import json
import logging
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from nearcopy.config import Recipe
from nearcopy.errors import StreamError, WebError
from nearcopy.io.http_client import Limits, Request, Response, fetch
from nearcopy.io.sinks import FIELDS, TEXTS, Document, build_documents
from nearcopy.io.streams.messages import Outcome
from nearcopy.stores.retry import Backoff

LIMITS = Limits(seconds=60.0, max_bytes=64 << 20, redirects=0, private=True)
MAX_BYTES = 5 << 20  # of a request; engines refuse 100 MB and recommend far less
MAX_ID = 512  # bytes
TRANSIENT = frozenset({429, 502, 503, 504})
RETRY_SECONDS = 120.0
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 5.0
NOT_FOUND = 404
TIMES = ("published",)
log = logging.getLogger("nearcopy")


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkSettings:
    """The index, and the credentials."""

    address: str  # of the engine
    index: str
    authorization: str | None = None  # the header, such as "ApiKey ..."


def bulk_settings(address: str, authorization: str | None = None) -> BulkSettings:
    """The settings from an address such as https://name:password@host:9200/pages.

    >>> bulk_settings("http://localhost:9200/pages").index
    'pages'
    """
    where = urlsplit(address)
    base, _, index = where.path.rstrip("/").rpartition("/")
    if not index or where.query or where.fragment:
        raise StreamError("which index? Give its address, as http://localhost:9200/pages")
    name, at, host = where.netloc.rpartition("@")
    if at and authorization is None:
        authorization = f"Basic {b64encode(unquote(name).encode()).decode()}"
    engine = urlunsplit((where.scheme, host, base, "", ""))
    return BulkSettings(address=engine, index=unquote(index), authorization=authorization)


class BulkSink:
    """An index of a search engine, created where it does not exist."""

    def __init__(self, settings: BulkSettings, recipe: Recipe) -> None:
        self._settings, self._recipe = settings, recipe
        self._create()

    def write(self, outcomes: Sequence[Outcome]) -> None:
        """Index the new articles among these."""
        for part in _parts(
            [_lines(document) for document in build_documents(outcomes, self._recipe)]
        ):
            self._index(part)

    def _create(self) -> None:
        answer = self._send("HEAD", "")
        if answer.status == NOT_FOUND:
            answer = self._send("PUT", "", json.dumps(MAPPING).encode())
            if b"resource_already_exists_exception" in answer.body:  # by another process
                return
        if answer.status >= 300:
            raise StreamError(f"{self._place}: answered {_describe(answer)}")

    def _index(self, lines: list[bytes]) -> None:
        """Index these, with retries of the documents rejected as busy."""
        backoff = Backoff(RETRY_SECONDS, FIRST_PAUSE, LONGEST_PAUSE)
        while True:
            answer = self._send("POST", "/_bulk", b"".join(lines))
            if answer.status >= 300:
                raise StreamError(f"{self._place}: answered {_describe(answer)}")
            busy = self._retryable(_items(answer, len(lines), self._place))
            if not busy:
                return
            if backoff.expired:
                raise StreamError(f"{self._place}: too busy for {len(busy)} of {len(lines)} pages")
            log.warning("%s: retrying %d pages in %.1f s", self._place, len(busy), backoff.pause)
            backoff.sleep()
            lines = [lines[place] for place in busy]

    def _retryable(self, items: list[dict[str, Any]]) -> list[int]:
        """The places of documents to retry; raises StreamError for permanent rejections."""
        failed = [item for item in items if item["status"] >= 300]
        rejected = [item for item in failed if item["status"] not in TRANSIENT]
        if rejected:
            why = json.dumps(rejected[0].get("error"))
            raise StreamError(
                f"{self._place}: {len(rejected)} of {len(items)} pages cannot be indexed, "
                f"the first {rejected[0].get('_id')!r:.80}: {why:.300}"
            )
        return [place for place, item in enumerate(items) if item["status"] in TRANSIENT]

    def _send(self, method: str, path: str, body: bytes | None = None) -> Response:
        """The response, with retries while the engine is unavailable or busy."""
        backoff = Backoff(RETRY_SECONDS, FIRST_PAUSE, LONGEST_PAUSE)
        while True:
            try:
                answer = fetch(self._request(method, path, body), LIMITS)
                if answer.status not in TRANSIENT or backoff.expired:
                    return answer
                reason = f"{self._place}: answered {answer.status}"
            except WebError as exc:
                if backoff.expired:
                    raise
                reason = str(exc)
            log.warning("retrying in %.1f s: %s", backoff.pause, reason)
            backoff.sleep()

    def _request(self, method: str, path: str, body: bytes | None) -> Request:
        kind = "application/x-ndjson" if path else "application/json"
        headers = {"Content-Type": kind} if body is not None else {}
        if self._settings.authorization:
            headers["Authorization"] = self._settings.authorization
        return Request(address=self._place + path, method=method, headers=headers, body=body)

    @property
    def _place(self) -> str:
        return f"{self._settings.address}/{quote(self._settings.index, safe='')}"


def _field(name: str) -> dict[str, str]:
    if name in TEXTS:
        return {"type": "text"}
    return {"type": "date"} if name in TIMES else {"type": "keyword"}


MAPPING = {"mappings": {"properties": {name: _field(name) for name in FIELDS}}}


def _lines(document: Document) -> bytes:
    """The action and the document, a line each, without missing values."""
    name = str(document["id"])
    if len(name.encode()) > MAX_ID:
        name = sha256(name.encode()).hexdigest()
    fields = {field: value for field, value in document.items() if value is not None}
    rows = ({"index": {"_id": name}}, fields)
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def _parts(lines: list[bytes]) -> Iterator[list[bytes]]:
    """The documents in requests of limited size."""
    part: list[bytes] = []
    size = 0
    for line in lines:
        if part and size + len(line) > MAX_BYTES:
            yield part
            part, size = [], 0
        part.append(line)
        size += len(line)
    if part:
        yield part


def _items(answer: Response, count: int, place: str) -> list[dict[str, Any]]:
    """The result for each document; raises StreamError where one is missing."""
    try:
        items = [item["index"] for item in json.loads(answer.body)["items"]]
        if len(items) != count or not all(isinstance(item["status"], int) for item in items):
            raise ValueError(f"{len(items)} results for {count} pages")
    except (ValueError, TypeError, KeyError, RecursionError) as exc:
        raise StreamError(f"{place}: no answer of a bulk request: {exc!r:.200}") from None
    return items


def _describe(answer: Response) -> str:
    return f"{answer.status}: {answer.body[:300].decode('utf-8', 'replace')}"
