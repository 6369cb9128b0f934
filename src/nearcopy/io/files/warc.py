"""WARC archives of crawlers: every HTML page as an article. Needs the extra `warc`."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from nearcopy.errors import require
from nearcopy.io.files.decompress import Stream
from nearcopy.io.files.json import Record
from nearcopy.io.files.rows import Place, Rejected, Values

MAGIC = b"WARC/"
TYPE = "Content-Type"
HTML = ("text/html", "application/xhtml+xml")
LARGEST = 1 << 24  # bytes of a page, decompressed
LONGEST_HEADERS = 1 << 20  # bytes of the headers of a record
SUCCESS = range(200, 300)


def read_warc(path: Path, file: str) -> Iterator[Record]:
    """A record per successful HTML response, by its number in the archive.

    Title, text and date are extracted from the page; a page without them is kept.
    """
    archive = require("warcio.archiveiterator", extra="warc")
    extract = require("trafilatura", extra="warc").bare_extraction
    number = 0
    with Stream(path) as head:
        if head.read(len(MAGIC)) != MAGIC:
            yield Rejected(Place(file, 1), "not WARC: it does not begin with WARC/", "")
            return
    with path.open("rb") as stream:
        try:
            records = archive.ArchiveIterator(stream)
            heads = records.reader.readline = _HeaderReader(records.reader.readline)
            for number, record in enumerate(records, start=1):
                if _is_page(record):
                    html = record.content_stream().read(LARGEST + 1)
                    yield _record(Place(file, number), record.rec_headers, html, extract)
                heads.size = 0
        except Exception as exc:  # of many types, in truncated and hostile files
            why = f"not WARC from here on: {exc}"
            yield Rejected(Place(file, number + 1), why, "")


class _HeaderReader:
    """Reads header lines, and limits the size of the headers of a record."""

    def __init__(self, readline: Callable[[int], bytes]) -> None:
        self._readline = readline
        self.size = 0  # of the headers of this record

    def __call__(self, length: int | None = None) -> bytes:
        line = self._readline(min(length or LONGEST_HEADERS, LONGEST_HEADERS))
        self.size += len(line)
        if self.size > LONGEST_HEADERS:
            raise ValueError(f"the headers of a record are longer than {LONGEST_HEADERS >> 20} MB")
        return line


def _record(place: Place, headers: Any, html: bytes, extract: Any) -> Record:
    if len(html) > LARGEST:
        url = headers.get_header("WARC-Target-URI")
        return Rejected(place, f"a page of more than {LARGEST >> 20} MB", url)
    return place, _values(headers, html, extract)


def _is_page(record: Any) -> bool:
    """Whether a record is a successful response with HTML."""
    if record.rec_type != "response" or record.http_headers is None:
        return False
    status, kind = record.http_headers.get_statuscode(), record.http_headers.get_header(TYPE, "")
    successful = status is not None and status.isdigit() and int(status) in SUCCESS
    return successful and kind.partition(";")[0].strip().lower() in HTML


def _values(headers: Any, html: bytes, extract: Any) -> Values:
    url = headers.get_header("WARC-Target-URI")
    try:
        document = extract(html, url=url, with_metadata=True) if html else None
    except Exception:  # a hostile page costs only itself
        document = None
    fields = document.as_dict() if document is not None else {}
    return {
        "id": headers.get_header("WARC-Record-ID"),
        "url": url,
        "title": fields.get("title"),
        "text": fields.get("text") or "",
        "published": fields.get("date"),
        "seen": headers.get_header("WARC-Date"),
    }
