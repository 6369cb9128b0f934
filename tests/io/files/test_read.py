"""Files to articles: every row is an article, or is rejected with its place and the reason."""

import gzip
import io
import json
import os
import re
import threading
from datetime import UTC, datetime, timedelta, timezone

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from nearcopy import BadArticle, NearcopyError
from nearcopy.io.files import (
    Columns,
    Rejected,
    Row,
    UniqueIds,
    assign_unique_ids,
    open_sources,
    read,
    read_articles,
    read_time,
)

GOOD = '{"id": "fine", "text": "Ferry hits a pier."}'


def rows_of(path, columns=None, *, html=False, **options):
    with open_sources([str(path)], **options) as (source,):
        return list(read(source, columns or Columns(), html=html))


@pytest.fixture
def rows(tmp_path):
    """The rows of a file with this name and content."""

    def read_back(name, content, columns=None, **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return rows_of(path, columns, **options)

    return read_back


def only(found):
    (row,) = found
    assert isinstance(row, Row), row
    return row.article


# What the columns mean.

COLUMNS = [
    ({"id": 7, "text": "x"}, {"id": "7"}),
    ({"id": 7.0, "text": "x"}, {"id": "7"}),
    ({"_id": "a", "Body": "x", "HEADLINE": "t"}, {"id": "a", "text": "x", "title": "t"}),
    ({"guid": "g", "link": "http://a.example/1"}, {"id": "g", "url": "http://a.example/1"}),
    ({"url": "http://a.example/1", "title": "t"}, {"id": "http://a.example/1"}),
    ({"id": None, "url": "http://a.example/1"}, {"id": "http://a.example/1"}),
    ({"text": "", "content": "x"}, {"text": "x"}),
    ({"text": float("nan"), "content": "x"}, {"text": "x"}),
    ({"text": "first", "content": "second"}, {"text": "first"}),
    ({"id": "only"}, {"id": "only", "text": "", "title": "", "url": None}),
    ({"id": "a", "source": {"id": None, "name": "Harbour Post"}}, {"source": "Harbour Post"}),
    ({"id": "a", "outlet": "Harbour Post"}, {"source": "Harbour Post"}),
    ({"id": "a", "title": 1984}, {"title": "1984"}),
    ({"id": "a", "tier": "2", "lang": "pt-BR"}, {"tier": 2, "language": "pt-BR"}),
    ({"id": "a", "tier": 2.0}, {"tier": 2}),
    ({"id": "a", "tier": ""}, {"tier": None}),
    ({"id": "a", "canonicalUrl": "http://a.example"}, {"canonical_url": "http://a.example"}),
    ({"id": "a", "text": "<p>x", "html": True}, {"html": True}),
    ({"id": "a", "text": "<p>x", "html": "false"}, {"html": False}),
    ({"id": "a", "html": "<p>whole page"}, {"html": True, "text": "<p>whole page"}),
    ({"id": "a", "text": "x", "html": "<p>whole page"}, {"html": False, "text": "x"}),
    ({"id": "a", "pubDate": 0}, {"published": datetime(1970, 1, 1, tzinfo=UTC)}),
    ({"id": "a", "date": "NaT"}, {"published": None}),
    ({"id": "a", "scraped_at": "2026-01-01"}, {"seen": datetime(2026, 1, 1, tzinfo=UTC)}),
    ({"id": "a\ud800", "text": "\x00"}, {"id": "a\ud800", "text": "\x00"}),
]


@pytest.mark.parametrize(("values", "parts"), COLUMNS)
def test_columns_are_guessed(rows, values, parts):
    article = only(rows("a.jsonl", json.dumps(values)))
    assert {name: getattr(article, name) for name in parts} == parts


def test_columns_can_be_named(rows):
    line = '{"id": "a", "text": "short", "Story": "long"}'
    assert only(rows("a.jsonl", line, Columns(text="Story"))).text == "long"
    assert only(rows("a.jsonl", line, Columns(text="story"))).text == "long"


def test_a_named_column_that_is_not_there_is_an_error_that_lists_what_is(rows):
    with pytest.raises(NearcopyError, match=r"no column 'tale' for text.*id, text, Story"):
        rows("a.jsonl", '{"id": "a", "text": "x", "Story": "y"}', Columns(text="tale"))


def test_a_table_without_any_column_we_know_is_an_error(rows):
    with pytest.raises(NearcopyError, match="its columns are colour, size"):
        rows("a.csv", "colour,size\nred,5\n")


def test_text_is_html_when_asked(rows):
    assert only(rows("a.jsonl", GOOD, html=True)).html is True


def test_a_row_without_id_or_address_is_named_by_what_it_says(rows):
    parsed_rows = rows("a.jsonl", '{"title": "t", "text": "x"}\n{"text": "x"}\n{"title": "t"}')
    ids = [row.article.id for row in parsed_rows]
    assert len(set(ids)) == 3
    assert all(name.startswith("t-") and len(name) == 18 for name in ids)
    assert [row.id_column for row in parsed_rows] == [None] * 3


def test_an_id_that_comes_again_is_numbered(rows):
    lines = "\n".join(json.dumps({"id": name}) for name in ["a", "a", "a#2", "a", "b"])
    own = UniqueIds()
    numbered_rows = list(assign_unique_ids(rows("a.jsonl", lines), own))
    assert [row.article.id for row in numbered_rows] == ["a", "a#2", "a#2#2", "a#3", "b"]
    assert own.repeated == 3


# Times.

WHEN = datetime(2025, 10, 7, 11, 42, tzinfo=UTC)
TIMES = [
    ("2025-10-07T11:42:00Z", WHEN),
    ("2025-10-07T11:42:00.000000000Z", WHEN),
    ("2025-10-07 11:42", WHEN),
    ("2025-10-07 13:42:00 +0200", WHEN),
    ("2025-10-07 11:42:00 UTC", WHEN),
    ("2025-10-07T13:42:00+02:00", WHEN),
    (" 2025-10-07 ", WHEN.replace(hour=0, minute=0)),
    ("20251007", WHEN.replace(hour=0, minute=0)),
    (20251007114200, WHEN),
    ("Tue, 07 Oct 2025 11:42:00 GMT", WHEN),
    ("Tue, 7 Oct 2025 13:42:00 +0200", WHEN),
    ("07 Oct 2025 11:42:00 -0000", WHEN),
    (1759837320, WHEN),
    ("1759837320", WHEN),
    ("1759837320.0", WHEN),
    (1759837320000, WHEN),
    ("1759837320000", WHEN),
    (WHEN, WHEN),
    (WHEN.replace(tzinfo=None), WHEN),
    (WHEN.date(), WHEN.replace(hour=0, minute=0)),
    (None, None),
    ("", None),
    ("null", None),
    (float("nan"), None),
]


@pytest.mark.parametrize(("value", "time"), TIMES)
def test_times_are_read(value, time):
    assert read_time(value) == time


@pytest.mark.parametrize(
    "value",
    [
        *("yesterday", "2025", 2025, "2025-13-01", "1" * 70, 1e300, float("inf"), True, []),
        *("٢٠٢٥١٠٠٧", "0001-01-01T00:00+14:00", "7 Oct 99999 1:00", "31 Foo 2025 10:00"),
        *("9" * 60, "1e5"),
    ],
)
def test_what_is_no_time_is_refused(value):
    with pytest.raises(BadArticle, match="not a time"):
        read_time(value)


@given(
    st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1)),
    st.timezones() | st.integers(-720, 720).map(lambda m: UTC if m == 0 else _zone(m)),
)
def test_iso_times_come_back(naive, zone):
    time = naive.replace(tzinfo=zone)
    assert read_time(time.isoformat()) == datetime.fromisoformat(time.isoformat())


