"""Stories: stars of copies that tell one event, an id that lasts, the same in any order."""

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


def event(*pairs: str, news: float = 0.55) -> list[Edge]:
    """An edge of one event for every pair of one-letter ids."""
    return [Edge(a, b, EVENT, news) for a, b in pairs]


def copies(made: Clustering) -> dict[str, str]:
    """What each article that is not kept is a copy of."""
    members = (member for story in made.stories for member in story.members)
    return {member.id: member.duplicate_of for member in members if member.duplicate_of}


def groups(made: Clustering) -> set[str]:
    """The members of every story, the kept copy first."""
    return {"".join(member.id for member in story.members) for story in made.stories}


def test_an_article_without_copies_is_a_story():
    (story,) = cluster_articles([article("a", hour=3)], [], Policy()).stories
    assert (story.kept, story.why) == ("a", "the only copy")
    assert story.first_seen == story.last_seen == NOON + 3 * HOUR
    assert story.members[0].relation is None
    assert story.members[0].rule == "kept"


def test_only_duplicates_join():
    made = cluster_articles([article("a"), article("b")], [Edge("a", "b", OTHER)], Policy())
    assert groups(made) == {"a", "b"}


def test_a_member_says_what_it_is_to_the_kept_copy():
    given = [article("a", 200, 1), article("b", 100, 0, source="b.example")]
    (story,) = cluster_articles(given, same("ba"), Policy()).stories
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
    given = [article("a", 100, 2), article("b", 300, 3), article("c"), article("d", 100, 1)]
    given.append(article("e", 100, 2))
    assert groups(cluster_articles(given, same("ba", "bc", "bd", "be"), Policy())) == {"bdaec"}


def test_stories_come_by_when_they_were_first_seen():
    made = cluster_articles([article("a"), article("b", hour=5), article("c", hour=1)], [], Policy())
    assert [story.kept for story in made.stories] == ["c", "b", "a"]


def test_a_chain_is_not_a_story():
    given = [article("a", 300), article("b", 200), article("c", 100)]
    assert groups(cluster_articles(given, same("ab", "bc"), LONGEST)) == {"ab", "c"}


def test_the_best_of_what_is_left_is_kept_next():
    given = ranked("abcdef")
    made = cluster_articles(given, same("ab", "bc", "cd", "de", "ef", "ce"), LONGEST)
    assert groups(made) == {"ab", "cde", "f"}


def test_a_judge_lets_in_who_is_linked_only_through_members():
    given = ranked("abcd")
    asked = []

    def judge(kept: str, other: str) -> Decision:
        asked.append(kept + other)
        return SAME._replace(rule="asked") if other == "c" else OTHER

    made = cluster_articles(given, same("ab", "bc", "cd"), LONGEST, judge=judge)
    assert groups(made) == {"abc", "d"}
    assert asked == ["ac", "ad"]
    (story,) = (story for story in made.stories if story.kept == "a")
    assert [member.rule for member in story.members] == ["kept", "near text", "asked"]


def test_a_judge_is_not_asked_again_what_was_decided():
    given = [article("a", 300), article("b", 200), article("c", 100)]
    edges = [*same("ab", "bc"), Edge("c", "a", OTHER)]
    made = cluster_articles(given, edges, LONGEST, judge=lambda a, b: pytest.fail(f"asked {a}, {b}"))
    assert groups(made) == {"ab", "c"}


def test_of_two_decisions_the_surest_counts():
    sure = SAME._replace(relation=Relation.SAME_TEXT, confidence=1.0)
    edges = [*same("ab"), Edge("b", "a", sure), *same("ba")]
    (story,) = cluster_articles([article("a"), article("b")], edges, Policy()).stories
    assert story.members[1].relation is Relation.SAME_TEXT


def test_junk_is_not_kept():
    given = [article("a", 900, junk="consent wall"), article("b", 100), article("c", 50)]
    assert groups(cluster_articles(given, same("ab", "bc", "ac"), LONGEST)) == {"bac"}


def test_edges_to_nobody_and_to_oneself_are_of_no_account():
    assert groups(cluster_articles([article("a")], same("ab", "aa", "xy"), Policy())) == {"a"}


def test_an_id_stands_for_one_article():
    assert groups(cluster_articles([article("a"), article("a")], [], Policy())) == {"a"}
    with pytest.raises(BadArticle, match="two different articles have the id 'a'"):
        cluster_articles([article("a", 1), article("a", 2)], [], Policy())


