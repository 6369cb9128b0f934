"""What is packed, nested or repeated without end is refused soon, and takes little memory."""

import gzip
import io
import json
import subprocess
import sys
import time

import pytest
import zstandard

from nearcopy import NearcopyError, StreamError
from nearcopy.io.feeds import feed_rows
from nearcopy.io.files import Rejected, Row, open_sources, parquet, read
from nearcopy.io.files import csv as tables
from nearcopy.io.files import decompress as streams
from nearcopy.io.files import json as jsons
from nearcopy.io.files import warc as warcs
from nearcopy.io.files.json import as_json
from nearcopy.service.request_bodies import read_upload
from nearcopy.service.settings import Settings


def rows_of(path):
    """All rows of a file."""
    with open_sources([str(path)]) as (source,):
        return list(read(source))


def reasons(path) -> list[str]:
    """Why rows were rejected."""
    return [row.why for row in rows_of(path) if isinstance(row, Rejected)]


# --- Packed --------------------------------------------------------------------------------------

PEAK = """
import resource, sys
from nearcopy.io.files import Row, open_sources, read
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with open_sources([sys.argv[1]]) as (source,):
    found = FOUND
print(found, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""
WHY = '[(type(each) is Row, getattr(each, "why", "")[:80]) for each in read(source)]'
TOLD, COUNTED = (PEAK.replace("FOUND", code) for code in (WHY, "sum(1 for _ in read(source))"))
MEGABYTE = 1 << 20


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
@pytest.mark.parametrize(
    ("name", "head", "over", "tail"),
    [
        ("wire.jsonl", b'{"id": "a", "text": "b"}\n', b" ", b'\n{"id": "c", "text": "d"}\n'),
        ("wire.csv", b"id,text\na,b\n", b"x", b"\nc,d\n"),
    ],
    ids=["jsonl", "csv"],
)
def test_a_line_that_is_far_larger_unpacked_is_passed_over(tmp_path, pack, name, head, over, tail):
    packed = pack(head) + pack(over * MEGABYTE) * 200 + pack(tail)
    path = tmp_path / name
    path.write_bytes(packed)
    run = [sys.executable, "-c", TOLD, str(path)]
    said = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert len(packed) < MEGABYTE  # for 200 of them
    assert said.startswith("[(True, '')")
    assert "64 MB" in said
    assert int(said.split()[-1]) < 700


def test_a_json_file_has_a_largest_size(tmp_path, monkeypatch):
    data = b'[{"id": "a", "text": "b"}]'
    path = tmp_path / "wire.json.gz"
    path.write_bytes(gzip.compress(data))
    monkeypatch.setattr(jsons, "LARGEST", len(data))
    assert isinstance(rows_of(path)[0], Row)
    monkeypatch.setattr(jsons, "LARGEST", len(data) - 1)
    assert reasons(path) == ["larger than 0 MB decompressed: write it as JSON lines"]


def test_parquet_that_is_packed_once_more_has_a_largest_size(tmp_path, monkeypatch):
    data = parquet_of({"id": ["a"], "text": ["b"]})
    path = tmp_path / "wire.parquet.gz"
    path.write_bytes(gzip.compress(data))
    monkeypatch.setattr(parquet, "LARGEST", len(data))
    assert isinstance(rows_of(path)[0], Row)
    monkeypatch.setattr(parquet, "LARGEST", len(data) - 1)
    assert "decompressed: decompress it first" in reasons(path)[0]


def parquet_of(columns) -> bytes:
    """A file of these columns."""
    arrow, buffer = pytest.importorskip("pyarrow"), io.BytesIO()
    from pyarrow.parquet import write_table

    write_table(arrow.table(columns), buffer)
    return buffer.getvalue()


def test_one_long_text_in_all_rows_of_parquet_is_not_held_for_all_of_them(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    text = arrow.DictionaryArray.from_arrays(
        arrow.array([0] * 2000, arrow.int32()), arrow.array(["w" * MEGABYTE])
    )
    path = tmp_path / "wire.parquet"
    path.write_bytes(parquet_of({"id": [str(n) for n in range(2000)], "text": text}))
    run = [sys.executable, "-c", COUNTED, str(path)]
    said = subprocess.run(run, capture_output=True, text=True, check=True).stdout.split()
    assert path.stat().st_size < MEGABYTE
    assert said[0] == "2000"
    assert int(said[1]) < 700


# --- Many columns, long rows, long heads ---------------------------------------------------------


def test_a_table_has_a_most_of_columns(tmp_path):
    path = tmp_path / "wire.csv"
    path.write_text("id,text" + ",x" * (tables.MOST_COLUMNS - 2) + "\na,b\n")
    assert isinstance(rows_of(path)[0], Row)
    path.write_text("id,text" + ",x" * (tables.MOST_COLUMNS - 1) + "\na,b\n")
    with pytest.raises(NearcopyError, match="10,001 columns, 10,000 is the limit"):
        rows_of(path)


@pytest.mark.parametrize("longest", [40, 39])
def test_a_row_of_a_table_has_a_longest_size(tmp_path, monkeypatch, longest):
    monkeypatch.setattr(tables, "LONGEST", longest)
    row = 'b,"' + "\n".join("x" * 9 for _ in range(4)) + "\n"
    row = row[:38] + '"\n'
    assert len(row) == 40
    path = tmp_path / "wire.csv"
    path.write_text(f"id,text\na,b\n{row}c,d\n")
    ids = [row.article.id for row in rows_of(path) if isinstance(row, Row)]
    assert ids == (["a", "b", "c"] if longest == 40 else ["a", "c"])


@pytest.mark.parametrize("most", [3, 2])
def test_a_row_of_a_table_has_a_most_of_lines(tmp_path, monkeypatch, most):
    monkeypatch.setattr(tables, "MOST_LINES", most)
    path = tmp_path / "wire.csv"
    path.write_text('id,text\na,b\nb,"x\ny\nz"\nc,d\n')
    ids = [row.article.id for row in rows_of(path) if isinstance(row, Row)]
    assert ids == (["a", "b", "c"] if most == 3 else ["a", "c"])


@pytest.mark.parametrize("longest", [40, 39])
def test_a_line_has_a_longest_size(tmp_path, monkeypatch, longest):
    monkeypatch.setattr(streams, "LONGEST", longest)
    path = tmp_path / "wire.jsonl"
    line = '{"id": "b", "text": "' + "x" * 16 + '"}\n'
    assert len(line) == 40
    path.write_text('{"id": "a", "text": "y"}\n' + line + '{"id": "c", "text": "z"}\n')
    ids = [row.article.id for row in rows_of(path) if isinstance(row, Row)]
    assert ids == (["a", "b", "c"] if longest == 40 else ["a", "c"])


def warc_of(page: bytes, **headers: str) -> bytes:
    """A crawl of one page."""
    pytest.importorskip("warcio")
    fields = {"Content-Type": "text/html", **headers}
    http = f"HTTP/1.1 200 OK\r\n{lines(fields)}\r\n".encode() + page
    about = {
        "WARC-Type": "response",
        "WARC-Target-URI": "https://coast.example/quay",
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": str(len(http)),
    }
    return gzip.compress(f"WARC/1.0\r\n{lines(about)}\r\n".encode() + http + b"\r\n\r\n")


def lines(headers: dict[str, str]) -> str:
    """The headers, a line each."""
    return "".join(f"{name}: {value}\r\n" for name, value in headers.items())


PAGE = b"<html><title>Quay</title><p>The old quay is closed, the council said on Monday."


def test_a_page_of_a_crawl_has_a_largest_size(tmp_path, monkeypatch):
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(warc_of(gzip.compress(PAGE), **{"Content-Encoding": "gzip"}))
    monkeypatch.setattr(warcs, "LARGEST", len(PAGE))
    assert rows_of(path)[0].article.title == "Quay"
    monkeypatch.setattr(warcs, "LARGEST", len(PAGE) - 1)
    assert reasons(path) == ["a page of more than 0 MB"]


@pytest.mark.parametrize(
    "headers", [{"X": "x" * MEGABYTE}, {f"X{n}": "x" * 99 for n in range(9999)}]
)
def test_the_head_of_a_page_has_a_longest_size(tmp_path, headers):
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(warc_of(PAGE, **headers))
    assert reasons(path)[0].endswith("the headers of a record are longer than 1 MB")
    path.write_bytes(warc_of(PAGE, X="x" * (MEGABYTE - 2000)))
    assert rows_of(path)[0].article.title == "Quay"


def test_a_crawl_that_is_one_line_without_end_is_given_up(tmp_path):
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(gzip.compress(b"WARC/1.0\r\nX: " + b"x" * (20 * MEGABYTE)))
    start = time.thread_time()
    assert reasons(path)[0].endswith("the headers of a record are longer than 1 MB")
    assert time.thread_time() - start < 5


# --- Nested --------------------------------------------------------------------------------------


def nested(depth: int, opening: str = "[", closing: str = "]") -> str:
    """Lists or objects within each other, the outermost an article."""
    return f'{{"id": "a", "text": "b", "x": {opening * (depth - 1)}{closing * (depth - 1)}}}'


@pytest.mark.parametrize("name", ["wire.jsonl", "wire.json"])
def test_json_is_nested_so_deep_and_no_deeper(tmp_path, name):
    path = tmp_path / name
    path.write_text(nested(jsons.DEEPEST))
    (row,) = rows_of(path)
    assert as_json(row.values).count(b"[") == jsons.DEEPEST - 1
    path.write_text(nested(jsons.DEEPEST + 1))
    assert "nested more than 100 deep" in reasons(path)[0]


@pytest.mark.parametrize("depth", [500, 900, 990, 1000, 100_000])
@pytest.mark.parametrize("part", ["title", "published", "x", "tier", "html"])
def test_json_nested_to_where_python_gives_up_is_refused_like_any(tmp_path, part, depth):
    path = tmp_path / "wire.jsonl"
    deep = '{"a":' * depth + "1e999" + "}" * depth
    path.write_text(f'{{"id": "a", "title": "b", "{part}": {deep}}}\n{{"id": "c", "title": "d"}}\n')
    rejected, row = rows_of(path)
    assert "not JSON" in rejected.why
    assert row.article.id == "c"


def test_html_of_a_crawl_nested_without_end_is_a_page_like_any(tmp_path):
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(warc_of(b"<div>" * 100_000 + PAGE))
    assert len(rows_of(path)) == 1


# --- Feeds ---------------------------------------------------------------------------------------


def feed_of(marks: int) -> bytes:
    """A feed of this many tags and references, one entry among them."""
    head, tail = b"<rss><channel><item><title>Tide</title>", b"</item></channel></rss>"
    left = marks - head.count(b"<") - tail.count(b"<")
    return head + b"&#65;" * (left - 2) + b"<b></b>" + tail


def test_a_feed_has_a_most_of_tags_and_references(monkeypatch):
    monkeypatch.setattr("nearcopy.io.feeds.parse.MAX_MARKUP", 2000)
    assert [row["title"] for row in feed_rows(feed_of(2000))] == ["Tide"]
    with pytest.raises(StreamError, match="more than 2,000 tags and references"):
        list(feed_rows(feed_of(2001)))


def test_a_feed_has_a_most_of_entries(monkeypatch):
    monkeypatch.setattr("nearcopy.io.feeds.parse.MAX_ENTRIES", 3)
    entry = b"<item><title>Tide</title></item>"
    assert len(list(feed_rows(b"<rss><channel>" + entry * 3))) == 3
    with pytest.raises(StreamError, match="more than 3 entries"):
        list(feed_rows(b"<rss><channel>" + entry * 4))


ENTITIES = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 30))
LAUGHS = f'<!DOCTYPE r [<!ENTITY e0 "ha">{ENTITIES}]>'


@pytest.mark.parametrize("kind", ["rss", "feed", "opml"])
def test_entities_of_entities_are_not_expanded(kind):
    body = f"{LAUGHS}<{kind}><channel><item><title>&e29;</title></item><entry><title>&e29;</title>"
    body += '</entry></channel><outline text="&e29;" xmlUrl="https://coast.example/&e29;"/>'
    start = time.thread_time()
    json_text = json.dumps(list(feed_rows(f"{body}</{kind}>".encode())))
    assert len(json_text) < 2000
    assert time.thread_time() - start < 1


UNITS = [
    *(b"<item>", b"<a ", b"<b>", b"<title>", b"&a;", b"&", b"<!--", b"<![CDATA[", b"<?", b"</a>"),
    *(b"<content type='xhtml'>", b"<x:y xmlns:x='u'>", b"<!DOCTYPE", b'<a b="', b"]]>"),
]


@pytest.mark.parametrize("unit", UNITS)
def test_a_feed_of_one_thing_over_and_over_is_read_in_time(unit):
    data = b"<rss><channel>" + unit * 9_999
    start = time.thread_time()
    list(feed_rows(data))
    assert time.thread_time() - start < 10


# --- What is sent to the service -----------------------------------------------------------------


PACKED = {
    "gzip": gzip.compress(b"{}"),
    "zstd": zstandard.compress(b"{}"),
    "parquet": b"PAR1",
    "zip": b"PK\x03\x04",
}


@pytest.mark.parametrize("data", PACKED.values(), ids=PACKED)
def test_the_service_takes_no_file_that_may_be_larger_inside(data):
    from nearcopy.service.problems import Problem

    with pytest.raises(Problem) as refused:
        read_upload(data, "wire.json", Settings(), unique_ids=True)
    assert refused.value.status == 415
