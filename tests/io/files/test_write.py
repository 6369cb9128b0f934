"""Articles to files: what is written comes back, and a file is whole or as it was before."""

import csv
import io
import json
import os
import re
import stat
import sys
from datetime import UTC, datetime
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearcopy import MissingExtra, NearcopyError
from nearcopy.io.files import FORMATS, Rejected, open_sources, open_writer, read
from nearcopy.io.files.json import as_cell, as_json

SUFFIXES = ["", ".gz", ".zst"]
plain = st.text(st.characters(codec="utf-8"), max_size=20)
rows_of_text = st.lists(
    st.fixed_dictionaries({"id": plain.filter(bool), "title": plain, "text": plain}), min_size=1
)
numbers = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
anything = st.recursive(
    st.none() | st.booleans() | numbers | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(plain, inner, max_size=3),
    max_leaves=5,
)
rows_of_anything = st.lists(st.dictionaries(plain, anything, max_size=5), max_size=5)


def write(path, rows, **options):
    with open_writer(path, **options) as out:
        for row in rows:
            out.write(row)


def values(path):
    with open_sources([str(path)]) as (source,):
        rows = list(read(source))
    assert not any(isinstance(row, Rejected) for row in rows), rows
    return [row.values for row in rows]


@settings(max_examples=25)
@given(rows=rows_of_text)
@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("format", FORMATS)
def test_what_is_written_comes_back(tmp_path_factory, format, suffix, rows):  # noqa: A002
    path = tmp_path_factory.getbasetemp() / f"rows.{format}{suffix}"
    write(path, rows)
    assert values(path) == rows


@settings(max_examples=30)
@given(rows=rows_of_anything)
@pytest.mark.parametrize("format", ["jsonl", "json"])
def test_json_keeps_every_value(tmp_path_factory, format, rows):  # noqa: A002
    path = tmp_path_factory.getbasetemp() / f"values.{format}"
    rows = [{"id": "a", **row} for row in rows]
    write(path, rows)
    with open_sources([str(path)]) as (source,):
        read_rows = [row.raw if isinstance(row, Rejected) else row.values for row in read(source)]
    assert read_rows == rows


@settings(max_examples=30)
@given(rows=rows_of_anything)
@pytest.mark.parametrize("format", ["csv", "tsv", "parquet"])
def test_tables_take_every_value(tmp_path_factory, format, rows):  # noqa: A002
    path = tmp_path_factory.getbasetemp() / f"anything.{format}"
    rows = [{"id": str(n), **{f"x{name}": row[name] for name in row}} for n, row in enumerate(rows)]
    write(path, rows)
    assert [row["id"] for row in values(path)] == [row["id"] for row in rows]


@pytest.mark.parametrize("name", ["x;;", "x||", "\t\t", 'a";;"b', ";;;;"])
def test_a_column_with_another_delimiter_in_its_name_comes_back(tmp_path, name):
    write(tmp_path / "rows.csv", [{"id": "a", "title": "Quay", name: "1"}])
    assert [row["title"] for row in values(tmp_path / "rows.csv")] == ["Quay"]


def test_parquet_keeps_kinds_over_batches(tmp_path, monkeypatch):
    monkeypatch.setattr("nearcopy.io.files.parquet.WRITE_BATCH", 2)
    when = datetime(2026, 1, 1, tzinfo=UTC)
    rows = [
        {"id": "a", "views": None, "tags": ["x"], "odd": 1},
        {"id": "b", "views": None, "tags": [], "odd": 2},
        {"id": "c", "views": 5, "tags": None, "odd": "three", "date": when},
        {"id": "d", "views": 2.5, "late": True, "odd": None, "at": {"lat": 1.5}},
    ]
    write(tmp_path / "a.parquet", rows)
    read_rows = values(tmp_path / "a.parquet")
    assert [row["views"] for row in read_rows] == [None, None, 5, 2.5]
    assert [row["tags"] for row in read_rows] == [["x"], [], None, None]
    assert [row["odd"] for row in read_rows] == ["1", "2", "three", None]
    assert [row["date"] for row in read_rows] == [None, None, when, None]
    assert read_rows[3]["late"] is True
    assert read_rows[3]["at"] == {"lat": 1.5}