# One event in other words.


def test_copies_and_reports_of_one_event_are_one_story():
    made = cluster_articles(ranked("abcd"), [*same("ab", "cd"), *event("bd")], LONGEST)
    assert groups(made) == {"abcd"}
    assert copies(made) == {"b": "a", "d": "c"}
    kept, copy, report, its_copy = made.stories[0].members
    assert (kept.id, kept.relation, made.stories[0].why) == (
        "a",
        None,
        "longest of 2: 100 words; the best of 2 reports",
    )
    assert (copy.relation, its_copy.relation) == (Relation.NEAR_TEXT, Relation.NEAR_TEXT)
    assert (report.relation, report.rule, report.confidence) == (*EVENT[:2], 0.6)
    assert (report.reason, report.duplicate_of) == (EVENT.reason, None)


def test_a_chain_of_events_is_not_a_story():
    assert groups(cluster_articles(ranked("abc"), event("ab", "bc"), LONGEST)) == {"ab", "c"}


def test_the_best_reports_come_first_where_news_is_alike():
    made = cluster_articles(ranked("abcdef"), event("ab", "bc", "cd", "ce", "ef"), LONGEST)
    assert groups(made) == {"ab", "cd", "ef"}


def test_those_most_likely_the_same_news_come_first():
    edges = [*event("ab"), *event("bc", news=0.9)]
    assert groups(cluster_articles(ranked("abc"), edges, LONGEST)) == {"a", "bc"}


@pytest.mark.parametrize(
    ("news", "expected"),
    [(None, {"ab", "c"}), (0.18, {"ab", "c"}), (0.19, {"abc"})],
)
def test_what_is_related_counts_in_the_mean(news, expected):
    edges = [*event("ab"), *event("bc", news=0.53)]
    edges += [] if news is None else [Edge("c", "a", OTHER, news)]
    assert groups(cluster_articles(ranked("abc"), edges, LONGEST)) == expected


def test_what_is_only_related_makes_no_story():
    assert groups(cluster_articles(ranked("ab"), [Edge("a", "b", OTHER, 0.9)], LONGEST)) == {"a", "b"}


def test_a_mean_at_the_line_is_enough_and_a_higher_line_is_stricter():
    edges = event("ab", news=0.36)
    assert groups(cluster_articles(ranked("ab"), edges, LONGEST)) == {"ab"}
    assert groups(cluster_articles(ranked("ab"), edges, replace(LONGEST, story_score=0.37))) == {"a", "b"}


def test_without_a_line_there_are_copies_only():
    policy = replace(LONGEST, story_score=None)
    made = cluster_articles(ranked("abc"), [*same("ab"), *event("bc", "ac", news=0.9)], policy)
    assert groups(made) == {"ab", "c"}


def test_two_stars_are_as_alike_as_their_members_on_average():
    given = ranked("abcd")
    edges = [*same("ab", "cd"), *event("ac", news=0.6), Edge("b", "d", OTHER, 0.11)]
    assert groups(cluster_articles(given, edges, LONGEST)) == {"ab", "cd"}
    edges[-1] = edges[-1]._replace(news=0.12)
    assert groups(cluster_articles(given, edges, LONGEST)) == {"abcd"}


def test_a_report_without_a_link_to_the_best_says_through_whom_it_tells_the_event():
    edges = [*event("ab", "bc", news=0.9), Edge("a", "c", OTHER, 0.3)]
    (story,) = cluster_articles(ranked("abc"), edges, LONGEST).stories
    reports = {member.id: member for member in story.members}
    assert reports["b"].reason == EVENT.reason
    assert reports["c"].reason == "tells the event of a, as b does: the terms are alike"
    assert (reports["c"].relation, reports["c"].confidence) == (Relation.SAME_EVENT, 0.6)


def test_look_alikes_are_less_alike_than_what_each_group_holds():
    across = [Edge(a, b, EVENT, 0.45) for a in "ab" for b in "cd"]
    tight = [*event("ab", "cd", news=0.9), *across]
    loose = [*event("ab", "cd", news=0.6), *across]
    assert groups(cluster_articles(ranked("abcd"), tight, LONGEST)) == {"ab", "cd"}
    assert groups(cluster_articles(ranked("abcd"), loose, LONGEST)) == {"abcd"}


