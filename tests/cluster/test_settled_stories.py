"""Settled stories: new articles join them as they are, articles from before do not."""

from dataclasses import replace

import pytest
from tests.cluster.test_stories import EVENT, LONGEST, SAME, event, ranked, refuse, same

from nearcopy.cluster.event_groups import indirect, relabel_leader
from nearcopy.cluster.settled_stories import SettledStories, settled_group
from nearcopy.cluster.stories import assign_story_ids, cluster_articles, group_articles
from nearcopy.models import Edge, Fingerprint, Relation, Story

# A story of b with its copy c, which leads d; a and x are better and worse than all.
ARTICLES = {article.id: article for article in ranked("abcdxy")}


def stored_story() -> Story:
    articles = [ARTICLES[id_] for id_ in "bcd"]
    (story,) = cluster_articles(articles, [*same("bc"), *event("bd")], LONGEST).stories
    return story


def cluster(names: str, edges: list[Edge], old: str = "") -> tuple[Story, ...]:
    """The stories of these articles beside the settled one."""
    settled = settled_group(stored_story(), ARTICLES)
    articles = [ARTICLES[name] for name in names]
    groups = group_articles(articles, edges, LONGEST, settled=[settled], old=old)
    return assign_story_ids(groups).stories


def ids(stories: tuple[Story, ...]) -> set[str]:
    return {"".join(sorted(member.id for member in story.members)) for story in stories}


def test_a_settled_story_alone_is_the_stored_one():
    assert cluster("", []) == (stored_story(),)


def test_a_new_report_joins_by_the_mean_over_all_groups():
    assert ids(cluster("x", event("xb", "xd"))) == {"bcdx"}
    assert ids(cluster("x", event("xb", score=0.3))) == {"bcd", "x"}


def test_an_article_from_before_does_not_join():
    assert ids(cluster("x", event("xb", "xd"), old="x")) == {"bcd", "x"}


def test_a_better_report_leads_the_story():
    (story,) = cluster("a", event("ab", "ad"))
    reasons = {member.id: member.reason for member in story.members}
    assert story.kept == "a"
    assert story.why.endswith("; the best of 3 reports")
    assert reasons["b"] == EVENT.reason
    assert reasons["d"] == f"reports the event of a, as b does: {EVENT.reason}"
    assert {member.id: member.duplicate_of for member in story.members}["c"] == "b"


def test_a_decision_names_the_current_leader_once():
    decision = relabel_leader(indirect(EVENT, "b", "c"), "b", "a")
    assert decision.reason == f"reports the event of a, as c does: {EVENT.reason}"


def settled(policy=LONGEST) -> SettledStories:
    return SettledStories([stored_story()], ARTICLES, policy)


def edges(*listed: Edge) -> dict[str, Edge]:
    return {edge.b: edge for edge in listed}


@pytest.mark.parametrize("kept", ["b", "d"])
def test_a_copy_joins_the_group_of_the_kept_copy_it_duplicates(kept):
    stories = settled()
    assert stories.add_copy(ARTICLES["x"], edges(Edge("x", kept, SAME)), refuse)
    (leader,) = stories.leaders
    assert stories.is_changed(leader)
    (group,) = (part for part in leader.parts if part.kept.copy.id == kept)
    assert "x" in {copy.id for copy in group.copies}


def test_an_exact_duplicate_of_a_copy_joins_unless_it_is_distinct_from_the_kept_copy():
    twin = Edge("x", "c", SAME._replace(relation=Relation.SAME_TEXT))
    apart = Edge("x", "b", SAME._replace(relation=Relation.DISTINCT, duplicate=False))
    stories = settled()
    assert stories.add_copy(ARTICLES["x"], edges(twin), refuse)
    assert not settled().add_copy(ARTICLES["x"], edges(twin, apart), refuse)


def test_the_judge_decides_a_copy_of_a_copy():
    near = edges(Edge("x", "c", SAME))
    assert not settled().add_copy(ARTICLES["x"], near, refuse)
    assert settled().add_copy(ARTICLES["x"], near, lambda _kept, _other: SAME)


def test_a_full_story_leaves_copies_out_and_is_reported():
    stories = settled(replace(LONGEST, max_story_size=3))
    assert stories.add_copy(ARTICLES["x"], edges(Edge("x", "b", SAME)), refuse)
    (group,) = stories.left_out
    assert group.full == "b"
    assert not stories.is_changed(stories.leaders[0])
    (oversized,) = stories.oversized()
    assert (oversized.size, oversized.kept, oversized.left_out) == (4, "b", 1)


def test_the_kept_copy_of_a_settled_group_stays():
    stories = settled()
    assert stories.add_copy(ARTICLES["a"], edges(Edge("a", "b", SAME)), refuse)
    stories.rank_grown()
    (leader,) = stories.leaders
    assert leader.kept.copy.id == "b"
    assert leader.why == "kept so far; reclustering may prefer another of its 3 copies"
    assert isinstance(leader.kept.copy, Fingerprint)
