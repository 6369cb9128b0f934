"""Inputs of a corpus job: files, samples, and archives of crawlers."""

import gzip
import json
import os
from pathlib import Path

import pytest
from tests.support.corpora import COUNT

from nearcopy.batch.local import (
    CorpusJob,
    deduplicate,
)
from nearcopy.batch.local.corpus_job import find_inputs
from nearcopy.errors import BadCorpus, NearcopyError
from nearcopy.io.files import read_articles

TEXT = " ".join(f"The council of town {number} voted on plan {number}." for number in range(40))
PAGE = (
    "<html><head><title>{title}</title></head>"
    "<body><article><h1>{title}</h1><p>{text}</p></article></body></html>"
)
CUT_OFF = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 500\r\n\r\nHTTP/1.1 200 OK\r\n"


def archive(path: Path, pages: list[tuple[str, str, str]]) -> None:
    """A WARC of pages: their addresses, the status line and kind, and what they hold."""
    with path.open("wb") as out:
        for url, answer, body in pages:
            status, kind = answer.split("|")
            held = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n\r\n{body}".encode()
            head = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:{url}>\r\n"
                f"WARC-Target-URI: {url}\r\nWARC-Date: 2026-05-04T12:00:00Z\r\n"
                f"Content-Type: application/http; msgtype=response\r\n"
                f"Content-Length: {len(held)}\r\n\r\n"
            )
            record = head.encode() + held + b"\r\n\r\n"
            out.write(gzip.compress(record) if path.suffix == ".gz" else record)


@pytest.mark.parametrize("name", ["crawl.warc", "crawl.warc.gz"])
def test_pages_of_a_crawl_are_articles(tmp_path, name):
    pytest.importorskip("trafilatura")
    pytest.importorskip("warcio")
    page = PAGE.format(title="Plans of towns", text=TEXT)
    archive(
        tmp_path / name,
        [
            ("https://example.org/a", "200 OK|text/html; charset=utf-8", page),
            ("https://example.org/b", "200 OK|text/html", page.replace("town 3", "city 3")),
            ("https://example.org/c", "404 Not Found|text/html", page),
            ("https://example.org/d.pdf", "200 OK|application/pdf", "%PDF"),
        ],
    )
    articles = list(read_articles(tmp_path / name))
    assert [article.url for article in articles] == [
        "https://example.org/a",
        "https://example.org/b",
    ]
    assert articles[0].title == "Plans of towns"
    summary = deduplicate(CorpusJob(tmp_path / name, tmp_path / "out"))
    lines = (tmp_path / "out" / f"{name}.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert (summary.rows, summary.duplicates) == (2, 1)
    assert rows[1]["duplicate_of"] == rows[0]["id"] == "<urn:https://example.org/a>"


@pytest.mark.parametrize("data", [b"no archive at all\n", CUT_OFF])
def test_a_broken_archive_says_so(tmp_path, data):
    pytest.importorskip("warcio")
    (tmp_path / "crawl.warc").write_bytes(data)
    with pytest.raises(NearcopyError, match="not WARC"):
        deduplicate(CorpusJob(tmp_path / "crawl.warc", tmp_path / "out"))


def test_an_archive_is_not_written_where_another_file_goes(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "crawl.warc").write_bytes(b"")
    (tmp_path / "in" / "crawl.warc.jsonl").write_text('{"id": "a", "text": "x"}\n')
    with pytest.raises(NearcopyError, match=r"as crawl\.warc\.jsonl: .* rename one"):
        deduplicate(CorpusJob(tmp_path / "in", tmp_path / "out"))


def test_archives_are_not_written(tmp_path):
    from nearcopy.io.files import check_output_suffix, open_writer

    with pytest.raises(NearcopyError, match=r"\.warc is not an output format"):
        check_output_suffix("out.warc")
    with (
        pytest.raises(NearcopyError, match="not an output format"),
        open_writer(tmp_path / "o", "warc"),
    ):
        pass


def test_inputs_are_not_overwritten(wire, tmp_path):
    for output in (wire, wire.parent):
        with pytest.raises(NearcopyError, match="overwritten"):
            deduplicate(CorpusJob(wire, output))
    with pytest.raises(NearcopyError, match="does not exist"):
        deduplicate(CorpusJob(tmp_path / "none.jsonl", tmp_path / "out"))


@pytest.mark.parametrize("name", ["in.jsonl", "link.jsonl", "lines.jsonl"])
def test_rejected_rows_do_not_overwrite_an_input(tmp_path, name):
    path, lines = tmp_path / "in.jsonl", tmp_path / "lines.jsonl"
    path.write_text('{"id": "a", "text": "x"}\n[]\n')
    lines.write_text("")
    (tmp_path / "link.jsonl").symlink_to(path)
    with pytest.raises(BadCorpus, match="overwritten"):
        deduplicate(CorpusJob(path, tmp_path / "out", boilerplate=lines, rejected=tmp_path / name))
    assert len(path.read_text().splitlines()) == 2


def test_each_file_is_resolved_once(tmp_path, monkeypatch):
    for number in range(30):
        (tmp_path / f"{number}.jsonl").write_text("{}\n")
    looked_up, resolve = [], Path.resolve
    monkeypatch.setattr(Path, "resolve", lambda self: looked_up.append(self) or resolve(self))
    assert len(find_inputs([str(tmp_path)])) == 30
    assert len(looked_up) == 30
    with pytest.raises(BadCorpus, match="named twice"):
        find_inputs([str(tmp_path), str(tmp_path / "7.jsonl")])


def test_an_input_that_changes_meanwhile_is_an_error(wire, tmp_path):
    copy = tmp_path / "in.jsonl"
    copy.write_bytes(wire.read_bytes())
    job = CorpusJob(copy, tmp_path / "out")
    assert len(job.sources) == 1  # found before the change
    os.utime(copy, (1, 1))
    with pytest.raises(BadCorpus, match="has changed"):
        deduplicate(job)


def test_a_sample_is_a_share_of_the_rows(wire, tmp_path):
    summary = deduplicate(CorpusJob(wire, tmp_path / "out", sample=0.1))
    assert 0.05 * COUNT < summary.rows < 0.2 * COUNT