def marked(names: str, text: str) -> list[Fingerprint]:
    """An article of this text for every letter."""
    return list(fingerprints(Article(id=name, text=f"{text} {name}") for name in names))


def test_groups_with_names_of_their_own_are_two_events():
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


def test_a_link_between_any_two_copies_counts_for_their_stars():
    given = ranked("abcdef")
    made = cluster_articles(given, [*same("ab", "cd", "ef"), *event("bd", "cf")], LONGEST)
    assert groups(made) == {"abcd", "ef"}


@pytest.mark.parametrize(
    ("edge", "expected"),
    [
        (Edge("c", "a", APART, 0.6), {"ab", "cd"}),
        (Edge("c", "a", OTHER, 0.6), {"abcd"}),
        (Edge("c", "a", UNLIKE, 0.6), {"abcd"}),
        (Edge("d", "a", APART, 0.6), {"abcd"}),
    ],
)
def test_kept_copies_whose_facts_clash_do_not_tell_one_event(edge, expected):
    links = [*same("ab", "cd"), *event("bd", "bc")]
    assert groups(cluster_articles(ranked("abcd"), [*links, edge], LONGEST)) == expected


def test_nor_do_they_through_others():
    links = [*event("ab", "bc", "bd", "cd"), Edge("a", "c", APART, 0.6)]
    assert groups(cluster_articles(ranked("abcd"), links, LONGEST)) == {"ab", "cd"}


def test_the_surest_link_speaks_for_two_stars():
    sure = EVENT._replace(confidence=0.8, rule="sure")
    links = [*same("ab", "cd"), *event("ac", "bc", "ad"), Edge("d", "b", sure, 0.6)]
    (story,) = cluster_articles(ranked("abcd"), links, LONGEST).stories
    (report,) = (member for member in story.members if member.id == "c")
    assert (report.confidence, report.rule) == (0.8, "sure")


def test_a_policy_may_take_reports_of_one_event_for_copies():
    policy = replace(LONGEST, duplicates=LONGEST.duplicates | {Relation.SAME_EVENT})
    made = cluster_articles(ranked("ab"), [Edge("a", "b", EVENT._replace(duplicate=True))], policy)
    assert copies(made) == {"b": "a"}
    assert groups(cluster_articles(ranked("ab"), event("ab"), policy)) == {"a", "b"}


def test_copies_of_all_reports_stand_by_age_behind_the_kept_one():
    hours = {"a": 9, "b": 4, "c": 3, "d": 5}
    given = [article(name, 90 - i, hours[name]) for i, name in enumerate("abcd")]
    made = cluster_articles(given, [*same("ab", "cd"), *event("ac")], LONGEST)
    assert groups(made) == {"acbd"}
    assert made.stories[0].first_seen == NOON + 3 * HOUR
    assert made.stories[0].last_seen == NOON + 9 * HOUR


def test_an_article_without_a_date_is_as_old_as_when_it_was_taken_in():
    undated = article("a", 90, seen=NOON - HOUR)
    dated = article("b", 80, 2, seen=NOON + 8 * HOUR)
    (story,) = cluster_articles([undated, dated, article("c", 70)], same("ab", "ac"), LONGEST).stories
    assert (story.first_seen, story.last_seen) == (NOON - HOUR, NOON + 2 * HOUR)
    (alone,) = cluster_articles([undated], [], LONGEST).stories
    assert (alone.first_seen, alone.last_seen) == (NOON - HOUR, NOON - HOUR)
    assert alone.members[0].published is None


def test_a_fingerprint_remembers_when_its_article_was_taken_in():
    (made,) = fingerprints([Article(id="a", text="The ferry is back.", seen=NOON)])
    assert (made.seen, made.published) == (NOON, None)


def test_a_story_of_reports_takes_over_the_earliest_id():
    given = [article("a", 90, 2), article("b", 80, 1), article("c", 70, 0)]
    known = {"a": "s-a", "b": "s-b", "c": "s-c"}
    made = cluster_articles(given, [*same("ab"), *event("bc")], LONGEST, story_before=known)
    assert made.story_of == dict.fromkeys("abc", "s-c")
    assert made.redirects == {"s-a": "s-c", "s-b": "s-c"}


# Ids that last.


