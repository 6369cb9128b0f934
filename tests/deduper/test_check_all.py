"""Many articles asked about at once: each is answered as if it had been asked about alone."""

from dataclasses import replace
from pathlib import Path

import pytest

from nearcopy import Article, BadArticle, Deduper, NotStored
from nearcopy.io.files import read_articles

WIRE = list(read_articles(Path(__file__).parents[2] / "examples" / "wire.jsonl"))
STORED, NEW = WIRE[::2], WIRE[1::2]


@pytest.fixture
def deduper(any_address):
    with Deduper(any_address) as made:
        list(made.run(STORED))
        yield made


def changed(article: Article, other: Article) -> Article:
    """The article under its id, with what another says."""
    return replace(article, title=other.title, text=other.text, url=other.url)


def test_checks_at_once_tell_what_single_ones_tell(deduper):
    asked = [*NEW, STORED[3], changed(STORED[5], NEW[2]), changed(STORED[2], STORED[9])]
    assert deduper.check_all(asked) == [deduper.check(each) for each in asked]


def test_nothing_is_written_by_checks_at_once(deduper):
    before = [story.id for story in deduper.stories()]
    deduper.check_all(NEW)
    assert [story.id for story in deduper.stories()] == before


def test_articles_of_one_id_are_each_checked(deduper):
    asked = [NEW[0], changed(NEW[0], STORED[4]), NEW[0]]
    found = deduper.check_all(asked)
    assert found == [deduper.check(each) for each in asked]
    assert found[0] == found[2] != found[1]


def test_articles_that_are_asked_about_together_are_nothing_to_each_other(any_address):
    with Deduper(any_address) as empty:
        assert not any(each.match for each in empty.check_all(WIRE))


def test_what_people_said_holds_for_those_checked_at_once(deduper):
    match = next(each for each in map(deduper.check, NEW) if each.is_duplicate)
    fresh = next(each for each in NEW if each.id == match.id)
    deduper.add(fresh)
    deduper.feedback(match.id, match.match, same=False)
    deduper.forget(match.id)
    asked = [NEW[0], fresh]
    found = deduper.check_all(asked)
    assert found == [deduper.check(each) for each in asked]


def test_similar_at_once_is_what_each_alone_has(deduper):
    names = [each.id for each in STORED]
    one, other = next(
        (name, found[0].id) for name in names if (found := deduper.similar(name, limit=1))
    )
    deduper.feedback(one, other, same=False)
    found = deduper.similar_all([*names, names[0]], limit=3)
    assert list(found) == names
    assert found == {name: deduper.similar(name, limit=3) for name in names}


def test_none_asked_about_is_no_error(deduper):
    assert deduper.check_all([]) == []
    assert deduper.similar_all([]) == {}


def test_what_is_wrong_is_said_as_of_one(deduper):
    with pytest.raises(BadArticle, match="expected an Article"):
        deduper.check_all([NEW[0], "no article"])
    with pytest.raises(NotStored, match="nowhere"):
        deduper.similar_all([STORED[0].id, "nowhere"])