def _zone(minutes):
    return timezone(timedelta(minutes=minutes))


@given(st.text() | st.integers() | st.floats() | st.booleans() | st.none())
def test_any_value_is_a_time_or_refused(value):
    try:
        time = read_time(value)
    except BadArticle:
        return
    assert time is None or time.utcoffset() is not None


# What cannot be read.

BAD_LINES = [
    (b'{"id": "a"', "not JSON: .*truncated"),
    (b'{"id": "a"\n', "not JSON"),
    (b'{"id": "a\n', "not JSON: Invalid control character at 9"),
    (b"[" * 100_000 + b"\n", "not JSON"),
    (b"[1, 2]\n", r"expected an object, got \[1, 2\]"),
    (b"null\n", "expected an object, got null"),
    (b'{"id": "caf\xe9"}\n', "not UTF-8: .* at 11"),
    (b'{"author": "x"}\n', "neither an id nor a title, text or url"),
    (b'{"text": "  ", "title": ""}\n', "neither an id nor"),
    (b'{"id": "a", "text": ["x"]}\n', "text must be text, got list"),
    (b'{"id": "a", "text": 5}\n', "text must be text, got int"),
    (b'{"id": true, "text": "x"}\n', "id must be text, got bool"),
    (b'{"id": "a", "url": {}}\n', "url must be text"),
    (b'{"id": "a", "tier": "top"}\n', "tier must be a whole number"),
    (b'{"id": "a", "tier": true}\n', "tier must be a whole number"),
    (b'{"id": "a", "html": "maybe"}\n', "html must be true or false"),
    (b'{"id": "a", "published": "yesterday"}\n', "published is not a time: 'yesterday'"),
    (b'{"id": ' + b"1" * 5000 + b"}\n", "not JSON"),
]