def test_a_story_is_named_after_its_founder_and_not_after_the_kept_copy():
    alone = cluster_articles([article("a", hour=0)], [], Policy())
    grown = cluster_articles([article("a", hour=0), article("b", 900, 1)], same("ab"), Policy())
    assert grown.stories[0].kept == "b"
    assert grown.stories[0].id == alone.stories[0].id
    assert grown.stories[0].id.startswith("s-")
    assert len(grown.stories[0].id) == 18


def test_a_better_copy_changes_what_is_kept_and_not_the_id():
    first = cluster_articles([article("b", 100, 5), article("c", 70, 6)], same("bc"), Policy())
    better = article("a", 500, 1, details=4)  # older than all, and better
    again = cluster_articles(
        [article("b", 100, 5), article("c", 70, 6), better],
        same("bc", "ab", "ac"),
        Policy(),
        story_before=first.story_of,
    )
    (before,), (after,) = first.stories, again.stories
    assert (before.kept, after.kept) == ("b", "a")
    assert before.id == after.id
    assert again.redirects == {}


def test_a_merge_takes_the_id_of_the_earliest_and_leaves_redirects():
    given = [article("a", 100, 0), article("b", 900, 1), article("c", 100, 2)]
    known = {"a": "s-first", "b": "s-second", "c": "s-third"}
    made = cluster_articles(given, same("ab", "bc"), Policy(), story_before=known)
    assert made.story_of == dict.fromkeys("abc", "s-first")
    assert made.redirects == {"s-second": "s-first", "s-third": "s-first"}


def test_redirects_lead_to_the_end_at_once():
    given = [article("a", hour=0), article("b", hour=1)]
    made = cluster_articles(
        given,
        same("ab"),
        Policy(),
        story_before={"a": "s-now", "b": "s-old"},
        redirects={"s-oldest": "s-old", "s-old": "s-later", "s-gone": "s-elsewhere"},
    )
    assert made.story_of == dict.fromkeys("ab", "s-now")
    assert made.redirects == {
        "s-gone": "s-elsewhere",
        "s-later": "s-now",
        "s-old": "s-now",
        "s-oldest": "s-now",
    }


def test_a_circle_of_redirects_ends():
    circle = {"s-1": "s-2", "s-2": "s-1"}
    made = cluster_articles([article("a")], [], Policy(), story_before={"a": "s-1"}, redirects=circle)
    assert len(made.stories) == 1


def test_when_a_story_splits_its_founder_takes_the_id_along():
    given = [article("a", hour=0), article("b", hour=1), article("c", hour=2)]
    whole = cluster_articles(given, same("ab", "ac", "bc"), Policy())
    parted = cluster_articles(given, same("bc"), Policy(), story_before=whole.story_of)
    assert parted.story_of["a"] == whole.story_of["a"]
    assert parted.story_of["b"] == parted.story_of["c"] != whole.story_of["a"]
    assert parted.redirects == {}


def test_no_new_story_takes_an_id_that_was_ever_given():
    first = cluster_articles([article("b", hour=1)], [], Policy())
    taken = first.story_of["b"]
    given = [article("a", hour=0), article("b", hour=1)]
    made = cluster_articles(given, [], Policy(), story_before={"a": taken, "b": taken})
    assert made.story_of["a"] == taken
    assert made.story_of["b"] != taken
    moved = cluster_articles(given, [], Policy(), redirects={taken: "s-merged"})
    assert moved.story_of["b"] != taken


def test_ids_are_the_same_for_ever():
    made = cluster_articles([article("a"), article("\ud800")], [], Policy())
    assert made.story_of == {"a": "s-ca978112ca1bbdca", "\ud800": made.story_of["\ud800"]}


# The brake.


def star(size: int) -> tuple[list[Fingerprint], list[Edge]]:
    """A long copy that all others are copies of."""
    given = [article("kept", 900), *(article(f"{i:05}") for i in range(size - 1))]
    return given, [Edge("kept", copy.id, SAME) for copy in given[1:]]


def test_a_story_too_large_is_braked_and_reported():
    made = cluster_articles(*star(10), replace(LONGEST, max_story_size=4))
    (brake,) = made.oversized
    assert (brake.size, brake.kept, brake.left_out) == (10, "kept", 6)
    assert brake.why.startswith("10 articles are linked, more than the 4 a story may have: 6 ")
    assert sorted(len(story.members) for story in made.stories) == [1] * 6 + [4]
    left = next(story for story in made.stories if story.kept == "00008")
    assert left.why == "left out of the story of kept, which is full"


