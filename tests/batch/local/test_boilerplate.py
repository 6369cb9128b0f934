"""Site boilerplate: found, written, stripped from texts."""

from pathlib import Path

import pytest
from tests.support.corpora import lines, read
from typer.testing import CliRunner

from nearcopy import POLICIES, RECIPES, Article
from nearcopy.batch.local import (
    Boilerplate,
    CorpusJob,
    Repeated,
    deduplicate,
    line_counts,
    read_lines,
    repeated,
)
from nearcopy.batch.local.boilerplate import write_lines
from nearcopy.cli import app
from nearcopy.errors import BadCorpus


def page(name: str, text: str, host: str = "example.org", **more) -> Article:
    return Article(id=name, url=f"https://{host}/{name}", text=text, **more)


PAGES = [
    page("a", "Menu of the day\nThe harbour froze\nUpdated 3 hours ago"),
    page("b", "MENU of the day\r\nThe mayor resigned\nUpdated 12 hours ago"),
    page("c", "Trains run again\nMenu of the day\nMenu of the day"),
    page("d", "<p>Menu of the day</p><p>Updated 1 hours ago</p>", html=True),
    page("e", "Menu of the day\nThe harbour froze", "example.net"),
    Article(id="f", text="Menu of the day"),
]


def test_lines_that_pages_of_a_host_share_are_boilerplate():
    repeated_lines = list(repeated(PAGES, line_counts(PAGES)))
    assert repeated_lines == [
        Repeated("example.org", "Menu of the day", 4),
        Repeated("example.org", "Updated 3 hours ago", 3),
    ]
    lines = Boilerplate(repeated_lines)
    assert [lines.strip_from(article) for article in PAGES[:3]] == [
        "The harbour froze",
        "The mayor resigned",
        "Trains run again",
    ]
    assert lines.strip_from(PAGES[3]).strip() == ""
    assert [lines.strip_from(article) for article in PAGES[4:]] == [
        article.text for article in PAGES[4:]
    ]


@pytest.mark.parametrize("preset", ["copies", "default"])
def test_boilerplate_is_not_compared(tmp_path, preset):
    notice = " ".join(f"notice{number}" for number in range(60))
    pages = [page(f"p{n}", f"{notice}\nown{n} words{n} of{n} this{n} page{n}") for n in range(5)]
    path, kept = tmp_path / "in.jsonl", tmp_path / "lines.jsonl"
    path.write_text("".join(lines(pages)))
    write_lines(kept, repeated(pages, line_counts(pages)))
    settings = {"recipe": RECIPES[preset], "policy": POLICIES[preset]}
    assert deduplicate(CorpusJob(path, tmp_path / "with", **settings)).duplicates == 4
    assert (
        deduplicate(CorpusJob(path, tmp_path / "without", boilerplate=kept, **settings)).duplicates
        == 0
    )
    assert read(tmp_path / "without" / "in.jsonl")[0]["text"] == pages[0].text


def test_a_file_without_boilerplate_lines_is_refused(tmp_path):
    (tmp_path / "lines.jsonl").write_text('{"host": "x"}\n')
    with pytest.raises(BadCorpus, match=r"lines.jsonl:1: not a boilerplate line"):
        read_lines(tmp_path / "lines.jsonl")


@pytest.mark.parametrize("read", ["in.jsonl", ".", "*.jsonl"])
def test_boilerplate_does_not_overwrite_its_input(tmp_path, monkeypatch, read):
    monkeypatch.chdir(tmp_path)
    Path("in.jsonl").write_text("".join(lines(PAGES)))
    result = CliRunner().invoke(app, ["boilerplate", read, "-o", "in.jsonl"])
    assert result.exit_code == 2
    assert "in.jsonl is also read: write to another file" in result.stderr
    assert Path("in.jsonl").read_text() == "".join(lines(PAGES))