@pytest.mark.parametrize(("line", "why"), BAD_LINES)
def test_a_bad_line_is_one_rejected_row_with_its_place(rows, line, why):
    content = f"{GOOD}\n\n".encode() + line
    good, bad = rows("wire.jsonl", content)
    assert isinstance(good, Row)
    assert isinstance(bad, Rejected)
    assert str(bad.place).endswith("wire.jsonl:3")
    assert re.search(why, bad.why), bad.why
    assert bad.raw


def test_one_bad_row_never_stops_reading(rows):
    content = b"\n".join([GOOD.encode(), b"{", b"\xff", b"", b" ", GOOD.encode()])
    kinds = [type(row) for row in rows("a.jsonl", content)]
    assert kinds == [Row, Rejected, Rejected, Row]


def test_reading_articles_alone_raises_where_one_is_bad(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(f"{GOOD}\n{{\n")
    with pytest.raises(BadArticle, match=r"a\.jsonl, line 2: not JSON"):
        list(read_articles(path))


# JSON that is not in lines.

JSON_FILES = [
    f"[{GOOD}, {GOOD}]",
    f"[\n{GOOD},\n{GOOD}\n]\n",
    json.dumps({"status": "ok", "articles": [json.loads(GOOD)] * 2, "more": [1]}),
    json.dumps({"items": [json.loads(GOOD)] * 2}, indent=2),
    f"{GOOD}\n{GOOD}\n",
    f"{GOOD} {GOOD}",
    f"\ufeff[{GOOD}, {GOOD}]",
]


@pytest.mark.parametrize("content", JSON_FILES)
def test_json_of_every_shape(rows, content):
    assert [row.article.id for row in rows("a.json", content)] == ["fine", "fine"]
    assert [row.article.id for row in rows("unnamed", content)] == ["fine", "fine"]


@pytest.mark.parametrize("content", [GOOD, json.dumps(json.loads(GOOD), indent=1)])
def test_one_object_is_one_row(rows, content):
    assert only(rows("a.json", content)).id == "fine"


def test_an_article_may_have_items_of_its_own(rows):
    assert only(rows("a.json", '{\n"items": ["x", "y"], "text": "t"}')).text == "t"


def test_empty_arrays_hold_nothing(rows):
    assert rows("a.json", "[]") == []
    assert rows("a.json", '{"articles": []}') == []
    assert rows("a.json", " \n") == []


def test_places_in_json_are_lines(rows):
    json_rows = rows("a.json", f"[\n{GOOD},\n\n7,\n{GOOD}]")
    assert [row.place.line for row in json_rows] == [2, 4, 5]
    assert [type(row) for row in json_rows] == [Row, Rejected, Row]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (f"[{GOOD}, {GOOD[:-10]}", "truncated"),
        (f"[{GOOD}, ", "truncated"),
        (f"[{GOOD}", "truncated"),
        ('{"articles": [' + GOOD, "truncated"),
        ('{"articles": [' + GOOD + "]", "truncated"),
        (f"[{GOOD} {GOOD}]", "from here on"),
        (f"[{GOOD}, " + "[" * 100_000, "from here on"),
    ],
)
def test_json_is_read_up_to_where_it_breaks(rows, content, why):
    good, bad = rows("a.json", content)
    assert isinstance(good, Row)
    assert isinstance(bad, Rejected)
    assert why in bad.why