def test_the_surest_stay_in_a_full_story():
    given, edges = star(6)
    edges[-1] = Edge("kept", given[-1].id, SAME._replace(confidence=1.0))
    made = cluster_articles(given, edges, replace(LONGEST, max_story_size=2))
    assert max((s.members for s in made.stories), key=len)[1].id == given[-1].id


def test_a_judge_fills_no_story_beyond_its_limit():
    given = ranked("abcde")
    policy = replace(LONGEST, max_story_size=3)
    made = cluster_articles(given, same("ab", "bc", "cd", "de"), policy, judge=agree)
    assert groups(made) == {"abc", "de"}
    assert made.oversized[0].left_out == 0


def test_copies_come_before_reports_in_a_full_story():
    given = ranked("abcdef")
    edges = [*same("ab", "ac", "de"), *event("ad", "af")]
    made = cluster_articles(given, edges, replace(LONGEST, max_story_size=4))
    assert groups(made) == {"abcf", "de"}
    (brake,) = made.oversized
    assert (brake.size, brake.kept, brake.left_out) == (6, "a", 2)
    assert brake.why.startswith("6 articles tell the event of a, more than the 4 a story may have")
    left = next(story for story in made.stories if story.kept == "d")
    assert left.why == "left out of the story of a, which is full"


def test_the_surest_reports_stay_in_a_full_story():
    edges = [*event("ab", "ac", "bc", "bd"), *event("ad", news=0.9)]
    made = cluster_articles(ranked("abcd"), edges, replace(LONGEST, max_story_size=3))
    assert groups(made) == {"abd", "c"}


def test_what_is_within_the_limit_is_not_braked():
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
        junk=st.none() | st.none() | st.just("paywall"),
        seen=st.none() | st.just(NOON + HOUR),
    ),
    unique_by=lambda made: made.id,
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
some_known = st.dictionaries(ids, st.sampled_from(["s-1", "s-2", "s-3"]))
some_judges = st.sampled_from(
    [None, agree, refuse, lambda a, b: SAME if min(a, b) < "d" else OTHER]
)


@given(some_articles, some_edges, some_policies, some_judges, some_known, st.randoms())
def test_the_order_of_articles_and_edges_does_not_matter(
    articles, edges, policy, judge, known, random
):
    turned = [
        each._replace(a=each.b, b=each.a) if random.random() < 0.5 else each for each in edges
    ]
    made = cluster_articles(articles, edges, policy, judge=judge, story_before=known)
    random.shuffle(turned)
    shuffled = random.sample(articles, len(articles))
    assert made == cluster_articles(shuffled, turned, policy, judge=judge, story_before=known)


@given(some_articles, some_edges, some_policies, some_known)
def test_every_article_is_in_one_story(articles, edges, policy, known):
    made = cluster_articles(articles, edges, policy, story_before=known)
    members = [member.id for story in made.stories for member in story.members]
    assert sorted(members) == sorted(made.story_of) == sorted(a.id for a in articles)
    assert len({story.id for story in made.stories}) == len(made.stories)
    assert all(len(story.members) <= policy.max_story_size for story in made.stories)
    active = {story.id for story in made.stories}
    assert not active & set(made.redirects)
    assert {known[a] for a in made.story_of if a in known} <= active | set(made.redirects)


@given(some_articles, some_edges, some_policies)
def test_every_member_is_a_copy_of_a_kept_one_or_tells_the_event_of_the_story(
    articles, edges, policy
):
    linked = {frozenset(edge[:2]) for edge in edges if edge.decision.duplicate}
    told = {frozenset(edge[:2]) for edge in edges if edge.decision.relation is EVENT.relation}
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
            beside = {a for head in heads.keys() - {other} for a in heads[head]}
            assert any({a, b} in told for a in beside for b in heads[other])


@given(some_articles, some_edges, some_policies, some_judges)
def test_without_events_a_story_is_a_star_of_copies(articles, edges, policy, judge):
    plain = [edge for edge in edges if edge.decision.relation is not EVENT.relation]
    made = cluster_articles(articles, plain, policy, judge=judge)
    for story in made.stories:
        assert {member.duplicate_of for member in story.members[1:]} <= {story.kept}
    with_events = cluster_articles(articles, edges, policy)
    assert copies(with_events) == copies(cluster_articles(articles, plain, policy))


