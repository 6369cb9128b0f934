"""WARC, as crawlers write it: every page of HTML as an article. Needs the extra `warc`."""

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
LARGEST = 1 << 24  # bytes of a page, unpacked; what is longer is no page of any news
LONGEST_HEAD = 1 << 20  # bytes of the heads of a record, which are held as they are read
FINE = range(200, 300)


def read_warc(path: Path, file: str) -> Iterator[Record]:
    """A record a page that was answered with HTML; they are numbered as they stand in the file.

    Title, text and date are those of the article in the page; what has none is kept without.
    """
    archive = require("warcio.archiveiterator", extra="warc")
    extracted = require("trafilatura", extra="warc").bare_extraction
    number = 0
    with Stream(path) as head:
        if head.read(len(MAGIC)) != MAGIC:
            yield Rejected(Place(file, 1), "not WARC: it does not begin like one", "")
            return
    with path.open("rb") as stream:
        try:
            records = archive.ArchiveIterator(stream)
            heads = records.reader.readline = _Heads(records.reader.readline)
            for number, record in enumerate(records, start=1):
                if _is_page(record):
                    html = record.content_stream().read(LARGEST + 1)
                    yield _record(Place(file, number), record.rec_headers, html, extracted)
                heads.size = 0
        except Exception as exc:  # of many kinds, where a file is cut off or was made to be
            why = f"not WARC that can be read, from here on: {exc}"
            yield Rejected(Place(file, number + 1), why, "")


class _Heads:
    """Reads lines, which only heads have, and no more of them than a record may need."""

    def __init__(self, readline: Callable[[int], bytes]) -> None:
        self._readline = readline
        self.size = 0  # of the heads of this record

    def __call__(self, length: int | None = None) -> bytes:
        line = self._readline(min(length or LONGEST_HEAD, LONGEST_HEAD))
        self.size += len(line)
        if self.size > LONGEST_HEAD:
            raise ValueError(f"the head of a record is longer than {LONGEST_HEAD >> 20} MB")
        return line


def _record(place: Place, headers: Any, html: bytes, extracted: Any) -> Record:
    if len(html) > LARGEST:
        url = headers.get_header("WARC-Target-URI")
        return Rejected(place, f"a page of more than {LARGEST >> 20} MB", url)
    return place, _values(headers, html, extracted)


def _is_page(record: Any) -> bool:
    """Whether it is an answer of HTML that a server gave without an error."""
    if record.rec_type != "response" or record.http_headers is None:
        return False
    status, kind = record.http_headers.get_statuscode(), record.http_headers.get_header(TYPE, "")
    fine = status is not None and status.isdigit() and int(status) in FINE
    return fine and kind.partition(";")[0].strip().lower() in HTML


def _values(headers: Any, html: bytes, extracted: Any) -> Values:
    url = headers.get_header("WARC-Target-URI")
    try:
        document = extracted(html, url=url, with_metadata=True) if html else None
    except Exception:  # whatever a parser makes of a hostile page, it is one page of many
        document = None
    read = document.as_dict() if document is not None else {}
    return {
        "id": headers.get_header("WARC-Record-ID"),
        "url": url,
        "title": read.get("title"),
        "text": read.get("text") or "",
        "published": read.get("date"),
        "seen": headers.get_header("WARC-Date"),
    }
