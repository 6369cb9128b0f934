"""Pages of stories are the same on every store."""

from datetime import UTC, datetime, timedelta

import pytest

from nearcopy import Article, BadPolicy, Deduper

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
FERRY = "The night ferry to the outer islands was cancelled after its engine failed at the pier."
MILL = "A paper mill on the northern river will reopen in spring with half of its former staff."
CHOIR = "The town choir sang for the last time in the old hall before its roof is taken down."
TEXTS = {"ferry": FERRY, "mill": MILL, "choir": CHOIR}


@pytest.fixture
def deduper(any_address):
    with Deduper(any_address, clock=lambda: NOON) as opened:
        yield opened


def article(name, about, hours=0, **fields):
    title = fields.pop("title", f"About the {about}")
    published = NOON + hours * HOUR
    return Article(id=name, title=title, text=TEXTS[about] * 3, published=published, **fields)


@pytest.fixture
def filled(deduper):
    """Three articles about the ferry, two about the mill, one about the choir; a ferry last."""
    list(
        deduper.run(
            [
                article("f1", "ferry", 0, source="Coast Post"),
                article("m1", "mill", 1, source="River News", title="Élan at the 100% mill_yard"),
                article("m2", "mill", 2, source="Coast Post"),
                article("c1", "choir", 3, source="Town Crier"),
                article("f2", "ferry", 4, source="Island Radio"),
                article("f3", "ferry", 5, source="Coast Post"),
            ]
        )
    )
    return deduper


def member_sets(page):
    return [{member.id for member in story.members} for story in page.stories]


F, M, C = {"f1", "f2", "f3"}, {"m1", "m2"}, {"c1"}


def test_the_newest_come_first(filled):
    assert member_sets(filled.find_stories()) == [F, C, M]


def test_the_largest_come_first(filled):
    assert member_sets(filled.find_stories(order="largest")) == [F, M, C]


@pytest.mark.parametrize("order", ["newest", "largest"])
@pytest.mark.parametrize("limit", [1, 2])
def test_pages_follow_each_other_without_gap_or_overlap(filled, order, limit):
    seen, after = [], None
    while True:
        page = filled.find_stories(order=order, limit=limit, after=after)
        assert len(page.stories) <= limit
        seen += member_sets(page)
        if (after := page.after) is None:
            break
    assert seen == member_sets(filled.find_stories(order=order))


@pytest.mark.parametrize(
    ("conditions", "stories"),
    [
        ({"least": 2}, [F, M]),
        ({"least": 3}, [F]),
        ({"least": 4}, []),
        ({"source": "coast post"}, [F, M]),
        ({"source": " Town Crier "}, [C]),
        ({"source": "coast"}, []),
        ({"text": "CHOIR"}, [C]),
        ({"text": "the"}, [F, C, M]),
        ({"text": "100% mill_"}, [M]),
        ({"text": "100_"}, []),
        ({"text": "élan"}, [M]),
        ({"text": "nowhere"}, []),
        ({"since": NOON + 3 * HOUR}, [F, C]),
        ({"until": NOON + HOUR}, [F]),
        ({"since": NOON + HOUR, "until": NOON + 3 * HOUR}, [M]),
        ({"source": "coast post", "text": "mill"}, [M]),
        ({"source": "river news", "since": NOON + 2 * HOUR}, []),
        ({"text": "\ud800"}, []),
    ],
)
def test_stories_with_a_matching_article_are_listed(filled, conditions, stories):
    assert member_sets(filled.find_stories(**conditions)) == stories


def test_every_listed_story_equals_the_story_by_id(filled):
    for story in filled.find_stories().stories:
        assert story == filled.story(story.id)


def test_forgotten_articles_are_not_listed(filled):
    filled.forget(["c1", "f3"])
    assert member_sets(filled.find_stories()) == [{"f1", "f2"}, M]


@pytest.mark.parametrize(
    "conditions",
    [
        {"order": "oldest"},
        {"limit": 0},
        {"least": 0},
        {"least": 1 << 62},
        {"after": "x"},
        {"after": "1-"},
        {"after": "-1-2"},
        {"after": "9" * 40 + "-1"},
        {"since": datetime(2026, 5, 4)},
    ],
)
def test_invalid_listing_arguments_are_refused(deduper, conditions):
    with pytest.raises(BadPolicy):
        deduper.find_stories(**conditions)