def components(articles, edges, known, policy) -> list[set[str]]:
    """The ids linked to each other by edges, or by the story they were in before."""
    found = [{made.id} for made in articles]
    pairs = [{edge.a, edge.b} for edge in edges if is_link(edge.decision, policy)]
    pairs += [{a for a in known if known[a] == story} for story in set(known.values())]
    for pair in pairs:
        joined = [group for group in found if group & pair]
        found = [group for group in found if not group & pair]
        found += [set().union(*joined)] if joined else []
    return found


@given(some_articles, some_edges, some_policies, some_judges, some_known)
def test_linked_articles_alone_are_told_as_among_all(articles, edges, policy, judge, known):
    here = {made.id for made in articles}
    edges = [edge for edge in edges if {edge.a, edge.b} <= here]
    whole = cluster_articles(articles, edges, policy, judge=judge, story_before=known)
    parts = [
        cluster_articles([a for a in articles if a.id in ids], edges, policy, judge=judge, story_before=known)
        for ids in components(articles, edges, known, policy)
    ]
    assert {s.id: s for part in parts for s in part.stories} == {s.id: s for s in whole.stories}
    assert {old: new for part in parts for old, new in part.redirects.items()} == whole.redirects
    assert sorted(b.why for part in parts for b in part.oversized) == sorted(
        b.why for b in whole.oversized
    )


@given(some_articles, some_edges, some_policies)
def test_telling_the_stories_again_changes_nothing(articles, edges, policy):
    made = cluster_articles(articles, edges, policy)
    assert cluster_articles(articles, edges, policy, story_before=made.story_of) == made


IDENTICAL = SAME._replace(relation=Relation.SAME_TEXT, rule="identical-text")


def test_what_is_word_for_word_a_copy_goes_where_that_goes():
    given = [article("kept", 90), article("copy", 80), article("twin", 70), article("trip", 60)]
    edges = [
        Edge("kept", "copy", SAME),
        Edge("copy", "twin", IDENTICAL),
        Edge("twin", "trip", IDENTICAL),
    ]
    (story,) = cluster_articles(given, edges, Policy(keep=("longest",))).stories
    assert {member.duplicate_of for member in story.members} == {None, "kept"}
    assert "the same text as copy" in {m.id: m for m in story.members}["twin"].reason
    apart = Edge("kept", "twin", OTHER._replace(relation=Relation.DISTINCT))
    assert len(cluster_articles(given, [*edges, apart], Policy(keep=("longest",))).stories) == 2


def chain(size: int) -> tuple[list[Fingerprint], list[Edge]]:
    given = [article(f"{i:06}", 1 + i % 7) for i in range(size)]
    return given, [Edge(a.id, b.id, SAME) for a, b in pairwise(given)]


def of_events(size: int) -> tuple[list[Fingerprint], list[Edge]]:
    """A long report that half of the others tell the event of, and a chain of the rest."""
    given, links = star(size // 2)
    more, chained = chain(size // 2)
    told = [edge._replace(decision=EVENT, event_score=0.6) for edge in (*links, *chained)]
    return [*given, *(replace(each, id="x" + each.id) for each in more)], [
        edge if edge.a == "kept" else edge._replace(a="x" + edge.a, b="x" + edge.b) for edge in told
    ]


def clumps(size: int) -> tuple[list[Fingerprint], list[Edge]]:
    """A chain of groups of four that each tell one event, and may tell that of the next."""
    given, linked = chain(size)
    pairs = ((a, b) for at in range(0, size, 4) for a, b in combinations(given[at : at + 4], 2))
    inside = [Edge(a.id, b.id, EVENT, 0.5 + 0.01 * (i % 40)) for i, (a, b) in enumerate(pairs)]
    return given, [*inside, *(edge._replace(decision=EVENT, event_score=0.4) for edge in linked)]


@pytest.mark.parametrize("shape", [star, chain, of_events, clumps])
def test_time_grows_with_the_number_of_articles(shape):
    def seconds(size: int) -> float:
        made = shape(size)
        start = time.perf_counter()
        cluster_articles(*made, Policy(max_story_size=10**6), judge=refuse)
        return time.perf_counter() - start

    small = min(seconds(1_000) for _ in range(3))
    assert min(seconds(16_000) for _ in range(2)) < 80 * small
