"""The review queue: pairs without feedback, the nearest to a threshold first."""

from datetime import UTC, datetime

import pytest

from nearcopy import Article, BadPolicy, Deduper, Policy
from nearcopy.deduper.review_queue import margin
from nearcopy.models import Decision, Edge, Relation

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


@pytest.fixture
def deduper(any_address):
    with Deduper(any_address, clock=lambda: NOON) as opened:
        yield opened


def edge(relation=Relation.RELATED, confidence=0.9, *, duplicate=False, score=0.0, overlap=None):
    return Edge("a", "b", Decision(relation, "rule", confidence, duplicate, ""), score, overlap)


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        (edge(score=0.29), (0.01, "event_score")),
        (edge(score=0.9, overlap=0.1), (Policy().near_overlap - 0.1, "overlap")),
        (edge(Relation.SAME_TITLE, 0.52, duplicate=True, score=0.9), (0.02, "confidence")),
    ],
)
def test_the_margin_of_a_pair_is_that_of_its_nearest_threshold(pair, expected):
    distance, threshold = margin(pair, Policy())
    assert (distance, threshold) == (pytest.approx(expected[0], abs=1e-4), expected[1])


@pytest.fixture
def borderline(deduper):
    """Ten articles in pairs, each pair a little farther from the threshold than the one before."""
    names = [f"{pair}{side}" for pair in range(5) for side in "ab"]
    titles = (f"Report {name} of {4711 * n} things" for n, name in enumerate(names))
    list(deduper.run(Article(id=n, title=t) for n, t in zip(names, titles, strict=True)))
    decision = Decision(Relation.RELATED, "related-texts", 0.3, False, "")
    threshold = deduper.policy.event_score
    with deduper._store.transaction():
        deduper._store.save_edges(
            Edge(f"{n}b", f"{n}a", decision, threshold - 0.01 * (n + 1)) for n in range(5)
        )
    return deduper


def pairs(page):
    return [min(pair.edge.a, pair.edge.b) for pair in page.pairs]


def test_the_pair_nearest_to_a_threshold_comes_first(borderline):
    assert pairs(borderline.review()) == ["0a", "1a", "2a", "3a", "4a"]


def test_review_pages_continue_each_other(borderline, monkeypatch):
    seen, after = [], None
    while True:
        page = borderline.review(limit=2, after=after)
        seen += pairs(page)
        if (after := page.after) is None:
            break
    assert seen == pairs(borderline.review())
    monkeypatch.setattr("nearcopy.deduper.review_queue.BLOCK_SIZE", 4)
    page = borderline.review()
    assert pairs(page) == ["3a", "4a", "1a", "2a", "0a"]


def test_labelled_pairs_are_not_in_the_review_queue(borderline):
    borderline.feedback("0a", "0b", same=False)
    assert pairs(borderline.review()) == ["1a", "2a", "3a", "4a"]


@pytest.mark.parametrize(
    "after", ["", "x", "!!", "W10", "WzEsMiwzLDRd" * 9, "WzFlOTk5LDAsIiIsIiJd"]
)
def test_review_refuses_an_unknown_page(deduper, after):
    with pytest.raises(BadPolicy):
        deduper.review(after=after)