def test_parquet_times_have_nanoseconds_at_times(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    times = pyarrow.array([1759837320123456789], pyarrow.timestamp("ns"))
    table = pyarrow.table({"id": [1], "date": times})
    parquet.write_table(table, tmp_path / "a.parquet")
    with open_sources([str(tmp_path / "a.parquet")]) as (source,):
        (row,) = read(source)
    assert row.article.id == "1"
    assert row.article.published == datetime(2025, 10, 7, 11, 42, 0, 123456, UTC)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kept", [0, 10, 0.5])
def test_parquet_that_is_cut_off_is_one_rejected_row(tmp_path, suffix, kept):
    path = tmp_path / f"a.parquet{suffix}"
    write(path, [{"id": str(n), "text": os.urandom(9).hex()} for n in range(2000)])
    path.write_bytes(path.read_bytes()[: int(kept if kept != 0.5 else path.stat().st_size / 2)])
    with open_sources([str(path)]) as (source,):
        (bad,) = read(source)
    assert isinstance(bad, Rejected)


def test_parquet_without_its_library_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"nearcopy\[parquet\]"):
        write(tmp_path / "a.parquet", [{"id": "a"}])
    (tmp_path / "b.parquet").write_bytes(b"PAR1")
    with pytest.raises(MissingExtra, match=r"nearcopy\[parquet\]"):
        values(tmp_path / "b.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["b.parquet"]


def test_columns_that_come_late_are_not_lost(tmp_path):
    rows = [{"id": "a", "text": "x\ny"}, {"id": "b", "late": "z"}, {"text": "w", "id": "c"}]
    write(tmp_path / "a.csv", rows)
    assert values(tmp_path / "a.csv") == [
        {"id": "a", "text": "x\ny", "late": ""},
        {"id": "b", "text": "", "late": "z"},
        {"id": "c", "text": "w", "late": ""},
    ]


@pytest.mark.parametrize("name", ["a.csv", "a.tsv.gz", "a.parquet"])
def test_the_columns_of_a_table_can_be_told_before(tmp_path, name):
    rows = [{"c": "1", "b": "2"}, {"a": "3", "d": "4"}]
    write(tmp_path / name, [{"id": "x", **row} for row in rows], columns=["id", "a", "b"])
    assert [list(row) for row in values(tmp_path / name)] == [["id", "a", "b", "c", "d"]] * 2


def test_a_table_without_rows_has_its_header(tmp_path):
    write(tmp_path / "a.csv", [], columns=["id", "text"])
    assert (tmp_path / "a.csv").read_bytes() == b"\xef\xbb\xbfid,text\r\n"


def test_csv_opens_right_in_spreadsheets(tmp_path):
    write(tmp_path / "a.csv", [{"id": "é", "reasons": ["one", "two"], "dup": False, "of": None}])
    data = (tmp_path / "a.csv").read_bytes()
    assert data == b"\xef\xbb\xbfid,reasons,dup,of\r\n\xc3\xa9,one; two,false,\r\n"


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz"])
@pytest.mark.parametrize("first", ["id", 'id "as given", if any'])
def test_the_mark_for_spreadsheets_is_no_part_of_the_first_name(tmp_path, name, first):
    write(tmp_path / name, [{first: "x", "text": "é"}])
    assert list(values(tmp_path / name)[0]) == [first, "text"]
    csv = pytest.importorskip("pyarrow.csv")
    parted = csv.ParseOptions(delimiter="\t" if "tsv" in name else ",")
    assert csv.read_csv(tmp_path / name, parse_options=parted).column_names == [first, "text"]


CELLS = [
    (None, ""),
    (float("nan"), ""),
    (True, "true"),
    (0.25, "0.25"),
    (12, "12"),
    (["a", 1, None], "a; 1; "),
    ({"a": 1}, '{"a": 1}'),
    (datetime(2026, 1, 1, tzinfo=UTC), "2026-01-01T00:00:00+00:00"),
    ("a\ud800b", "a\ufffdb"),
]


@pytest.mark.parametrize(("value", "cell"), CELLS)
def test_cells(value, cell):
    assert as_cell(value) == cell


def test_json_has_no_infinity_and_no_half_pairs():
    assert as_json({"a": [float("inf"), float("nan")]}) == b'{"a": [null, null]}'
    assert as_json({"a": "\ud800"}) == b'{"a": "\\ud800"}'
    assert as_json({"a": "é"}) == '{"a": "é"}'.encode()
    assert as_json({"when": datetime(2026, 1, 1), "raw": b"\xff"}).count(b'"') == 8


@pytest.mark.parametrize("format", FORMATS)
def test_nothing_at_all_can_be_written(tmp_path, format):  # noqa: A002
    write(tmp_path / f"none.{format}", [])
    assert values(tmp_path / f"none.{format}") == []


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv.gz", "a.parquet", "a.jsonl.zst"])
def test_a_failure_leaves_the_file_as_it_was(tmp_path, name):
    (tmp_path / name).write_text("before")
    with pytest.raises(ZeroDivisionError):
        write(tmp_path / name, ({"id": 1 / n} for n in (2, 1, 0)))
    assert (tmp_path / name).read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_file_can_be_written_while_it_is_read(tmp_path):
    path = tmp_path / "a.jsonl"
    write(path, [{"id": str(n)} for n in range(5000)])
    with open_sources([str(path)]) as (source,), open_writer(path) as out:
        for row in read(source):
            out.write({**row.values, "read": True})
    assert values(path) == [{"id": str(n), "read": True} for n in range(5000)]


def test_links_and_rights_are_kept(tmp_path):
    (tmp_path / "real.jsonl").write_text("before")
    (tmp_path / "real.jsonl").chmod(0o640)
    (tmp_path / "link.jsonl").symlink_to("real.jsonl")
    write(tmp_path / "link.jsonl", [{"id": "a"}])
    assert (tmp_path / "link.jsonl").is_symlink()
    assert json.loads((tmp_path / "real.jsonl").read_text()) == {"id": "a"}
    assert stat.S_IMODE((tmp_path / "real.jsonl").stat().st_mode) == 0o640


def test_devices_are_written_to(tmp_path):
    write("/dev/null", [{"id": "a"}])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("format", FORMATS)
def test_stdout_takes_every_format(monkeypatch, tmp_path, format):  # noqa: A002
    stdout = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr("sys.stdout", stdout)
    write("-", [{"id": "a", "text": "x"}], format=format)
    path = tmp_path / f"a.{format}"
    path.write_bytes(stdout.buffer.getvalue())
    monkeypatch.undo()
    assert values(path) == [{"id": "a", "text": "x"}]


def test_tables_on_stdout_have_no_mark(monkeypatch):
    stdout = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr("sys.stdout", stdout)
    write("-", [{"id": "a"}], format="csv")
    assert next(csv.reader(io.StringIO(stdout.buffer.getvalue().decode()))) == ["id"]


def test_a_folder_that_is_not_there_is_named(tmp_path):
    target = tmp_path / "none" / "out.jsonl"
    message = f"{target}: the folder {target.parent} does not exist: create it first"
    with pytest.raises(NearcopyError, match=re.escape(message)), open_writer(target):
        pass


def test_an_error_names_the_file_asked_for_and_not_the_one_beside_it(tmp_path, monkeypatch):
    denied = Mock(side_effect=PermissionError(13, "Denied", "x.part"))
    monkeypatch.setattr("nearcopy.io.files.atomic_write.mkstemp", denied)
    with pytest.raises(PermissionError) as raised, open_writer(tmp_path / "out.jsonl"):
        pass
    assert raised.value.filename == str(tmp_path / "out.jsonl")
