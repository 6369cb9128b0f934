"""The page of an evaluation: whole, offline, and safe whatever the articles hold."""

import re
from html.parser import HTMLParser

import pytest

from nearcopy import Article, Policy, Recipe
from nearcopy.evaluate import html_report as plots
from nearcopy.evaluate.clusters import evaluate_clusters
from nearcopy.evaluate.html_report import page
from nearcopy.evaluate.labels import LabelOptions, find_scheme, read_labels
from nearcopy.evaluate.metrics import calibration_bins, precision_recall_curve
from nearcopy.evaluate.outcomes import Bar
from nearcopy.evaluate.pairs import evaluate_pairs

POLICY = Policy(window=None)
EMPTY = {"meta", "br", "line", "polyline"}
TEXT = (
    "The night bus between Aldmoor and the coast will run again from the first of the month, the "
    "county said, after drivers and the company agreed on a bonus of 250 crowns for late shifts. "
    "It was stopped in the spring when eleven of its nineteen drivers gave notice in one week."
)
HOSTILE = '<script>alert("x")</script>" onload="x" \x00 \ud800 \u202e &amp;'


class Checked(HTMLParser):
    """Sees that what is opened is closed, and keeps the names and attributes."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.attributes = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, _):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def checked(text):
    parser = Checked()
    parser.feed(text)
    assert parser.open == []
    return parser


def evaluated(*articles, labels=("same", "other")):
    """The first article beside each other one."""
    first, *candidates = articles
    rows = [
        (line, {"a": first.id, "b": other.id, "label": label})
        for line, (other, label) in enumerate(zip(candidates, labels, strict=True), start=2)
    ]
    by = find_scheme(LabelOptions(positive=("same",)), rows, POLICY)
    by_id = {article.id: article for article in articles}
    labelled = read_labels(rows, by, by_id, lambda _, name: Article(id=name))
    return evaluate_pairs(labelled, by, Recipe(), POLICY)


@pytest.fixture(scope="module")
def shown():
    changed = TEXT.replace("250", "300")
    return page(
        evaluated(
            Article(id="bus-1", title="Night bus is back", text=TEXT, language="en"),
            Article(id="bus-2", title="Quarry to close", text="Nothing like it.", language="en"),
            Article(id="bus-3", title="Night buses return", text=changed, language="en"),
            Article(id="bus-4", title="Night bus to the coast", text=TEXT, language="en"),
            labels=("same", "same", "other"),
        )
    )


def test_the_page_is_whole_and_loads_nothing(shown):
    parser = checked(shown)
    assert shown.startswith("<!doctype html>")
    assert not {"script", "link", "img", "iframe", "object"} & set(parser.tags)
    assert not {"src", "href", "srcset"} & {name for name, _ in parser.attributes}
    assert "http://" not in shown
    assert "https://" not in shown
    assert "url(" not in shown
    assert "default-src 'none'" in shown


def test_it_serves_dark_screens_and_phones(shown):
    assert "color-scheme: light dark" in shown
    assert "prefers-color-scheme: dark" in shown
    assert 'name="viewport"' in shown


def test_it_shows_numbers_curves_tables_and_mistakes(shown):
    assert checked(shown).tags.count("svg") == 3
    for what in ("precision", "auc", "By relation", "By label", "By language", "worst mistakes"):
        assert what in shown
    assert re.search(r"<b>0\.000</b><small>0\.000 to ", shown)


def test_mistakes_show_what_is_shared_and_measured(shown):
    assert "<b>miss</b>" in shown
    assert "<b>false alarm</b>" in shown
    assert re.search(
        r"<mark[^>]*><span class=\"badge\".*?</span></span>The night bus between", shown
    )
    assert re.search(r"<dt>Overlap</dt><dd>0\.\d\d</dd>", shown)
    assert '<span class="clash">250</span>' in shown
    assert '<span class="clash">300</span>' in shown


def test_nothing_in_an_article_is_obeyed():
    evaluation = evaluated(
        Article(id=HOSTILE, title=HOSTILE, text=HOSTILE, source=HOSTILE, language=HOSTILE),
        Article(id="x", title="Other", text=HOSTILE * 2),
        Article(id="y", title="Third", text="Words of its own."),
        labels=("same", "same"),
    )
    shown = page(evaluation)
    tags = checked(shown)
    assert "script" not in tags.tags
    assert not [name for name, _ in tags.attributes if name.startswith("on")]
    assert not {"\x00", "\ud800", "\u202e"} & set(shown)
    shown.encode("utf-8")


def test_marks_stand_where_people_see_the_text_of_a_page():
    html = "<p>Before &amp; all.</p><div>" + TEXT.replace("county", "<b>county</b>") + "</div>"
    evaluation = evaluated(
        Article(id="plain", text=TEXT, title="Night bus"),
        Article(id="page", text=html, html=True, title="Another thing"),
        Article(id="third", text="Nothing here."),
        labels=("other", "same"),
    )
    marked = re.findall(r"<mark[^>]*>.*?</span></span>(.*?)</mark>", page(evaluation), re.S)
    assert len(marked) == 2
    assert all(passage.strip().startswith("The night bus") for passage in marked)
    assert all(passage.strip().strip(".").endswith("one week") for passage in marked)


def test_long_texts_are_cut():
    long = Article(id="long", title="One", text=TEXT * 40)
    evaluation = evaluated(long, Article(id="b", title="Two", text="x"), long_copy(long))
    assert len(page(evaluation)) < 60_000
    assert re.search(r" … [\d,]+ characters … ", page(evaluation))


def long_copy(article):
    return Article(id="copy", title="Three", text=article.text)


def test_clusters_have_no_curves():
    articles = [Article(id="a", title="One", text=TEXT), Article(id="b", title="Two", text=TEXT)]
    shown = page(evaluate_clusters(articles, {"a": "x", "b": "y", "c": "y"}, None, POLICY))
    assert "svg" not in checked(shown).tags
    assert "bcubed f1" in shown
    assert "1 ids without an article" in shown


def test_plots_are_well_formed_even_of_nothing():
    scores, same = [0.1, 0.1, 0.8, 1.0], [0, 1, 1, 1]
    for drawn in (
        plots.precision_recall(precision_recall_curve(scores, same), (0.5, 1.0), 0.75),
        plots.precision_recall([], None, 0.0),
        plots.calibration(calibration_bins(scores, same)),
        plots.calibration([]),
        plots.histogram([Bar(0.0, 0.5, 3, 0), Bar(0.5, 1.0, 0, 0)]),
        plots.histogram([]),
    ):
        assert checked(drawn).tags[0] == "svg"
        assert "nan" not in drawn
