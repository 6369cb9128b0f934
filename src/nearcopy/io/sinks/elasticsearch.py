"""Elasticsearch and OpenSearch: new pages, by the bulk interface that both have.

What could not be indexed now is tried again; what cannot be at all is an error, and then nothing
of the batch is settled.
"""

import json
import logging
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from time import monotonic, sleep
from typing import Any
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from nearcopy.config import Recipe
from nearcopy.errors import StreamError, WebError
from nearcopy.io.http_client import Limits, Request, Response, fetch
from nearcopy.io.sinks.documents import FIELDS, TEXTS, Document, build_documents
from nearcopy.io.streams.messages import Outcome

LIMITS = Limits(seconds=60.0, max_bytes=64 << 20, redirects=0, private=True)
MOST_BYTES = 5 << 20  # of a request; engines refuse 100 MB, and like them far smaller
LONGEST_ID = 512  # bytes
LATER = frozenset({429, 502, 503, 504})  # too busy, or not there just now
PATIENCE_SECONDS = 120.0
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 5.0
NOT_FOUND = 404
TIMES = ("published",)
log = logging.getLogger("nearcopy")


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkSettings:
    """Which index, and who asks."""

    address: str  # of the engine
    index: str
    authorization: str | None = None  # the header, such as "ApiKey ..."


def bulk_settings(address: str, authorization: str | None = None) -> BulkSettings:
    """The settings that an address such as https://name:password@host:9200/pages stands for.

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
    """An index of a search engine; made where there is none."""

    def __init__(self, settings: BulkSettings, recipe: Recipe) -> None:
        self._settings, self._recipe = settings, recipe
        self._make()

    def write(self, outcomes: Sequence[Outcome]) -> None:
        """Have the new pages of these in the index."""
        for part in _parts(
            [_lines(document) for document in build_documents(outcomes, self._recipe)]
        ):
            self._index(part)

    def _make(self) -> None:
        answer = self._patiently("HEAD", "")
        if answer.status == NOT_FOUND:
            answer = self._patiently("PUT", "", json.dumps(MAPPING).encode())
            if b"resource_already_exists_exception" in answer.body:  # another was quicker
                return
        if answer.status >= 300:
            raise StreamError(f"{self._place}: answered {_told(answer)}")

    def _index(self, lines: list[bytes]) -> None:
        """Index these, those that were refused for now again until they are or time is over."""
        end, pause = monotonic() + PATIENCE_SECONDS, FIRST_PAUSE
        while True:
            answer = self._patiently("POST", "/_bulk", b"".join(lines))
            if answer.status >= 300:
                raise StreamError(f"{self._place}: answered {_told(answer)}")
            busy = self._refused(_items(answer, len(lines), self._place))
            if not busy:
                return
            if monotonic() + pause > end:
                raise StreamError(f"{self._place}: too busy for {len(busy)} of {len(lines)} pages")
            log.warning("%s: too busy for %d pages: again in %.1f s", self._place, len(busy), pause)
            sleep(pause)
            lines, pause = [lines[place] for place in busy], min(2 * pause, LONGEST_PAUSE)

    def _refused(self, items: list[dict[str, Any]]) -> list[int]:
        """The places of what may be tried again; raises where something never can be indexed."""
        bad = [item for item in items if item["status"] >= 300 and item["status"] not in LATER]
        if bad:
            why = json.dumps(bad[0].get("error"))
            raise StreamError(
                f"{self._place}: {len(bad)} of {len(items)} pages cannot be indexed, the first "
                f"{bad[0].get('_id')!r:.80}: {why:.300}"
            )
        return [place for place, item in enumerate(items) if item["status"] in LATER]

    def _patiently(self, method: str, path: str, body: bytes | None = None) -> Response:
        """The answer; an engine that is away or busy is asked again."""
        end, pause = monotonic() + PATIENCE_SECONDS, FIRST_PAUSE
        while True:
            try:
                answer = fetch(self._request(method, path, body), LIMITS)
                if answer.status not in LATER or monotonic() + pause > end:
                    return answer
                reason = f"{self._place}: answered {answer.status}"
            except WebError as exc:
                if monotonic() + pause > end:
                    raise
                reason = str(exc)
            log.warning("trying again in %.1f s: %s", pause, reason)
            sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

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
    """What to do and the page, a line each; absent is left out."""
    name = str(document["id"])
    if len(name.encode()) > LONGEST_ID:
        name = sha256(name.encode()).hexdigest()
    fields = {field: value for field, value in document.items() if value is not None}
    rows = ({"index": {"_id": name}}, fields)
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def _parts(lines: list[bytes]) -> Iterator[list[bytes]]:
    """The pages in requests of a size that engines take."""
    part: list[bytes] = []
    size = 0
    for line in lines:
        if part and size + len(line) > MOST_BYTES:
            yield part
            part, size = [], 0
        part.append(line)
        size += len(line)
    if part:
        yield part


def _items(answer: Response, count: int, place: str) -> list[dict[str, Any]]:
    """What came of each page; one that is not told of is an error."""
    try:
        items = [item["index"] for item in json.loads(answer.body)["items"]]
        if len(items) != count or not all(isinstance(item["status"], int) for item in items):
            raise ValueError(f"it tells of {len(items)} pages of {count}")
    except (ValueError, TypeError, KeyError, RecursionError) as exc:
        raise StreamError(f"{place}: no answer of a bulk request: {exc!r:.200}") from None
    return items


def _told(answer: Response) -> str:
    return f"{answer.status}: {answer.body[:300].decode('utf-8', 'replace')}"