def test_json_that_is_no_utf8_is_rejected(rows):
    (bad,) = rows("a.json", b'[\n{"id": "caf\xe9"}]')
    assert (bad.place.line, bad.why[:9]) == (2, "not UTF-8")


# Tables.


def test_a_table_is_read_by_its_header(rows):
    text = 'ID,Headline,Body\n1,"One, two","line\nline ""quoted"""\n\n2,Three\n'
    first, second = rows("a.csv", "\ufeff" + text)
    assert first.article.text == 'line\nline "quoted"'
    assert first.values == {"ID": "1", "Headline": "One, two", "Body": 'line\nline "quoted"'}
    assert (second.place.line, second.article.title, second.article.text) == (5, "Three", "")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tsv", "id\ttext\na\tx, y; z\n"),
        ("a.csv", 'id;text\na;"x, y; z"\n'),
        ("a.csv", 'id,text\r\na,"x, y; z"\r\n'),
        ("unnamed", "id\ttext\na\tx, y; z\n"),
        ("unnamed", 'id,text\na,"x, y; z"'),
    ],
)
def test_columns_are_parted_by_what_the_header_has(rows, name, content):
    assert only(rows(name, content)).text == "x, y; z"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"id,text\na,b,c\n", "3 fields in a table of 2 columns"),
        (b"id,text\ncaf\xe9,x\n", "not UTF-8"),
        (b'id,text\na,"b"c\n', "not CSV"),
        (b'id,text\na,"begins\nand never ends\n', "truncated"),
        (b"id,title,text\na,tit", "truncated"),
        (b"text,url\n ,\n", "neither an id"),
        (b"id,date\na,soon\n", "published is not a time"),
    ],
)
def test_a_bad_row_of_a_table_is_rejected(rows, content, why):
    (bad,) = rows("a.csv", content)
    assert isinstance(bad, Rejected)
    assert bad.place.line == 2
    assert why in bad.why
    assert bad.raw


def test_rows_after_a_bad_one_are_read(rows):
    csv_rows = rows("a.csv", 'id,text\na,b,c\nb,"x"y\nc,fine\n')
    assert [type(row) for row in csv_rows] == [Rejected, Rejected, Row]


def test_a_header_that_cannot_be_read_is_an_error(rows):
    with pytest.raises(NearcopyError, match=r"a\.csv:1: the header is not UTF-8"):
        rows("a.csv", b"id,caf\xe9\na,b\n")


def test_columns_of_one_name_are_all_kept(rows):
    (row,) = rows("a.csv", "id,text,text,\na,b,c,d\n")
    assert row.values == {"id": "a", "text": "b", "text_3": "c", "column_4": "d"}
    (row,) = rows("a.csv", "id,text_3,x,x,x_4,text_3\n" + ",".join("abcdef"))
    assert list(row.values.values()) == list("abcdef")


def test_cells_may_be_as_long_as_articles_are(rows):
    assert len(only(rows("a.csv", "id,text\na," + "x" * 500_000)).text) == 500_000


# Packed files, pipes, unknown formats.

PACK = {".gz": gzip.compress, ".zst": zstandard.ZstdCompressor(write_checksum=True).compress}


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize(
    ("name", "content"), [("a.jsonl", GOOD), ("a.csv", "id\nfine"), ("a", GOOD)]
)
def test_packed_files_are_unpacked(rows, suffix, name, content):
    packed = PACK[suffix](content.encode())
    assert only(rows(name + suffix, packed)).id == "fine"
    assert only(rows(name, packed)).id == "fine"


