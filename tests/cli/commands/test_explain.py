"""`nearcopy explain`: two articles side by side, on any terminal, as data, and as a page."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console
from typer.testing import CliRunner

from nearcopy import Article, explain
from nearcopy.cli import app
from nearcopy.cli.explanation import render_explanation, render_page

WIRE = str(Path(__file__).parents[3] / "examples" / "wire.jsonl")
SHARED = "the harbour council voted on Tuesday evening to close the old quay at once"
A = Article(
    id="a", title="Volt raises $10 million in Series A", text=f"Late news: {SHARED}, for 12 days."
)
B = Article(
    id="b",
    title="Volt raises $50 million in Series B",
    text=f"<p>We hear <b>that</b> {SHARED}, for 15 days &amp; nights.</p>",
    html=True,
)


@pytest.fixture
def run(monkeypatch):
    monkeypatch.delenv("NEARCOPY_STORE", raising=False)
    return lambda *words, **more: CliRunner().invoke(app, ["explain", *words], **more)


def shown(a, b, width=80, **how):
    console = Console(width=width, file=None, record=True, **how)
    with console.capture() as captured:
        console.print(render_explanation(explain(a, b), a, b))
    return captured.get()


@pytest.mark.parametrize("pair", [("en-12", "en-13"), ("ar-01", "ar-03"), ("zt-01", "zs-02")])
def test_it_fits_eighty_columns_in_every_script(run, pair):
    result = run(*pair, "--in", WIRE, env={"COLUMNS": "80"})
    assert result.exit_code == 0
    assert all(cell_len(line) <= 80 for line in result.stdout.splitlines())
    assert "[1|" in result.stdout
    assert "\x1b" not in result.stdout


def test_colours_match_left_and_right_and_numbers_work_without_colour():
    coloured = shown(A, B, force_terminal=True, color_system="standard", no_color=False)
    assert len(re.findall(r"\x1b\[32m\[1\|", coloured)) == 2
    plain = shown(A, B, force_terminal=True, color_system="standard", no_color=True)
    assert not re.search(r"\x1b\[3[0-9]m", plain)
    assert plain.count("[1|the") == 2
    assert "≠12" in plain


def test_articles_cannot_control_the_terminal():
    evil = Article(id="[red]x[/red]", title="\x1b[2J[bold]t", text="\x1b]0;owned\x07 \u202e [/] \0")
    text = shown(evil, evil, width=120)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[red]x[/red]" in text
    assert "[bold]t" in text


@pytest.mark.parametrize(
    "text", ["", "\ud800", "\0", "<b>", "&", "x" * 5000, "中" * 500, "ا" * 500, "\n\n\n"]
)
def test_any_text_can_be_shown(text):
    one, other = Article(id="a", text=text, title=text), Article(id="b", text=text, html=True)
    assert all(cell_len(line) <= 80 for line in shown(one, other).splitlines())
    assert render_page(explain(one, other), one, other).endswith("</html>\n")


def test_rule_and_evidence_come_first():
    text = shown(A, B)
    assert "distinct, no duplicate, confidence 0.90, rule vetoed" in text
    assert "Facts that clash: 10 million dollars / 50 million dollars" in text or "Series A" in text
    assert "overlap" in text


def test_an_explanation_as_json(run):
    result = run("en-24", "en-25", "--in", WIRE, "--json")
    row = json.loads(result.stdout)
    assert (row["a"], row["b"], row["relation"]) == ("en-24", "en-25", "distinct")
    assert row["passages"]
    assert row["figures"]
    assert row["evidence"]["clashes"]


class Parsed(HTMLParser):
    """The tags, attributes and text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text = set(), [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("evil", ["<script>alert(1)</script>", '"><img src=x onerror=y>', "</td>&"])
def test_a_page_escapes_article_content(evil):
    one = Article(id=evil, title=evil, text=evil, source=evil, language=evil, url=evil)
    page = Parsed(render_page(explain(one, one), one, one))
    assert not page.tags & {"script", "img", "a", "link", "iframe"}
    assert not [name for name, _ in page.attributes if name.startswith("on") or name == "src"]
    assert evil in page.text


def test_a_page_has_no_external_resources():
    page = render_page(explain(A, B), A, B)
    assert "Content-Security-Policy" in page
    assert not re.search(r"https?://|url\(|@import", page)
    assert 'dir="auto"' in page


def test_html_writes_a_page(run, tmp_path):
    file = tmp_path / "why.html"
    result = run("ar-01", "ar-03", "--in", WIRE, "--html", str(file))
    assert result.exit_code == 0
    assert result.stdout == ""
    assert "why.html" in "".join(result.stderr.split())
    assert 'lang="ar"' in file.read_text(encoding="utf-8")
