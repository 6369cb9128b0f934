"""Stories: duplicate groups about one event, stable ids, the same in any order."""

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import Article, fingerprints
from nearcopy.cluster.link_graph import is_link
from nearcopy.cluster.stories import Clustering, cluster_articles
from nearcopy.config import Policy
from nearcopy.errors import BadArticle
from nearcopy.models import Decision, Edge, Fingerprint, Relation

NOON = datetime(2024, 5, 6, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
LONGEST = Policy(keep=("longest",), story_score=0.36)
SAME = Decision(Relation.NEAR_TEXT, "near text", 0.9, True, "the texts overlap by 0.8")
OTHER = Decision(Relation.RELATED, "related", 0.6, False, "the titles are alike")
EVENT = Decision(Relation.SAME_EVENT, "same event", 0.6, False, "the terms are alike")
APART = Decision(Relation.DISTINCT, "vetoed", 0.9, False, "the facts clash: 2 dead / 3 dead")
UNLIKE = APART._replace(reason="only 20 % of the numerals are shared")


def article(name: str, words: int = 100, hour: int | None = None, **rest: object) -> Fingerprint:
    published = None if hour is None else NOON + hour * HOUR
    return Fingerprint(id=name, words=words, published=published, **rest)


def ranked(names: str) -> list[Fingerprint]:
    """An article for every letter, each longer than the next."""
    return [article(name, 100 - place) for place, name in enumerate(names)]


def agree(_kept: str, _other: str) -> Decision:
    return SAME


def refuse(_kept: str, _other: str) -> Decision:
    return OTHER


def same(*pairs: str) -> list[Edge]:
    """An edge for every pair of one-letter ids."""
    return [Edge(a, b, SAME) for a, b in pairs]


def event(*pairs: str, score: float = 0.55) -> list[Edge]:
    """An edge of one event for every pair of one-letter ids."""
    return [Edge(a, b, EVENT, score) for a, b in pairs]


def copies(clustering: Clustering) -> dict[str, str]:
    """The kept copy of each duplicate."""
    members = (member for story in clustering.stories for member in story.members)
    return {member.id: member.duplicate_of for member in members if member.duplicate_of}


def groups(clustering: Clustering) -> set[str]:
    """The members of every story, the kept copy first."""
    return {"".join(member.id for member in story.members) for story in clustering.stories}


def test_an_article_without_copies_is_a_story():
    (story,) = cluster_articles([article("a", hour=3)], [], Policy()).stories
    assert (story.kept, story.why) == ("a", "the only copy")
    assert story.first_seen == story.last_seen == NOON + 3 * HOUR
    assert story.members[0].relation is None
    assert story.members[0].rule == "kept"


def test_only_duplicates_are_clustered():
    clustering = cluster_articles([article("a"), article("b")], [Edge("a", "b", OTHER)], Policy())
    assert groups(clustering) == {"a", "b"}


def test_a_member_has_its_relation_to_the_kept_copy():
    articles = [article("a", 200, 1), article("b", 100, 0, source="b.example")]
    (story,) = cluster_articles(articles, same("ba"), Policy()).stories
    kept, copy = story.members
    assert (story.kept, kept.id, kept.relation) == ("a", "a", None)
    assert (copy.relation, copy.confidence, copy.rule) == (Relation.NEAR_TEXT, 0.9, "near text")
    assert copy.reason == SAME.reason
    assert (kept.duplicate_of, copy.duplicate_of) == (None, "a")
    assert (copy.source, copy.published) == ("b.example", NOON)
    assert copy.score < kept.score
    assert copy.why.startswith(f"{copy.score:g} points: ")
    assert (story.first_seen, story.last_seen) == (NOON, NOON + HOUR)


def test_members_come_kept_first_then_by_date_then_by_id():
    articles = [article("a", 100, 2), article("b", 300, 3), article("c"), article("d", 100, 1)]
    articles.append(article("e", 100, 2))
    assert groups(cluster_articles(articles, same("ba", "bc", "bd", "be"), Policy())) == {"bdaec"}


def test_stories_come_by_when_they_were_first_seen():
    clustering = cluster_articles(
        [article("a"), article("b", hour=5), article("c", hour=1)], [], Policy()
    )
    assert [story.kept for story in clustering.stories] == ["c", "b", "a"]


def test_a_chain_is_not_a_story():
    articles = [article("a", 300), article("b", 200), article("c", 100)]
    assert groups(cluster_articles(articles, same("ab", "bc"), LONGEST)) == {"ab", "c"}


def test_the_best_of_what_is_left_is_kept_next():
    articles = ranked("abcdef")
    clustering = cluster_articles(articles, same("ab", "bc", "cd", "de", "ef", "ce"), LONGEST)
    assert groups(clustering) == {"ab", "cde", "f"}


def test_a_judge_decides_articles_linked_only_through_members():
    articles = ranked("abcd")
    calls = []

    def judge(kept: str, other: str) -> Decision:
        calls.append(kept + other)
        return SAME._replace(rule="asked") if other == "c" else OTHER

    clustering = cluster_articles(articles, same("ab", "bc", "cd"), LONGEST, judge=judge)
    assert groups(clustering) == {"abc", "d"}
    assert calls == ["ac", "ad"]
    (story,) = (story for story in clustering.stories if story.kept == "a")
    assert [member.rule for member in story.members] == ["kept", "near text", "asked"]


def test_a_judge_is_not_called_for_decided_pairs():
    articles = [article("a", 300), article("b", 200), article("c", 100)]
    edges = [*same("ab", "bc"), Edge("c", "a", OTHER)]
    clustering = cluster_articles(
        articles, edges, LONGEST, judge=lambda a, b: pytest.fail(f"asked {a}, {b}")
    )
    assert groups(clustering) == {"ab", "c"}


def test_of_two_decisions_the_surest_counts():
    sure = SAME._replace(relation=Relation.SAME_TEXT, confidence=1.0)
    edges = [*same("ab"), Edge("b", "a", sure), *same("ba")]
    (story,) = cluster_articles([article("a"), article("b")], edges, Policy()).stories
    assert story.members[1].relation is Relation.SAME_TEXT


def test_a_block_page_is_not_kept():
    articles = [article("a", 900, block_page="consent wall"), article("b", 100), article("c", 50)]
    assert groups(cluster_articles(articles, same("ab", "bc", "ac"), LONGEST)) == {"bac"}


def test_edges_to_unknown_articles_and_to_itself_are_ignored():
    assert groups(cluster_articles([article("a")], same("ab", "aa", "xy"), Policy())) == {"a"}


def test_an_id_belongs_to_one_article():
    assert groups(cluster_articles([article("a"), article("a")], [], Policy())) == {"a"}
    with pytest.raises(BadArticle, match="two different articles have the id 'a'"):
        cluster_articles([article("a", 1), article("a", 2)], [], Policy())


# Reports of the same event.


def test_copies_and_reports_of_one_event_are_one_story():
    clustering = cluster_articles(ranked("abcd"), [*same("ab", "cd"), *event("bd")], LONGEST)
    assert groups(clustering) == {"abcd"}
    assert copies(clustering) == {"b": "a", "d": "c"}
    kept, copy, report, its_copy = clustering.stories[0].members
    assert (kept.id, kept.relation, clustering.stories[0].why) == (
        "a",
        None,
        "longest of 2: 100 words; the best of 2 reports",
    )
    assert (copy.relation, its_copy.relation) == (Relation.NEAR_TEXT, Relation.NEAR_TEXT)
    assert (report.relation, report.rule, report.confidence) == (*EVENT[:2], 0.6)
    assert (report.reason, report.duplicate_of) == (EVENT.reason, None)


def test_a_chain_of_events_is_not_a_story():
    assert groups(cluster_articles(ranked("abc"), event("ab", "bc"), LONGEST)) == {"ab", "c"}


def test_the_best_reports_are_merged_first_where_scores_are_equal():
    clustering = cluster_articles(ranked("abcdef"), event("ab", "bc", "cd", "ce", "ef"), LONGEST)
    assert groups(clustering) == {"ab", "cd", "ef"}


def test_the_highest_event_scores_are_merged_first():
    edges = [*event("ab"), *event("bc", score=0.9)]
    assert groups(cluster_articles(ranked("abc"), edges, LONGEST)) == {"a", "bc"}


@pytest.mark.parametrize(
    ("score", "expected"),
    [(None, {"ab", "c"}), (0.18, {"ab", "c"}), (0.19, {"abc"})],
)
def test_related_pairs_count_in_the_mean(score, expected):
    edges = [*event("ab"), *event("bc", score=0.53)]
    edges += [] if score is None else [Edge("c", "a", OTHER, score)]
    assert groups(cluster_articles(ranked("abc"), edges, LONGEST)) == expected


def test_related_articles_make_no_story():
    assert groups(cluster_articles(ranked("ab"), [Edge("a", "b", OTHER, 0.9)], LONGEST)) == {
        "a",
        "b",
    }


def test_a_mean_at_the_threshold_is_enough_and_a_higher_threshold_is_stricter():
    edges = event("ab", score=0.36)
    assert groups(cluster_articles(ranked("ab"), edges, LONGEST)) == {"ab"}
    assert groups(cluster_articles(ranked("ab"), edges, replace(LONGEST, story_score=0.37))) == {
        "a",
        "b",
    }


def test_without_a_threshold_there_are_duplicates_only():
    policy = replace(LONGEST, story_score=None)
    clustering = cluster_articles(
        ranked("abc"), [*same("ab"), *event("bc", "ac", score=0.9)], policy
    )
    assert groups(clustering) == {"ab", "c"}


def test_the_score_of_two_groups_is_the_mean_over_their_members():
    articles = ranked("abcd")
    edges = [*same("ab", "cd"), *event("ac", score=0.6), Edge("b", "d", OTHER, 0.11)]
    assert groups(cluster_articles(articles, edges, LONGEST)) == {"ab", "cd"}
    edges[-1] = edges[-1]._replace(event_score=0.12)
    assert groups(cluster_articles(articles, edges, LONGEST)) == {"abcd"}


def test_a_report_without_a_link_to_the_leader_names_the_one_between():
    edges = [*event("ab", "bc", score=0.9), Edge("a", "c", OTHER, 0.3)]
    (story,) = cluster_articles(ranked("abc"), edges, LONGEST).stories
    reports = {member.id: member for member in story.members}
    assert reports["b"].reason == EVENT.reason
    assert reports["c"].reason == "reports the event of a, as b does: the terms are alike"
    assert (reports["c"].relation, reports["c"].confidence) == (Relation.SAME_EVENT, 0.6)


def test_look_alikes_are_less_similar_than_the_members_of_each_group():
    across = [Edge(a, b, EVENT, 0.45) for a in "ab" for b in "cd"]
    tight = [*event("ab", "cd", score=0.9), *across]
    loose = [*event("ab", "cd", score=0.6), *across]
    assert groups(cluster_articles(ranked("abcd"), tight, LONGEST)) == {"ab", "cd"}
    assert groups(cluster_articles(ranked("abcd"), loose, LONGEST)) == {"abcd"}


def marked(names: str, text: str) -> list[Fingerprint]:
    """An article of this text for every letter."""
    return list(fingerprints(Article(id=name, text=f"{text} {name}") for name in names))


def test_groups_with_distinctive_terms_are_two_events():
    text = "The strong quake shook the town of {} near {}, where {} houses fell."
    one = marked("abcd", text.format("Vattenholm", "Norrbacken", 41))
    other = marked("efgh", text.format("Qarzvin", "Ulmedra", 87))
    edges = [Edge(a, b, EVENT, 0.8) for a, b in combinations("abcdefgh", 2)]
    assert groups(cluster_articles([*one, *other], edges, Policy())) == {"abcdefgh"}
    pairs = combinations("abcdefgh", 2)
    edges = [Edge(a, b, EVENT, 0.8 if (a < "e") == (b < "e") else 0.6) for a, b in pairs]
    assert groups(cluster_articles([*one, *other], edges, Policy())) == {"abcd", "efgh"}
    unmarked = ranked("abcdefgh")
    assert groups(cluster_articles(unmarked, edges, LONGEST)) == {"abcdefgh"}


def test_an_event_edge_between_any_two_copies_counts_for_their_groups():
    articles = ranked("abcdef")
    clustering = cluster_articles(articles, [*same("ab", "cd", "ef"), *event("bd", "cf")], LONGEST)
    assert groups(clustering) == {"abcd", "ef"}


@pytest.mark.parametrize(
    ("edge", "expected"),
    [
        (Edge("c", "a", APART, 0.6), {"ab", "cd"}),
        (Edge("c", "a", OTHER, 0.6), {"abcd"}),
        (Edge("c", "a", UNLIKE, 0.6), {"abcd"}),
        (Edge("d", "a", APART, 0.6), {"abcd"}),
    ],
)
def test_groups_whose_kept_copies_have_clashing_facts_are_not_merged(edge, expected):
    links = [*same("ab", "cd"), *event("bd", "bc")]
    assert groups(cluster_articles(ranked("abcd"), [*links, edge], LONGEST)) == expected


def test_clashing_facts_separate_groups_through_others_too():
    links = [*event("ab", "bc", "bd", "cd"), Edge("a", "c", APART, 0.6)]
    assert groups(cluster_articles(ranked("abcd"), links, LONGEST)) == {"ab", "cd"}


def test_the_surest_edge_decides_between_two_groups():
    sure = EVENT._replace(confidence=0.8, rule="sure")
    links = [*same("ab", "cd"), *event("ac", "bc", "ad"), Edge("d", "b", sure, 0.6)]
    (story,) = cluster_articles(ranked("abcd"), links, LONGEST).stories
    (report,) = (member for member in story.members if member.id == "c")
    assert (report.confidence, report.rule) == (0.8, "sure")


def test_a_policy_may_take_reports_of_one_event_for_copies():
    policy = replace(LONGEST, duplicates=LONGEST.duplicates | {Relation.SAME_EVENT})
    clustering = cluster_articles(
        ranked("ab"), [Edge("a", "b", EVENT._replace(duplicate=True))], policy
    )
    assert copies(clustering) == {"b": "a"}
    assert groups(cluster_articles(ranked("ab"), event("ab"), policy)) == {"a", "b"}


def test_members_come_by_age_behind_the_kept_copy():
    hours = {"a": 9, "b": 4, "c": 3, "d": 5}
    articles = [article(name, 90 - i, hours[name]) for i, name in enumerate("abcd")]
    clustering = cluster_articles(articles, [*same("ab", "cd"), *event("ac")], LONGEST)
    assert groups(clustering) == {"acbd"}
    assert clustering.stories[0].first_seen == NOON + 3 * HOUR
    assert clustering.stories[0].last_seen == NOON + 9 * HOUR


def test_an_undated_article_is_as_old_as_when_it_was_seen():
    undated = article("a", 90, seen=NOON - HOUR)
    dated = article("b", 80, 2, seen=NOON + 8 * HOUR)
    (story,) = cluster_articles(
        [undated, dated, article("c", 70)], same("ab", "ac"), LONGEST
    ).stories
    assert (story.first_seen, story.last_seen) == (NOON - HOUR, NOON + 2 * HOUR)
    (alone,) = cluster_articles([undated], [], LONGEST).stories
    assert (alone.first_seen, alone.last_seen) == (NOON - HOUR, NOON - HOUR)
    assert alone.members[0].published is None


def test_a_fingerprint_has_the_time_its_article_was_seen():
    (fingerprint,) = fingerprints([Article(id="a", text="The ferry is back.", seen=NOON)])
    assert (fingerprint.seen, fingerprint.published) == (NOON, None)


def test_a_story_of_reports_takes_over_the_earliest_id():
    articles = [article("a", 90, 2), article("b", 80, 1), article("c", 70, 0)]
    story_before = {"a": "s-a", "b": "s-b", "c": "s-c"}
    clustering = cluster_articles(
        articles, [*same("ab"), *event("bc")], LONGEST, story_before=story_before
    )
    assert clustering.story_of == dict.fromkeys("abc", "s-c")
    assert clustering.redirects == {"s-a": "s-c", "s-b": "s-c"}


# Stable ids.


def test_the_id_of_a_story_comes_from_its_founder_and_not_from_the_kept_copy():
    alone = cluster_articles([article("a", hour=0)], [], Policy())
    grown = cluster_articles([article("a", hour=0), article("b", 900, 1)], same("ab"), Policy())
    assert grown.stories[0].kept == "b"
    assert grown.stories[0].id == alone.stories[0].id
    assert grown.stories[0].id.startswith("s-")
    assert len(grown.stories[0].id) == 18


def test_a_better_copy_changes_what_is_kept_and_not_the_id():
    first = cluster_articles([article("b", 100, 5), article("c", 70, 6)], same("bc"), Policy())
    better = article("a", 500, 1, details=4)  # older than all, and better
    second = cluster_articles(
        [article("b", 100, 5), article("c", 70, 6), better],
        same("bc", "ab", "ac"),
        Policy(),
        story_before=first.story_of,
    )
    (before,), (after,) = first.stories, second.stories
    assert (before.kept, after.kept) == ("b", "a")
    assert before.id == after.id
    assert second.redirects == {}


def test_a_merge_takes_the_id_of_the_earliest_and_leaves_redirects():
    articles = [article("a", 100, 0), article("b", 900, 1), article("c", 100, 2)]
    story_before = {"a": "s-first", "b": "s-second", "c": "s-third"}
    clustering = cluster_articles(articles, same("ab", "bc"), Policy(), story_before=story_before)
    assert clustering.story_of == dict.fromkeys("abc", "s-first")
    assert clustering.redirects == {"s-second": "s-first", "s-third": "s-first"}


def test_redirects_lead_directly_to_the_last_story():
    articles = [article("a", hour=0), article("b", hour=1)]
    clustering = cluster_articles(
        articles,
        same("ab"),
        Policy(),
        story_before={"a": "s-now", "b": "s-old"},
        redirects={"s-oldest": "s-old", "s-old": "s-later", "s-gone": "s-elsewhere"},
    )
    assert clustering.story_of == dict.fromkeys("ab", "s-now")
    assert clustering.redirects == {
        "s-gone": "s-elsewhere",
        "s-later": "s-now",
        "s-old": "s-now",
        "s-oldest": "s-now",
    }


def test_a_circle_of_redirects_ends():
    circle = {"s-1": "s-2", "s-2": "s-1"}
    clustering = cluster_articles(
        [article("a")], [], Policy(), story_before={"a": "s-1"}, redirects=circle
    )
    assert len(clustering.stories) == 1


def test_when_a_story_splits_its_founder_takes_the_id_along():
    articles = [article("a", hour=0), article("b", hour=1), article("c", hour=2)]
    whole = cluster_articles(articles, same("ab", "ac", "bc"), Policy())
    parted = cluster_articles(articles, same("bc"), Policy(), story_before=whole.story_of)
    assert parted.story_of["a"] == whole.story_of["a"]
    assert parted.story_of["b"] == parted.story_of["c"] != whole.story_of["a"]
    assert parted.redirects == {}


def test_no_new_story_reuses_an_id():
    first = cluster_articles([article("b", hour=1)], [], Policy())
    used = first.story_of["b"]
    articles = [article("a", hour=0), article("b", hour=1)]
    clustering = cluster_articles(articles, [], Policy(), story_before={"a": used, "b": used})
    assert clustering.story_of["a"] == used
    assert clustering.story_of["b"] != used
    moved = cluster_articles(articles, [], Policy(), redirects={used: "s-merged"})
    assert moved.story_of["b"] != used


def test_ids_are_the_same_for_ever():
    clustering = cluster_articles([article("a"), article("\ud800")], [], Policy())
    assert clustering.story_of == {
        "a": "s-ca978112ca1bbdca",
        "\ud800": clustering.story_of["\ud800"],
    }


# The guard against oversized groups.


def star(size: int) -> tuple[list[Fingerprint], list[Edge]]:
    """A long copy that all others are copies of."""
    articles = [article("kept", 900), *(article(f"{i:05}") for i in range(size - 1))]
    return articles, [Edge("kept", copy.id, SAME) for copy in articles[1:]]


def test_an_oversized_group_is_limited_and_reported():
    clustering = cluster_articles(*star(10), replace(LONGEST, max_story_size=4))
    (oversized,) = clustering.oversized
    assert (oversized.size, oversized.kept, oversized.left_out) == (10, "kept", 6)
    assert oversized.why.startswith("10 articles are linked, more than the 4 a story may have: 6 ")
    assert sorted(len(story.members) for story in clustering.stories) == [1] * 6 + [4]
    left = next(story for story in clustering.stories if story.kept == "00008")
    assert left.why == "left out of the story of kept, which is full"


def test_the_surest_stay_in_a_full_story():
    articles, edges = star(6)
    edges[-1] = Edge("kept", articles[-1].id, SAME._replace(confidence=1.0))
    clustering = cluster_articles(articles, edges, replace(LONGEST, max_story_size=2))
    assert max((s.members for s in clustering.stories), key=len)[1].id == articles[-1].id


def test_a_judge_fills_no_story_beyond_its_limit():
    articles = ranked("abcde")
    policy = replace(LONGEST, max_story_size=3)
    clustering = cluster_articles(articles, same("ab", "bc", "cd", "de"), policy, judge=agree)
    assert groups(clustering) == {"abc", "de"}
    assert clustering.oversized[0].left_out == 0


def test_duplicates_come_before_reports_in_a_full_story():
    articles = ranked("abcdef")
    edges = [*same("ab", "ac", "de"), *event("ad", "af")]
    clustering = cluster_articles(articles, edges, replace(LONGEST, max_story_size=4))
    assert groups(clustering) == {"abcf", "de"}
    (oversized,) = clustering.oversized
    assert (oversized.size, oversized.kept, oversized.left_out) == (6, "a", 2)
    assert oversized.why.startswith(
        "6 articles report the event of a, more than the 4 a story may have"
    )
    left = next(story for story in clustering.stories if story.kept == "d")
    assert left.why == "left out of the story of a, which is full"


def test_the_surest_reports_stay_in_a_full_story():
    edges = [*event("ab", "ac", "bc", "bd"), *event("ad", score=0.9)]
    clustering = cluster_articles(ranked("abcd"), edges, replace(LONGEST, max_story_size=3))
    assert groups(clustering) == {"abd", "c"}


def test_a_group_within_the_limit_is_not_oversized():
    assert cluster_articles(*star(4), replace(LONGEST, max_story_size=4)).oversized == ()


# In whatever order, and at whatever size.

ids = st.sampled_from("abcdefgh")
decisions = st.builds(
    Decision,
    relation=st.sampled_from([Relation.SAME_TEXT, Relation.NEAR_TEXT]),
    rule=st.sampled_from(["one", "two"]),
    confidence=st.sampled_from([0.5, 0.9]),
    duplicate=st.booleans(),
    reason=st.just("because"),
)
events = st.builds(EVENT._replace, confidence=st.sampled_from([0.5, 0.9]))
some_articles = st.lists(
    st.builds(
        article,
        ids,
        st.integers(0, 3),
        st.none() | st.integers(0, 3),
        block_page=st.none() | st.none() | st.just("paywall"),
        seen=st.none() | st.just(NOON + HOUR),
    ),
    unique_by=lambda article: article.id,
)
some_edges = st.lists(
    st.builds(
        Edge,
        ids,
        ids,
        decisions | events | st.just(APART) | st.just(OTHER),
        st.sampled_from([0.1, 0.35, 0.6, 0.7, 0.9]),
    ),
    max_size=30,
)
some_policies = st.builds(
    Policy,
    keep=st.sampled_from([("best",), ("earliest",), ("longest", "latest")]),
    max_story_size=st.sampled_from([1, 3, 100]),
)
former_stories = st.dictionaries(ids, st.sampled_from(["s-1", "s-2", "s-3"]))
some_judges = st.sampled_from(
    [None, agree, refuse, lambda a, b: SAME if min(a, b) < "d" else OTHER]
)


@given(some_articles, some_edges, some_policies, some_judges, former_stories, st.randoms())
def test_the_order_of_articles_and_edges_does_not_matter(
    articles, edges, policy, judge, story_before, random
):
    turned = [
        edge._replace(a=edge.b, b=edge.a) if random.random() < 0.5 else edge for edge in edges
    ]
    clustering = cluster_articles(articles, edges, policy, judge=judge, story_before=story_before)
    random.shuffle(turned)
    shuffled = random.sample(articles, len(articles))
    assert clustering == cluster_articles(
        shuffled, turned, policy, judge=judge, story_before=story_before
    )


@given(some_articles, some_edges, some_policies, former_stories)
def test_every_article_is_in_one_story(articles, edges, policy, story_before):
    clustering = cluster_articles(articles, edges, policy, story_before=story_before)
    members = [member.id for story in clustering.stories for member in story.members]
    assert sorted(members) == sorted(clustering.story_of) == sorted(a.id for a in articles)
    assert len({story.id for story in clustering.stories}) == len(clustering.stories)
    assert all(len(story.members) <= policy.max_story_size for story in clustering.stories)
    active = {story.id for story in clustering.stories}
    assert not active & set(clustering.redirects)
    assert {story_before[a] for a in clustering.story_of if a in story_before} <= active | set(
        clustering.redirects
    )


@given(some_articles, some_edges, some_policies)
def test_every_member_is_a_copy_of_a_kept_one_or_reports_the_event_of_the_story(
    articles, edges, policy
):
    linked = {frozenset(edge[:2]) for edge in edges if edge.decision.duplicate}
    event_edges = {
        frozenset(edge[:2]) for edge in edges if edge.decision.relation is EVENT.relation
    }
    apart = {frozenset(edge[:2]) for edge in edges if edge.decision.relation is APART.relation}
    for story in cluster_articles(articles, edges, policy).stories:
        heads = {member.id: {member.id} for member in story.members if not member.duplicate_of}
        for copy in story.members:
            if copy.duplicate_of:
                twin = copy.reason.startswith("the same text as ")
                assert twin or {copy.id, copy.duplicate_of} in linked
                heads[copy.duplicate_of].add(copy.id)
        for one, other in combinations(heads, 2):
            assert {one, other} not in apart
        for other in heads.keys() - {story.kept}:
            neighbours = {a for head in heads.keys() - {other} for a in heads[head]}
            assert any({a, b} in event_edges for a in neighbours for b in heads[other])


@given(some_articles, some_edges, some_policies, some_judges)
def test_without_events_a_story_is_a_star_of_copies(articles, edges, policy, judge):
    plain = [edge for edge in edges if edge.decision.relation is not EVENT.relation]
    clustering = cluster_articles(articles, plain, policy, judge=judge)
    for story in clustering.stories:
        assert {member.duplicate_of for member in story.members[1:]} <= {story.kept}
    with_events = cluster_articles(articles, edges, policy)
    assert copies(with_events) == copies(cluster_articles(articles, plain, policy))


def components(articles, edges, story_before, policy) -> list[set[str]]:
    """The connected components by edges and former stories."""
    groups_ = [{article.id} for article in articles]
    pairs = [{edge.a, edge.b} for edge in edges if is_link(edge.decision, policy)]
    pairs += [
        {a for a in story_before if story_before[a] == story}
        for story in set(story_before.values())
    ]
    for pair in pairs:
        joined = [group for group in groups_ if group & pair]
        groups_ = [group for group in groups_ if not group & pair]
        groups_ += [set().union(*joined)] if joined else []
    return groups_


@given(some_articles, some_edges, some_policies, some_judges, former_stories)
def test_a_component_alone_is_clustered_as_among_all(articles, edges, policy, judge, story_before):
    ids_ = {article.id for article in articles}
    edges = [edge for edge in edges if {edge.a, edge.b} <= ids_]
    whole = cluster_articles(articles, edges, policy, judge=judge, story_before=story_before)
    parts = [
        cluster_articles(
            [a for a in articles if a.id in ids],
            edges,
            policy,
            judge=judge,
            story_before=story_before,
        )
        for ids in components(articles, edges, story_before, policy)
    ]
    assert {s.id: s for part in parts for s in part.stories} == {s.id: s for s in whole.stories}
    assert {old: new for part in parts for old, new in part.redirects.items()} == whole.redirects
    assert sorted(b.why for part in parts for b in part.oversized) == sorted(
        b.why for b in whole.oversized
    )


@given(some_articles, some_edges, some_policies)
def test_clustering_again_changes_nothing(articles, edges, policy):
    clustering = cluster_articles(articles, edges, policy)
    assert cluster_articles(articles, edges, policy, story_before=clustering.story_of) == clustering


IDENTICAL = SAME._replace(relation=Relation.SAME_TEXT, rule="identical-text")


def test_an_exact_duplicate_of_a_copy_goes_with_it():
    articles = [article("kept", 90), article("copy", 80), article("twin", 70), article("trip", 60)]
    edges = [
        Edge("kept", "copy", SAME),
        Edge("copy", "twin", IDENTICAL),
        Edge("twin", "trip", IDENTICAL),
    ]
    (story,) = cluster_articles(articles, edges, Policy(keep=("longest",))).stories
    assert {member.duplicate_of for member in story.members} == {None, "kept"}
    assert "the same text as copy" in {m.id: m for m in story.members}["twin"].reason
    apart = Edge("kept", "twin", OTHER._replace(relation=Relation.DISTINCT))
    assert len(cluster_articles(articles, [*edges, apart], Policy(keep=("longest",))).stories) == 2


def chain(size: int) -> tuple[list[Fingerprint], list[Edge]]:
    articles = [article(f"{i:06}", 1 + i % 7) for i in range(size)]
    return articles, [Edge(a.id, b.id, SAME) for a, b in pairwise(articles)]


def of_events(size: int) -> tuple[list[Fingerprint], list[Edge]]:
    """A long report with half of the others about its event, and a chain of the other half."""
    articles, links = star(size // 2)
    more, chained = chain(size // 2)
    event_edges = [edge._replace(decision=EVENT, event_score=0.6) for edge in (*links, *chained)]
    return [*articles, *(replace(article, id="x" + article.id) for article in more)], [
        edge if edge.a == "kept" else edge._replace(a="x" + edge.a, b="x" + edge.b)
        for edge in event_edges
    ]


def clumps(size: int) -> tuple[list[Fingerprint], list[Edge]]:
    """A chain of groups of four, each about one event and linked with the next."""
    articles, linked = chain(size)
    pairs = ((a, b) for at in range(0, size, 4) for a, b in combinations(articles[at : at + 4], 2))
    inside = [Edge(a.id, b.id, EVENT, 0.5 + 0.01 * (i % 40)) for i, (a, b) in enumerate(pairs)]
    return articles, [*inside, *(edge._replace(decision=EVENT, event_score=0.4) for edge in linked)]


@pytest.mark.parametrize("shape", [star, chain, of_events, clumps])
def test_time_grows_with_the_number_of_articles(shape):
    def seconds(articles: list[Fingerprint], edges: list[Edge]) -> float:
        start = time.process_time()
        cluster_articles(articles, edges, Policy(max_story_size=10**6), judge=refuse)
        return time.process_time() - start

    few, many = shape(1_000), shape(16_000)
    small = min(seconds(*few) for _ in range(3))
    assert any(seconds(*many) < 80 * small for _ in range(2))  # the second only if it is needed
