"""What is clustered with new articles where many are linked: the stories that they may join."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from nearcopy import Article, Deduper, Policy
from nearcopy.deduper import neighbourhood
from nearcopy.deduper.neighbourhood import may_join
from nearcopy.models import Decision, Edge, Member, Relation, Story
from nearcopy.models.feedback import FEEDBACK_EVENT

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
EVENT = Decision(Relation.SAME_EVENT, "same event", 0.6, False, "the terms are alike")
COPY = Decision(Relation.NEAR_TEXT, "near text", 0.9, True, "the texts overlap by 0.8")
STORY = Story("s-1", "a", "", tuple(Member(id_, None, 1.0, "kept") for id_ in "abc"))
TEXT = (
    "the harbour council voted on tuesday to close the old ferry terminal for the winter while "
    "repair crews replace the planks along the eastern pier and test every lamp between the two "
    "lighthouses before the storms arrive next month said the mayor who promised that all boats "
    "would be moved inland without charge to their owners"
)


def edges(decision: Decision, **scores: float) -> dict[str, Edge]:
    return {other: Edge("x", other, decision, score) for other, score in scores.items()}


def test_an_article_may_join_a_story_if_the_mean_event_score_suffices():
    policy = Policy(story_score=0.3)
    assert may_join(edges(EVENT, a=0.5, b=0.4, c=0.1), STORY, policy)
    assert may_join(edges(EVENT, a=0.8), STORY, policy)
    assert not may_join(edges(EVENT, a=0.5), STORY, policy)
    assert not may_join(edges(EVENT, a=0.9), STORY, replace(policy, story_score=None))


def test_a_duplicate_and_feedback_always_may():
    assert may_join(edges(COPY, c=0.1), STORY, Policy())
    told = EVENT._replace(rule=FEEDBACK_EVENT)
    assert may_join(edges(told, c=0.0), STORY, Policy(story_score=None))


def copies(count: int) -> list[Article]:
    """Copies of one text, each with a word of its own, and each later than the one before."""
    return [
        Article(
            id=f"a{n:02}",
            title="Ferry terminal closes for the winter",
            text=f"{TEXT} {'x' * (n % 7 + 1)}",
            published=NOON + n * timedelta(hours=1),
        )
        for n in range(count)
    ]


@pytest.fixture
def always_settled(monkeypatch):
    """Every story is settled, and every component is too large to be clustered again."""
    monkeypatch.setattr(neighbourhood, "MAX_RECLUSTERED", 1)
    monkeypatch.setattr("nearcopy.deduper.recluster.MAX_COMPONENT", 1)


def add_one_by_one(address: str, policy: Policy) -> list[list[str]]:
    with Deduper(address, policy=policy, clock=lambda: NOON) as deduper:
        for article in copies(12):
            deduper.add(article)
        assert deduper.provisional
        stories = [[member.id for member in story.members] for story in deduper.stories()]
        for story in deduper.stories():
            assert {m.duplicate_of for m in story.members[1:]} <= {story.kept}
        deduper.recluster()
        assert not deduper.provisional
        again = [sorted(member.id for member in story.members) for story in deduper.stories()]
    assert sorted(id_ for story in stories for id_ in story) == [f"a{n:02}" for n in range(12)]
    assert sorted(map(len, again)) == sorted(map(len, stories))
    return stories


@pytest.mark.usefixtures("always_settled")
def test_copies_join_a_settled_story_whose_kept_copy_stays(any_address):
    (story,) = add_one_by_one(any_address, Policy())
    assert story[0] in {"a00", "a01"}


@pytest.mark.usefixtures("always_settled")
def test_a_full_settled_story_leaves_copies_out(any_address):
    stories = add_one_by_one(any_address, Policy(max_story_size=5))
    assert sorted(map(len, stories)) == [1] * 7 + [5]
