"""One answer everywhere: the same articles on every store, in any order, singly and at once."""

import os
from functools import cache
from itertools import chain

import pytest
from tests.support.synthetic_news import NOON, news, shuffled

from nearcopy import Article, Deduper, Verdict

WHOLE = os.environ.get("NEARCOPY_FAULTS") == "whole"  # as `make faults` has it
ARTICLES = 2000 if WHOLE else 280
SINGLE_ADDS = 500 if WHOLE else 80
ORDERS = range(3 if WHOLE else 2)


def outline(verdict: Verdict) -> tuple[object, ...]:
    """A verdict but for what follows from the order of arrival."""
    skip = {"story_id", "evidence"}
    return tuple(getattr(verdict, name) for name in verdict.__slots__ if name not in skip)


def standing(deduper: Deduper, articles: list[Article]) -> dict[str, object]:
    """What all are to each other, and the stories they are in."""
    ids = sorted(article.id for article in articles)
    stories = list(deduper.stories())
    assert sorted(chain(*([m.id for m in story.members] for story in stories))) == ids
    return {
        "relations": list(map(outline, deduper.verdicts(ids))),
        "together": {frozenset(member.id for member in story.members) for story in stories},
        "kept": sorted((story.kept, story.why) for story in stories),
    }


def answer(address: str, articles: list[Article], *, at_once: bool = False) -> dict[str, object]:
    with Deduper(address, clock=lambda: NOON) as deduper:
        list(deduper.run(articles, cluster=not at_once))
        if at_once or deduper.provisional:
            deduper.recluster()
        return standing(deduper, articles)


@cache
def in_a_batch() -> dict[str, object]:
    """What `nearcopy dedupe` says of all of them."""
    return answer("memory://", news(ARTICLES), at_once=True)


def test_the_news_has_something_of_everything():
    relations = {verdict[1] for verdict in in_a_batch()["relations"]}
    assert len(relations) >= 5
    assert any(len(members) > 2 for members in in_a_batch()["together"])


@pytest.mark.parametrize("order", ORDERS)
def test_the_same_relations_and_stories_on_every_store_in_any_order(any_address, order):
    answers = answer(any_address, shuffled(news(ARTICLES), order))
    expected = in_a_batch()
    for part, said in answers.items():
        assert said == expected[part], part


@cache
def fewer_in_a_batch() -> dict[str, object]:
    return answer("memory://", news(SINGLE_ADDS), at_once=True)


def test_adding_one_by_one_equals_one_batch(any_address):
    articles = shuffled(news(SINGLE_ADDS), 7)
    with Deduper(any_address, clock=lambda: NOON) as deduper:
        for article in articles:
            deduper.add(article)
        if deduper.provisional:
            deduper.recluster()
        assert standing(deduper, articles) == fewer_in_a_batch()
