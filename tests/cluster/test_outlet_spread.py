"""Spread: the first outlet, the order of outlets, and what is unknown."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import Article, Deduper
from nearcopy.cluster.outlet_spread import (
    MAX_STEPS,
    First,
    Step,
    count_outlets,
    count_syndicated,
    spread,
)
from nearcopy.errors import NotStored
from nearcopy.io.serializers import dataclass_row, story_row
from nearcopy.models import Member, Relation, Story

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
COPY = Relation.NEAR_TEXT


def at(hours):
    return None if hours is None else NOON + timedelta(hours=hours)


def member(name, source, hours=None, of=None, relation=COPY):
    return Member(
        name, relation if of else None, 1.0, "rule", source=source, published=at(hours),
        duplicate_of=of,
    )  # fmt: skip


def story(*members):
    return Story("s-1", members[0].id, "", members)


WIRE = story(
    member("post-1", "post", 2),
    member("wire-1", "wire", 0, of="post-1"),
    member("herald-1", "herald", 5, of="post-1"),
    member("post-2", "post", 7, of="post-1"),
)


def test_the_first_is_the_earliest_published_and_not_the_kept_copy():
    assert spread(WIRE).first == First("wire-1", "wire", NOON, "published")


def test_outlets_come_in_the_order_of_their_first_article():
    outlets = spread(WIRE).outlets
    assert [(outlet.name, outlet.hours, outlet.articles) for outlet in outlets] == [
        ("wire", 0.0, 1),
        ("post", 2.0, 2),
        ("herald", 5.0, 1),
    ]
    assert [outlet.relation for outlet in outlets] == [COPY, None, COPY]


def test_the_last_and_the_median_outlet_have_hours():
    wire_spread = spread(WIRE)
    assert (wire_spread.hours, wire_spread.half_hours) == (7.0, 2.0)


def test_copies_from_another_outlet_than_the_first_are_syndicated():
    assert spread(WIRE).syndicated == count_syndicated(WIRE) == 3
    assert count_outlets(WIRE) == 3


def test_a_report_of_the_same_event_is_not_syndicated_and_its_copy_is():
    event_story = story(
        member("a", "wire", 0),
        Member("b", Relation.SAME_EVENT, 1.0, "rule", source="post", published=at(1)),
        member("c", "herald", 2, of="b"),
    )
    assert {outlet.name: outlet.syndicated for outlet in spread(event_story).outlets} == {
        "wire": 0, "post": 0, "herald": 1,
    }  # fmt: skip


def test_a_new_version_by_the_same_outlet_is_not_syndicated():
    assert spread(story(member("a", "post", 0), member("b", "post", 1, of="a"))).syndicated == 0


def test_an_article_of_no_known_outlet_is_no_outlet_and_no_copy_of_another():
    story_spread = spread(story(member("a", None, 0), member("b", "post", 1, of="a")))
    assert (story_spread.unnamed, len(story_spread.outlets), story_spread.syndicated) == (1, 1, 0)
    assert story_spread.first is not None
    assert story_spread.first.outlet is None
    assert story_spread.outlets[0].hours == 1.0


def test_an_article_that_credits_another_agency_is_syndicated():
    event_story = story(
        member("a", "reuters.com", 0),
        Member("b", Relation.SAME_EVENT, 1.0, "rule", source="post", published=at(1)),
        Member("c", Relation.SAME_EVENT, 1.0, "rule", source="meridianwire.example"),
    )
    credited = {"a": ["Reuters"], "b": ["Reuters", "AFP"], "c": ["Meridian Wire"]}
    story_spread = spread(event_story, credited=credited)
    assert story_spread.syndicated == 1
    assert [(credit.agency, credit.articles) for credit in story_spread.credits] == [
        ("Reuters", 2),
        ("AFP", 1),
        ("Meridian Wire", 1),
    ]


def test_undated_articles_go_by_when_they_were_seen_and_are_marked():
    story_spread = spread(
        story(member("a", "post"), member("b", "wire", 3, of="a")), seen={"a": at(1), "b": at(9)}
    )
    assert story_spread.first == First("a", "post", at(1), "seen")
    assert [outlet.by for outlet in story_spread.outlets] == ["seen", "published"]
    assert story_spread.seen_only == 1


def test_undated_articles_come_last_and_are_counted():
    story_spread = spread(story(member("a", "post"), member("b", "wire", 3, of="a")))
    assert [(outlet.name, outlet.hours) for outlet in story_spread.outlets] == [
        ("wire", 0.0),
        ("post", None),
    ]
    assert (story_spread.undated, story_spread.hours, story_spread.half_hours) == (1, 0.0, 0.0)


def test_without_any_time_there_is_no_first():
    result = spread(story(member("a", "post"), member("b", "wire", of="a")))
    assert (result.first, result.hours, result.half_hours, result.steps) == (None, None, None, ())
    assert result.undated == 2


def test_articles_of_the_first_moment_are_tied():
    story_spread = spread(story(member("b", "post", 0), member("a", "wire", 0, of="b")))
    assert story_spread.first == First("a", "wire", NOON, "published", ("b",))


def test_steps_count_the_outlets_so_far():
    times = {"a": 0.0, "b": 1 / 3, "c": 0.5}
    story_spread = spread(story(*(member(name, name, hours) for name, hours in times.items())))
    assert story_spread.steps == (
        Step(0.0, 1, 1), Step(0.1667, 0, 1), Step(0.3333, 1, 2), Step(0.5, 1, 3),
    )  # fmt: skip


@pytest.mark.parametrize("hours", [0, 0.1, 2, 30, 24 * 50, 24 * 365 * 300])
def test_there_are_never_too_many_steps(hours):
    story_spread = spread(story(member("a", "wire", 0), member("b", "post", hours)))
    assert 1 <= len(story_spread.steps) <= MAX_STEPS
    assert story_spread.steps[-1].total == 2


SOURCES = st.none() | st.sampled_from(["wire", "post", "herald", "times"])
ROWS = st.lists(
    st.tuples(SOURCES, st.none() | st.floats(0, 5000), st.booleans()), min_size=1, max_size=12
)


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_members_is_of_no_account(rows, random):
    members = [
        member(f"m{place}", source, hours, of="m0" if copy and place else None)
        for place, (source, hours, copy) in enumerate(rows)
    ]
    result = spread(Story("s", "m0", "", tuple(members)))
    random.shuffle(members)
    assert spread(Story("s", "m0", "", tuple(members))) == result
    assert sum(outlet.articles for outlet in result.outlets) + result.unnamed == len(rows)
    assert result.syndicated <= result.articles
    assert sum(step.new for step in result.steps) == sum(
        x.hours is not None for x in result.outlets
    )
    hours = [outlet.hours for outlet in result.outlets if outlet.hours is not None]
    assert hours == sorted(hours)


TEXT = (
    "Boats had to wait outside the old quay on Tuesday after the harbour master closed it, as "
    "divers looked for the anchor that a freighter had lost in the storm of the night before. "
    "Fishermen said that they would lose a day and that nobody had told them in time. The quay "
    "is to open again in the evening, when the tide is high enough for the larger boats to leave."
)


@pytest.fixture(params=["memory://", "sqlite:///{}/seen.db"])
def filled(request, tmp_path):
    with Deduper(request.param.format(tmp_path), clock=lambda: at(30)) as deduper:
        for place, (name, source) in enumerate([("a", "wire"), ("b", "post"), ("c", "herald")]):
            head = "PORT CALDER (Reuters) - " if name == "b" else ""
            when = None if name == "c" else at(place)
            deduper.add(Article(id=name, source=source, text=head + TEXT, published=when))
        yield deduper


def test_a_deduper_has_the_spread_of_the_story_of_an_article(filled):
    story_spread = filled.spread("b")
    assert story_spread == filled.spread(story_spread.story)
    assert [(outlet.name, outlet.by, outlet.hours) for outlet in story_spread.outlets] == [
        ("wire", "published", 0.0),
        ("post", "published", 1.0),
        ("herald", "seen", 30.0),
    ]
    assert [(credit.agency, credit.articles) for credit in story_spread.credits] == [("Reuters", 1)]
    assert story_spread.syndicated == 2


def test_an_unknown_story_has_no_spread(filled):
    with pytest.raises(NotStored):
        filled.spread("nothing")


def test_the_answer_holds_all_of_it(filled):
    row = dataclass_row(filled.spread("a"))
    assert row["first"] == {
        "article": "a", "outlet": "wire", "when": "2026-03-04T12:00:00+00:00", "by": "published",
        "tied": [],
    }  # fmt: skip
    assert row["outlets"][1]["relation"] in {str(relation) for relation in Relation} | {None}
    assert row["credits"] == [{"agency": "Reuters", "articles": 1}]
    assert row["steps"][0] == {"hours": 0.0, "new": 2, "total": 2}
    counts = story_row(filled.story("a"))
    assert (counts["outlets"], counts["syndicated"]) == (3, 2)
