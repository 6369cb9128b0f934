"""check_all and similar_all: the answers of check and similar, with fewer queries."""

from dataclasses import replace
from pathlib import Path

import pytest

from nearcopy import Article, BadArticle, Deduper, NotStored
from nearcopy.io.files import read_articles

WIRE = list(read_articles(Path(__file__).parents[2] / "examples" / "wire.jsonl"))
STORED, NEW = WIRE[::2], WIRE[1::2]


@pytest.fixture
def deduper(any_address):
    with Deduper(any_address) as opened:
        list(opened.run(STORED))
        yield opened


def changed(article: Article, other: Article) -> Article:
    """The article with the title, text and URL of another."""
    return replace(article, title=other.title, text=other.text, url=other.url)


def test_check_all_gives_the_verdicts_of_check(deduper):
    articles = [*NEW, STORED[3], changed(STORED[5], NEW[2]), changed(STORED[2], STORED[9])]
    assert deduper.check_all(articles) == [deduper.check(article) for article in articles]


def test_check_all_writes_nothing(deduper):
    before = [story.id for story in deduper.stories()]
    deduper.check_all(NEW)
    assert [story.id for story in deduper.stories()] == before


def test_articles_of_one_id_are_each_checked(deduper):
    articles = [NEW[0], changed(NEW[0], STORED[4]), NEW[0]]
    verdicts = deduper.check_all(articles)
    assert verdicts == [deduper.check(article) for article in articles]
    assert verdicts[0] == verdicts[2] != verdicts[1]


def test_articles_checked_together_do_not_match_each_other(any_address):
    with Deduper(any_address) as empty:
        assert not any(verdict.match for verdict in empty.check_all(WIRE))


def test_feedback_applies_to_articles_checked_together(deduper):
    match = next(verdict for verdict in map(deduper.check, NEW) if verdict.is_duplicate)
    fresh = next(article for article in NEW if article.id == match.id)
    deduper.add(fresh)
    deduper.feedback(match.id, match.match, same=False)
    deduper.forget(match.id)
    articles = [NEW[0], fresh]
    verdicts = deduper.check_all(articles)
    assert verdicts == [deduper.check(article) for article in articles]


def test_similar_all_gives_what_similar_gives(deduper):
    ids = [article.id for article in STORED]
    one, other = next(
        (id_, matches[0].id) for id_ in ids if (matches := deduper.similar(id_, limit=1))
    )
    deduper.feedback(one, other, same=False)
    similar = deduper.similar_all([*ids, ids[0]], limit=3)
    assert list(similar) == ids
    assert similar == {id_: deduper.similar(id_, limit=3) for id_ in ids}


def test_check_all_of_no_article_is_empty(deduper):
    assert deduper.check_all([]) == []
    assert deduper.similar_all([]) == {}


def test_check_all_refuses_what_check_refuses(deduper):
    with pytest.raises(BadArticle, match="expected an Article"):
        deduper.check_all([NEW[0], "no article"])
    with pytest.raises(NotStored, match="nowhere"):
        deduper.similar_all([STORED[0].id, "nowhere"])