@pytest.mark.parametrize("suffix", PACK)
def test_files_packed_in_parts_are_whole(rows, suffix):
    part = PACK[suffix](f"{GOOD}\n".encode())
    assert len(rows(f"a.jsonl{suffix}", part * 3 + b"\0" * 9)) == 3


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize("kept", [0, 1, 0.3, 0.6, 0.95, -1])
def test_a_packed_file_that_is_cut_off_says_so_once(rows, suffix, kept):
    lines = "".join(json.dumps({"id": n, "text": os.urandom(50).hex()}) + "\n" for n in range(99))
    packed = PACK[suffix](lines.encode())
    cut = packed[: kept if kept in (1, -1) else int(len(packed) * kept)]
    *good, last = rows(f"a.jsonl{suffix}", cut)
    assert isinstance(last, Rejected)
    assert "truncated" in last.why or kept == 1  # too short to be recognized
    assert all(isinstance(row, Row) for row in good)


@pytest.mark.parametrize("suffix", PACK)
def test_a_packed_file_that_is_damaged_says_so(rows, suffix):
    packed = bytearray(PACK[suffix](os.urandom(4000).hex().encode()))
    packed[len(packed) // 2 :] = os.urandom(len(packed) // 2)
    assert any("damaged" in row.why for row in rows(f"a.jsonl{suffix}", bytes(packed)))


def test_a_line_too_long_to_be_an_article_is_passed_over(rows, monkeypatch):
    monkeypatch.setattr("nearcopy.io.files.decompress.LONGEST", 1000)
    bad, good = rows("a.jsonl", "x" * 5000 + "\n" + GOOD)
    assert "longer than" in bad.why
    assert good.place.line == 2


@pytest.mark.parametrize("content", [GOOD, "id,text\nfine,x\n", f"[{GOOD}]"])
@pytest.mark.parametrize("pack", [bytes, *PACK.values()])
def test_stdin_is_read_as_what_it_looks_like(monkeypatch, content, pack):
    stdin = io.TextIOWrapper(io.BytesIO(pack(content.encode())))
    monkeypatch.setattr("sys.stdin", stdin)
    with open_sources(["-"]) as (source,):
        for _ in range(2):  # it can be read again
            assert only(read(source)).id == "fine"
        assert source.name == "<stdin>"
    assert not source.path.exists()


def test_a_pipe_can_be_read_again(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=[GOOD])
    writer.start()
    with open_sources([str(pipe)]) as (source,):
        assert len([*read(source), *read(source)]) == 2
    writer.join()


def test_stdin_is_read_once():
    with pytest.raises(NearcopyError, match="only once"), open_sources(["-", "-"]):
        pass


def test_what_looks_like_nothing_asks_for_the_format(rows):
    with pytest.raises(NearcopyError, match="--input-format"):
        rows("unnamed", "Dear editor,\n")
    assert rows("unnamed", "Dear editor,\n", format="jsonl")[0].why.startswith("not JSON")


def test_a_store_among_the_files_is_told_from_a_file_of_articles(rows):
    with pytest.raises(NearcopyError, match=r"is a SQLite file.* give --store .*seen\.db"):
        rows("seen.db", b"SQLite format 3\0" + bytes(84))


def test_a_file_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        rows_of(tmp_path / "none.jsonl")


@settings(max_examples=40)
@given(st.binary() | st.text().map(lambda text: text.encode("utf-8", "replace")))
@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv", "a.tsv", "a.csv.gz", "a.jsonl.zst"])
def test_any_bytes_are_rows_or_rejected(tmp_path_factory, name, data):
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(data)
    try:
        parsed_rows = rows_of(path)
    except NearcopyError:
        return
    ids = [row.article.id for row in parsed_rows if isinstance(row, Row)]
    assert len(set(ids)) == len(ids)
    if name == "a.jsonl":
        lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        assert len(parsed_rows) == sum(1 for line in lines if line.strip())


def test_of_parquet_only_the_row_with_a_value_that_nothing_can_hold_is_rejected(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    days = arrow.array([20_000, 2**31 - 1, None], arrow.date32())
    table = arrow.table({"id": ["a", "b", "c"], "title": ["x", "y", "z"], "published": days})
    parquet.write_table(table, tmp_path / "wire.parquet")
    with open_sources([str(tmp_path / "wire.parquet")]) as (source,):
        first, second, third = read(source)
    assert (first.article.id, third.article.id) == ("a", "c")
    assert second.place.line == 2
    assert second.why.startswith("an unreadable value: ")
