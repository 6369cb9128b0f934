"""Results of extractors are articles as they are; the shapes are those of the libraries."""

import contextlib
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import Article, BadArticle
from nearcopy.io.files import article_from_extractor, read_articles

QUAY = "The harbour council voted to close the old quay after divers found shipworm in its piles. "
URL = "https://coast.example/a/quay"
TRAFILATURA = {
    "title": "Council closes quay",
    "author": None,
    "hostname": "coast.example",
    "date": "2026-05-04",
    "fingerprint": "35bdb1ce640e9672",
    "id": None,
    "license": None,
    "comments": "",
    "raw_text": QUAY,
    "text": QUAY,
    "language": None,
    "image": None,
    "pagetype": None,
    "filedate": "2026-11-16",
    "source": URL,
    "source-hostname": "Coast Post",
    "excerpt": None,
    "categories": "",
    "tags": "",
}


@dataclass
class Document:
    """As trafilatura.bare_extraction gives it."""

    title: str = "Council closes quay"
    author: str | None = None
    url: str = URL
    hostname: str = "coast.example"
    sitename: str | None = "Coast Post"
    description: str | None = "Of a quay"
    date: str = "2026-05-04"
    id: str | None = None
    body: object = field(default_factory=object)
    text: str = QUAY
    language: str | None = None

    def as_dict(self):
        return vars(self)


class Newspaper:
    """As newspaper.Article is, once it is parsed."""

    def __init__(self):
        self.title, self.text, self.url = "Council closes quay", QUAY, URL + "?ref=x"
        self.source_url, self.canonical_link = "https://coast.example", URL
        self.publish_date = datetime(2026, 5, 4, tzinfo=UTC)
        self.meta_lang, self.meta_site_name, self.language = "en", "Coast Post", None
        self.html, self.summary, self.is_parsed = f"<html><p>{QUAY}</p></html>", "", True
        self.config, self.authors = object(), []

    def parse(self):
        pass


@pytest.mark.parametrize(
    "result",
    [
        TRAFILATURA,
        json.dumps(TRAFILATURA),
        json.dumps(TRAFILATURA).encode(),
        Document(),
        Document().as_dict(),
    ],
    ids=["dict", "json", "bytes", "object", "object as dict"],
)
def test_what_trafilatura_extracts_is_an_article(result):
    article = article_from_extractor(result)
    assert (article.id, article.url, article.source) == (URL, URL, "Coast Post")
    assert (article.title, article.text, article.html) == ("Council closes quay", QUAY, False)
    assert article.published == datetime(2026, 5, 4, tzinfo=UTC)


def test_what_newspaper_extracts_is_an_article():
    article = article_from_extractor(Newspaper())
    assert (article.url, article.canonical_url) == (URL + "?ref=x", URL)
    assert (article.source, article.language) == ("Coast Post", "en")
    assert (article.text, article.html) == (QUAY, False)


def test_an_article_is_one():
    article = Article(id="a", title="Tea")
    assert article_from_extractor(article) is article


@pytest.mark.parametrize(
    ("values", "url", "source"),
    [
        ({"source": URL, "sitename": None, "hostname": "coast.example"}, URL, "coast.example"),
        ({"source": URL}, URL, None),
        ({"source": URL, "url": URL + "/2"}, URL + "/2", URL),
        ({"source": "https://coast.example"}, None, "https://coast.example"),
        ({"source": "Coast Post", "hostname": "coast.example"}, None, "Coast Post"),
        ({"source": {"name": "Coast Post"}}, None, "Coast Post"),
        ({"source": {"name": URL}}, None, URL),
        ({"source": float("nan"), "outlet": URL, "site": "Coast Post"}, URL, "Coast Post"),
        ({"outlet": "Coast Post", "source": URL}, URL, "Coast Post"),
    ],
)
def test_an_address_in_place_of_the_source_is_the_address(values, url, source):
    article = article_from_extractor({"title": "Tea"} | values)
    assert (article.url, article.source) == (url, source)


@pytest.mark.parametrize(
    ("result", "why"),
    [
        (None, "nothing was extracted"),
        ("", "not JSON"),
        ("[1]", "expected an object"),
        (b"\xff", "not JSON"),
        ({}, "neither an id nor"),
        (object(), "has no fields of an article"),
        ({"title": "Tea", "date": "never"}, "published is"),
    ],
)
def test_what_is_no_article_says_why(result, why):
    with pytest.raises(BadArticle, match=why):
        article_from_extractor(result)


def test_what_is_not_parsed_says_so():
    article = Newspaper()
    article.is_parsed = False
    with pytest.raises(BadArticle, match=r"parse\(\) first"):
        article_from_extractor(article)


@given(
    st.dictionaries(st.sampled_from([*TRAFILATURA, "url"]), st.none() | st.integers() | st.text())
)
def test_any_values_are_an_article_or_say_why_not(values):
    with contextlib.suppress(BadArticle):
        assert isinstance(article_from_extractor(values), Article)


def test_a_file_of_results_is_one_of_articles(tmp_path):
    (tmp_path / "pages.jsonl").write_text(json.dumps(TRAFILATURA) + "\n")
    (article,) = read_articles(tmp_path / "pages.jsonl")
    assert (article.url, article.source) == (URL, "Coast Post")
