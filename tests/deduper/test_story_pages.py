"""Pages of stories, and of pairs worth a look, are the same on every store."""

from datetime import UTC, datetime, timedelta

import pytest

from nearcopy import Article, BadPolicy, Deduper, Policy
from nearcopy.deduper.feedback.review_queue import margin
from nearcopy.models import Decision, Edge, Relation

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


def article(name, about, hours=0, **given):
    title = given.pop("title", f"About the {about}")
    when = NOON + hours * HOUR
    return Article(id=name, title=title, text=TEXTS[about] * 3, published=when, **given)


@pytest.fixture
def filled(deduper):
    """Three of the ferry, two of the mill, one of the choir, the ferry's last."""
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


def sets(found):
    return [{member.id for member in story.members} for story in found.stories]


F, M, C = {"f1", "f2", "f3"}, {"m1", "m2"}, {"c1"}


def test_the_newest_come_first(filled):
    assert sets(filled.find_stories()) == [F, C, M]


def test_the_largest_come_first(filled):
    assert sets(filled.find_stories(order="largest")) == [F, M, C]


@pytest.mark.parametrize("order", ["newest", "largest"])
@pytest.mark.parametrize("limit", [1, 2])
def test_pages_follow_each_other_without_gap_or_overlap(filled, order, limit):
    seen, after = [], None
    while True:
        page = filled.find_stories(order=order, limit=limit, after=after)
        assert len(page.stories) <= limit
        seen += sets(page)
        if (after := page.after) is None:
            break
    assert seen == sets(filled.find_stories(order=order))


@pytest.mark.parametrize(
    ("asked", "stories"),
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
def test_stories_are_told_by_an_article_that_fits(filled, asked, stories):
    assert sets(filled.find_stories(**asked)) == stories


def test_every_story_is_as_it_is_told_alone(filled):
    for story in filled.find_stories().stories:
        assert story == filled.story(story.id)


def test_what_was_forgotten_is_not_listed(filled):
    filled.forget(["c1", "f3"])
    assert sets(filled.find_stories()) == [{"f1", "f2"}, M]


@pytest.mark.parametrize(
    "asked",
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
def test_what_cannot_be_listed_says_so(deduper, asked):
    with pytest.raises(BadPolicy):
        deduper.find_stories(**asked)


# Pairs worth a look.


def edge(relation=Relation.RELATED, confidence=0.9, *, duplicate=False, news=0.0, copy=None):
    return Edge("a", "b", Decision(relation, "rule", confidence, duplicate, ""), news, copy)


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (edge(news=0.29), (0.01, "news")),
        (edge(news=0.9, copy=0.1), (Policy().near_overlap - 0.1, "copy")),
        (edge(Relation.SAME_TITLE, 0.52, duplicate=True, news=0.9), (0.02, "confidence")),
    ],
)
def test_a_pair_is_as_near_as_its_nearest_measure(found, wanted):
    near, line = margin(found, Policy())
    assert (near, line) == (pytest.approx(wanted[0], abs=1e-4), wanted[1])


@pytest.fixture
def doubtful(deduper):
    """Ten articles in pairs, each pair a little farther from the line than the one before."""
    names = [f"{pair}{side}" for pair in range(5) for side in "ab"]
    titles = (f"Report {name} of {4711 * n} things" for n, name in enumerate(names))
    list(deduper.run(Article(id=n, title=t) for n, t in zip(names, titles, strict=True)))
    decision = Decision(Relation.RELATED, "related-texts", 0.3, False, "")
    line = deduper.policy.event_score
    with deduper._store.transaction():
        deduper._store.save_edges(
            Edge(f"{n}b", f"{n}a", decision, line - 0.01 * (n + 1)) for n in range(5)
        )
    return deduper


def pairs(found):
    return [min(each.edge.a, each.edge.b) for each in found.pairs]


def test_the_pair_nearest_to_a_line_comes_first(doubtful):
    assert pairs(doubtful.review()) == ["0a", "1a", "2a", "3a", "4a"]


def test_review_goes_on_where_a_page_ended(doubtful, monkeypatch):
    seen, after = [], None
    while True:
        page = doubtful.review(limit=2, after=after)
        seen += pairs(page)
        if (after := page.after) is None:
            break
    assert seen == pairs(doubtful.review())
    monkeypatch.setattr("nearcopy.deduper.feedback.review_queue.BLOCK", 4)
    page = doubtful.review()
    assert pairs(page) == ["3a", "4a", "1a", "2a", "0a"]


def test_what_people_spoke_of_is_not_shown_again(doubtful):
    doubtful.feedback("0a", "0b", same=False)
    assert pairs(doubtful.review()) == ["1a", "2a", "3a", "4a"]


@pytest.mark.parametrize(
    "after", ["", "x", "!!", "W10", "WzEsMiwzLDRd" * 9, "WzFlOTk5LDAsIiIsIiJd"]
)
def test_review_says_where_no_page_begins(deduper, after):
    with pytest.raises(BadPolicy):
        deduper.review(after=after)
