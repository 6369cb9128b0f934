"""One contract for every store."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import (
    RECIPES,
    Article,
    BadArticle,
    Decision,
    Evidence,
    Features,
    Feedback,
    Fingerprint,
    Recipe,
    RecipeMismatch,
    Relation,
    StoreError,
    Story,
    fingerprints,
    frequency_table,
)
from nearcopy.config.units import to_micros
from nearcopy.fingerprint.blocking_keys import blocking_keys
from nearcopy.models import Edge, Fact, Member
from nearcopy.models.feedback import Prediction
from nearcopy.stores import StoredArticle, open_store
from nearcopy.stores.edge_codec import EdgeCodec
from nearcopy.stores.fingerprint_codec import DETAILS, decode_details, encode_details
from nearcopy.stores.row_codec import (
    articles_from_rows,
    articles_to_rows,
    fingerprint_from_row,
    fingerprint_from_values,
    fingerprint_to_row,
    recipe_from_json,
    recipe_to_json,
)
from nearcopy.stores.sql.fingerprints import ALL_DETAILS

HASHES = ("words", "digest", "simhash", "minhash", "numerals", "profile")
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
DAY = timedelta(days=1)
WEEK = timedelta(days=7)
COPY = Decision(Relation.NEAR_TEXT, "near-text", 0.9, True, "alike", ("short",))
EVENT = Decision(Relation.SAME_EVENT, "same-event", 0.5, False, "same event")
KIN = Decision(Relation.RELATED, "related-texts", 0.4, False, "related")


@pytest.fixture(params=[None, "sport"])
def store(request, any_address):
    pool = request.param
    if pool is not None and not any_address.startswith("memory"):
        other = open_store(any_address)
        other.bind(RECIPES["default"], 1)
        save(other, *(stored(name, 1, 2, 3, 7, text="of another pool") for name in "abcdexy"))
        other.close()
    opened = open_store(any_address, pool)
    opened.bind(None, 1)
    yield opened
    opened.close()


def stored(name: str, *own_keys: int, **fields) -> StoredArticle:
    """An article with these blocking keys."""
    article = Article(id=name, seen=fields.pop("seen", NOON), **fields)
    (fingerprint,) = fingerprints([article])
    return StoredArticle(article, fingerprint, np.array(sorted(own_keys), np.uint64))


def save(store, *entries: StoredArticle) -> None:
    with store.transaction():
        store.save_articles(entries)


def collect_garbage(store, before: datetime) -> None:
    more = True
    while more:
        with store.transaction():
            more = store.collect_garbage(before)


def ids_before(store, before: datetime) -> list[str]:
    with store.snapshot():
        return list(store.ids_before(before))


def candidate_ids(
    store, probe: StoredArticle, window: timedelta | None = WEEK, limit: int = 10
) -> set[str]:
    with store.snapshot():
        (answer,) = store.find_candidates([(probe.fingerprint, probe.keys)], window, limit)
    return {item.id for item in answer.candidates}


class TestCandidates:
    def test_articles_are_found_by_any_key_they_share(self, store):
        save(store, stored("a", 1, 2), stored("b", 2, 3), stored("c", 4))
        assert candidate_ids(store, stored("x", 1)) == {"a"}
        assert candidate_ids(store, stored("x", 2, 9)) == {"a", "b"}
        assert candidate_ids(store, stored("x", 9)) == set()
        assert candidate_ids(store, stored("x")) == set()

    def test_many_odd_keys_need_two_in_common(self, store):
        many = range(1, 41, 4)
        save(
            store,
            stored("a", *many),
            stored("b", 1, 5),
            stored("c", 1, 100, 102),
        )
        assert candidate_ids(store, stored("x", 1, *range(61, 97, 4))) == {"b", "c"}
        assert candidate_ids(store, stored("x", 1, 5, *range(61, 97, 4))) == {"a", "b", "c"}
        assert candidate_ids(store, stored("x", 1)) == {"a", "b", "c"}

    def test_terms_need_two_in_common_or_one_and_another_odd_key(self, store):
        save(
            store,
            stored("a", 3, 7),
            stored("b", 3),
            stored("c", 3, *range(1, 41, 4)),
        )
        assert candidate_ids(store, stored("x", 3)) == set()
        assert candidate_ids(store, stored("x", 3, 7)) == {"a"}
        assert candidate_ids(store, stored("x", 3, *range(1, 8, 4), *range(61, 97, 4))) == {"c"}

    def test_a_term_of_too_many_articles_finds_nothing(self, store, monkeypatch):
        monkeypatch.setattr("nearcopy.match.candidate_index.MAX_PAIRS", 0)
        save(store, *(stored(f"a{n}", 3, 7) for n in range(501)), stored("b", 11, 15))
        assert candidate_ids(store, stored("x", 3, 7)) == set()
        assert candidate_ids(store, stored("x", 3, 7, 11, 15)) == {"b"}

    def test_few_articles_are_not_truncated(self, store):
        save(store, *(stored(f"a{n}", 3, 7) for n in range(501)), stored("b", 11, 15))
        with store.snapshot():
            probe = stored("x", 3, 7)
            (answer,) = store.find_candidates([(probe.fingerprint, probe.keys)], WEEK)
        assert (len(answer.candidates), answer.truncated) == (501, 0)

    def test_many_probes_are_answered_in_order(self, store):
        save(store, stored("a", 1), stored("b", 2))
        probes = [(item.fingerprint, item.keys) for item in (stored("x", 2), stored("y", 1))]
        with store.snapshot():
            answers = store.find_candidates(probes, WEEK, 10)
        assert [[item.id for item in answer.candidates] for answer in answers] == [["b"], ["a"]]

    @pytest.mark.parametrize("days", [-7, -1, 0, 1, 7])
    def test_dated_articles_are_found_within_the_window(self, store, days):
        save(store, stored("a", 1, published=NOON, seen=NOON + 900 * DAY))
        assert candidate_ids(store, stored("x", 1, published=NOON + days * DAY)) == {"a"}

    @pytest.mark.parametrize("days", [-9, 9, 400])
    def test_dated_articles_are_not_found_outside_the_window(self, store, days):
        save(store, stored("a", 1, published=NOON))
        assert candidate_ids(store, stored("x", 1, published=NOON + days * DAY)) == set()
        assert candidate_ids(store, stored("x", 1, published=NOON + days * DAY), window=None) == {
            "a"
        }

    def test_undated_articles_are_found_by_when_they_were_seen(self, store):
        save(store, stored("a", 1), stored("old", 1, seen=NOON - 30 * DAY))
        assert candidate_ids(store, stored("x", 1)) == {"a"}
        assert candidate_ids(store, stored("x", 1, published=NOON - 900 * DAY)) == {"a"}
        assert candidate_ids(store, stored("x", 1, seen=NOON - 31 * DAY)) == {"old"}

    def test_an_undated_article_finds_those_seen_about_then_of_any_date(self, store):
        save(store, stored("a", 1, published=NOON - 900 * DAY))
        assert candidate_ids(store, stored("x", 1)) == {"a"}
        assert candidate_ids(store, stored("x", 1, seen=NOON + 30 * DAY)) == set()

    def test_beyond_the_limit_the_candidates_with_most_common_keys_are_returned(self, store):
        save(store, *(stored(f"a{n}", 1, *range(2, 2 + n)) for n in range(5)))
        probe = stored("x", *range(1, 9))
        with store.snapshot():
            (answer,) = store.find_candidates([(probe.fingerprint, probe.keys)], WEEK, 2)
        assert {item.id for item in answer.candidates} == {"a4", "a3"}
        assert answer.truncated == 3

    def test_removed_articles_do_not_count_towards_the_limit(self, store):
        for n in range(6):
            save(store, stored("a", 1, 2, text=str(n)), stored(f"b{n}", 1, 2))
            candidate_ids(store, stored("x", 1))
        with store.transaction():
            store.remove([f"b{n}" for n in range(5)])
        save(store, stored("c", 1))
        probe = stored("x", 1, 2)
        with store.snapshot():
            (answer,) = store.find_candidates([(probe.fingerprint, probe.keys)], WEEK, 2)
        assert {item.id for item in answer.candidates} == {"a", "b5"}
        assert answer.truncated == 1

    def test_candidates_are_the_stored_fingerprints(self, store):
        filed = stored("a", 1, title="Rs 5k cr data centre", text="of the harbour " * 30)
        save(store, filed)
        with store.snapshot():
            (answer,) = store.find_candidates([(filed.fingerprint, filed.keys)], WEEK, 10)
        assert answer.candidates == [filed.fingerprint]


class TestArticles:
    def test_articles_come_back_as_they_were(self, store):
        article = Article(
            id="ü/1",
            title="A title",
            text="<p>Text ünd more \ud800 of it",
            html=True,
            url="https://example.org/1",
            canonical_url="https://example.org/2",
            source="Example",
            published=NOON,
            language="de",
            tier=2,
            seen=NOON + DAY,
        )
        (fingerprint,) = fingerprints([article])
        save(store, StoredArticle(article, fingerprint, np.array([1], np.uint64)))
        with store.snapshot():
            assert store.articles(["ü/1", "unknown"]) == {"ü/1": article}
            assert store.fingerprints(["unknown", "ü/1"]) == {"ü/1": fingerprint}
            assert list(store.ids()) == ["ü/1"]

    def test_nul_is_kept_in_every_field(self, store):
        odd = "a\0b\ufffe0\ufffe"
        fields = {"title": odd, "text": odd, "url": odd, "source": odd, "language": odd}
        article = Article(id=odd, seen=NOON, **fields)
        (fingerprint,) = fingerprints([article])
        save(
            store,
            StoredArticle(article, fingerprint, np.array([1], np.uint64)),
            stored("b", 1),
        )
        with store.transaction():
            store.save_edges([Edge(odd, "b", COPY)])
        assert store.articles([odd, "a"]) == {odd: article}
        assert store.fingerprints([odd]) == {odd: fingerprint}
        assert {store.edges([odd])[0].a, store.edges([odd])[0].b} == {odd, "b"}
        assert candidate_ids(store, stored("x", 1)) == {odd, "b"}

    def test_saving_no_articles_changes_nothing(self, store):
        save(store)
        assert list(store.ids()) == []

    def test_ids_are_listed_in_insertion_order(self, store):
        save(store, stored("b", 1), stored("a", 1))
        save(store, stored("0", 1))
        assert list(store.ids()) == ["b", "a", "0"]

    def test_a_replaced_article_keeps_its_run(self, store):
        save(store, stored("a", 1))
        save(store, stored("a", 1, text="new"), stored("b", 1))
        runs = store.runs(["a", "b", "unknown"])
        assert runs["a"] == runs["b"] == store.run_count() == 1
        assert runs.keys() == {"a", "b"}

    def test_the_run_of_an_article_can_be_overridden(self, store):
        save(store, stored("a", 1))
        with store.transaction():
            store.save_articles(
                [stored("b", 1), stored("c", 1), stored("a", 1)],
                {"b": 7, "a": 3},
            )
        assert store.runs("abc") == {"a": 3, "b": 7, "c": 1}
        assert store.run_count() == 7

    def test_the_next_run_follows_overridden_ones(self, store):
        with store.transaction():
            store.save_articles([stored("a", 1)], {"a": 4})
        save(store, stored("b", 1), stored("c", 1))
        assert store.runs("abc") == {"a": 4, "b": 5, "c": 5}
        assert store.run_count() == 5

    def test_a_run_of_a_failed_transaction_leaves_no_trace(self, store):
        with pytest.raises(ValueError), store.transaction():  # noqa: PT011, PT012
            store.save_articles([stored("a", 1), stored("b", 1)], {"a": 4})
            raise ValueError
        save(store, stored("b", 1))
        assert (store.runs("ab"), store.run_count()) == ({"b": 1}, 1)

    def test_the_keys_of_articles_come_back(self, store):
        articles = [Article(id=n, title=f"The old quay {n}", text=n * 9, seen=NOON) for n in "abc"]
        prints = list(fingerprints(articles))
        all_keys = blocking_keys(prints, Recipe())
        save(store, *map(StoredArticle, articles, prints, all_keys))
        stored_keys = store.keys(["c", "unknown", "a"])
        assert stored_keys.keys() == {"a", "c"}
        assert stored_keys["a"].tolist() == all_keys[0].tolist()
        assert stored_keys["c"].dtype == np.uint64
        assert store.keys([]) == {}

    def test_revisions_of_several_articles(self, store):
        save(
            store,
            stored("a", 1, text="one"),
            stored("b", 1, text="one"),
            stored("c", 1),
        )
        save(store, stored("a", 1, text="two"), stored("b", 1, text="two"))
        save(store, stored("a", 1, text="three"))
        revisions = store.revisions(["a", "b", "c", "unknown"])
        texts = {name: [item.text for item in articles] for name, articles in revisions.items()}
        assert texts == {"a": ["one", "two"], "b": ["one"]}

    def test_more_articles_than_a_statement_takes_parameters(self, store):
        many = [stored(f"{n:04}", n) for n in range(1200)]
        save(store, *many)
        assert len(store.articles([item.article.id for item in many])) == 1200

    def test_saving_again_replaces_and_keeps_a_revision(self, store):
        save(store, stored("a", 1, text="one"), stored("b", 1))
        save(store, stored("a", 2, text="two"))
        save(store, stored("a", 2, text="two", tier=1))
        save(store, stored("a", 4, title="New", text="two"))
        assert store.articles(["a"])["a"].title == "New"
        revisions = store.revisions(["a", "b", "unknown"])
        assert [revision.text for revision in revisions["a"]] == ["one", "two"]
        assert [revision.tier for revision in revisions["a"]] == [None, 1]
        assert revisions.keys() == {"a"}
        assert candidate_ids(store, stored("x", 1)) == {"b"}
        assert candidate_ids(store, stored("x", 4)) == {"a"}
        assert sorted(store.ids()) == ["a", "b"]

    def test_edges_of_a_replaced_article_are_removed(self, store):
        save(store, stored("a", 1), stored("b", 1))
        with store.transaction():
            store.save_edges([Edge("a", "b", COPY)])
        save(store, stored("a", 1, text="new"))
        assert store.edges(["a", "b"]) == []

    def test_removed_articles_lose_their_edges_and_revisions(self, store):
        save(
            store,
            stored("a", 1, text="one"),
            stored("b", 1),
            stored("c", 1),
        )
        save(store, stored("a", 1, text="two"))
        with store.transaction():
            store.save_edges([Edge("a", "b", COPY), Edge("b", "c", COPY)])
            assert store.remove(["a", "unknown"]) == 1
            assert store.remove(["a"]) == 0
        assert store.articles(["a"]) == store.fingerprints(["a"]) == store.members(["a"]) == {}
        assert store.revisions(["a"]) == {}
        assert candidate_ids(store, stored("x", 1)) == {"b", "c"}
        assert [(edge.a, edge.b) for edge in store.edges(["b"])] in ([("b", "c")], [("c", "b")])
        save(store, stored("a", 5))
        assert candidate_ids(store, stored("x", 5)) == {"a"}

    def test_dropped_articles_leave_nothing_behind(self, store):
        save(store, stored("a", 1), stored("b", 1))
        save(store, stored("a", 1, text="two"))
        with store.transaction():
            store.save_edges([Edge("a", "b", COPY)])
            assert store.drop(["a", "unknown"]) == 1
        assert store.articles(["a"]) == store.fingerprints(["a"]) == store.dates(["a"]) == {}
        assert store.revisions(["a"]) == {}
        assert store.edges(["b"]) == []
        assert candidate_ids(store, stored("x", 1)) == {"b"}
        with store.snapshot():
            assert list(store.ids()) == ["b"]

    def test_the_date_of_an_article_is_its_publication_else_when_it_was_seen(self, store):
        save(
            store,
            stored("dated", 1, published=NOON - DAY),
            stored("undated", 1, seen=NOON - 2 * DAY),
        )
        assert store.dates(["dated", "undated", "unknown"]) == {
            "dated": NOON - DAY,
            "undated": NOON - 2 * DAY,
        }

    def test_ids_before_go_by_publication_else_by_when_they_were_seen(self, store):
        save(
            store,
            stored("old", 1, published=NOON - DAY),
            stored("new", 1, published=NOON, seen=NOON - 9 * DAY),
            stored("undated", 1, seen=NOON - DAY),
            stored("fresh", 1),
        )
        assert sorted(ids_before(store, NOON)) == ["old", "undated"]
        with store.transaction():
            store.remove(["old"])
        collect_garbage(store, NOON)
        assert ids_before(store, NOON) == ["undated"]


def random_edges(random: Random, name: str | None = None) -> list[Edge]:
    """Edges of one article, or of any, to others, not all of which are stored."""
    chosen = random.sample("abcdefghijklmnopqrst", 6)
    pairs = [(name or chosen[0], other) for other in chosen[1:] if other != name]
    return [
        Edge(*random.sample(pair, 2), random.choice([COPY, EVENT, KIN]), random.random(), 0.5)
        for pair in pairs
    ]


def check_edges(store, table, names):
    """The edges and links of these articles, and the articles connected with them."""
    chosen, touching = set(names), [edge for pair, edge in table.items() if pair & {*names}]
    joining = [edge for edge in table.values() if edge.same_story]
    assert by_pair(store.edges(names)) == by_pair(touching)
    assert by_pair(store.edges_among(names)) == by_pair(e for e in touching if {*e[:2]} <= chosen)
    links = by_pair(e.link for e in touching if e.same_story)
    assert by_pair(store.links(names)) == links
    component = {name for name in names if store.runs([name])}
    while more := {n for e in joining if {*e[:2]} & component for n in e[:2]} - component:
        component |= more
    assert set(store.connected_ids(names, 100)) == component


def by_pair(pairs):
    listed = [(frozenset(pair[:2]), pair[2:]) for pair in pairs]
    assert len(dict(listed)) == len(listed)
    return dict(listed)


class TestEdges:
    @pytest.fixture
    def linked(self, store):
        save(store, *(stored(name, 1) for name in "abcdef"))
        with store.transaction():
            store.save_edges(
                [
                    Edge("a", "b", COPY, 0.9, 0.8),
                    Edge("c", "b", EVENT, 0.5, None),
                    Edge("c", "d", KIN, 0.2, 0.1),
                    Edge("e", "f", COPY),
                    Edge("a", "unknown", COPY),
                ]
            )
        return store

    def test_edges_come_back_whole(self, linked):
        (edge,) = linked.edges(["a"])
        assert {edge.a, edge.b} == {"a", "b"}
        assert (edge.decision, edge.event_score, edge.overlap) == (COPY, 0.9, 0.8)

    def test_an_edge_is_returned_once_for_either_end(self, linked):
        assert len(linked.edges(["a", "b", "c"])) == 3
        assert len(linked.edges_among(["a", "b", "c"])) == 2
        assert linked.edges_among(["a", "c"]) == []

    def test_links_are_the_edges_of_one_story(self, linked):
        with linked.transaction():
            linked.save_edges([Edge("d", "e", COPY, on_demand=True)])
        for ids, ends in (("abc", ["ab", "bc"]), ("d", []), ("b", ["ab", "bc"])):
            links = linked.links(list(ids))
            assert sorted("".join(sorted(link[:2])) for link in links) == ends
        (link,) = linked.links(["a"])
        assert (link.duplicate, link.event_score) == (True, 0.9)

    def test_an_edge_compared_on_demand_links_nothing(self, linked):
        with linked.transaction():
            linked.save_edges([Edge("d", "e", COPY, on_demand=True)])
        (edge,) = linked.edges_among(["d", "e"])
        assert (edge.on_demand, edge.decision) == (True, COPY)
        assert set(linked.connected_ids(["d"], 10)) == {"d"}

    def test_saving_an_edge_again_replaces_it(self, linked):
        with linked.transaction():
            linked.save_edges([Edge("b", "a", KIN)])
        assert [edge.decision for edge in linked.edges(["a"])] == [KIN]

    def test_duplicates_and_same_events_link(self, linked):
        assert set(linked.connected_ids(["a"], 10)) == {"a", "b", "c"}
        assert set(linked.connected_ids(["d"], 10)) == {"d"}
        assert set(linked.connected_ids(["a", "e"], 10)) == {"a", "b", "c", "e", "f"}
        assert len(linked.connected_ids(["a"], 2)) == 2
        assert list(linked.connected_ids(["unknown"], 10)) == []

    @pytest.mark.parametrize("seed", range(4))
    def test_after_any_history_the_edges_are_those_of_a_plain_table(self, store, seed, monkeypatch):
        monkeypatch.setattr("nearcopy.stores.sql.edges.MAX_DISTANCE", 3 << 4 * seed)
        random = Random(seed)
        save(store, *(stored(name, 1) for name in "abcdefgh"))
        table: dict[frozenset[str], Edge] = {}
        for name in "ijklmnopqrst":
            with pytest.raises(ZeroDivisionError), store.transaction():  # noqa: PT012
                store.save_articles([stored(random.choice("abz"), 2)])
                store.save_edges(random_edges(random, "z"))
                store.remove([random.choice("abcdz")])
                store.save_edges(random_edges(random))
                raise ZeroDivisionError
            check_edges(store, table, random.sample("abcdefghijklmnopqrstz", 5))
            with store.transaction():
                store.save_articles([stored(name, 1)])
                for edges in (random_edges(random, name), random_edges(random)):
                    store.save_edges(edges)
                    table |= {frozenset(edge[:2]): edge for edge in edges}
                if random.random() < 0.5:
                    removed = random.choice("abcdefgh")  # may be so already
                    store.drop([removed])
                    table = {pair: edge for pair, edge in table.items() if removed not in pair}
            present = {name for name in "abcdefghijklmnopqrst" if store.runs([name])}
            table = {pair: edge for pair, edge in table.items() if pair <= present}
            check_edges(store, table, random.sample("abcdefghijklmnopqrst", 5))


class TestStories:
    def test_stories_come_back_whole(self, store):
        save(
            store,
            stored("a", 1, published=NOON),
            stored("b", 1, published=NOON + DAY),
        )
        story = Story(
            "s-1",
            "b",
            "best of 2",
            (
                Member("b", None, 1.0, "kept", "", "example", NOON + DAY, 9.5, "9.5 points"),
                Member(
                    "a", Relation.NEAR_TEXT, 0.9, "near-text", "alike", None, NOON, 8.0, "8", "b"
                ),
            ),
            NOON,
            NOON + DAY,
        )
        with store.transaction():
            store.save_stories([story], [], {})
        assert store.stories(["s-1", "s-2"]) == {"s-1": story}
        assert store.members(["a", "b", "c"]) == {
            "a": ("s-1", story.members[1]),
            "b": ("s-1", story.members[0]),
        }
        assert list(store.story_ids()) == ["s-1"]

    def test_redirects_include_those_of_the_transaction(self, store):
        assert store.redirects() == {}
        with store.transaction():
            store.save_stories([], [], {"s-[a]*": "s-b"})
        with store.transaction():
            store.save_stories([], [], {"s-ü": "s-b"})
            assert store.redirects() == {"s-[a]*": "s-b", "s-ü": "s-b"}

    def test_merged_stories_redirect_to_what_they_became(self, store):
        save(store, stored("a", 1), stored("b", 1))
        alone = [Story(f"s-{n}", n, "only", (Member(n, None, 1.0, "kept"),)) for n in "ab"]
        both = Story(
            "s-b", "b", "both", (Member("b", None, 1.0, "kept"), Member("a", None, 1.0, "kept"))
        )
        with store.transaction():
            store.save_stories(alone, [], {})
            store.save_stories([both], ["s-a"], {"s-a": "s-b"})
        assert list(store.story_ids()) == ["s-b"]
        assert store.used_story_ids(["s-a", "s-b", "s-c"]) == {"s-a", "s-b"}
        assert store.resolve_story("s-a") == store.resolve_story("s-b") == "s-b"
        assert {story for story, _ in store.members(["a", "b"]).values()} == {"s-b"}
        with store.transaction():
            store.save_stories([], [], {"s-b": "s-c", "s-c": "s-b"})
        assert store.redirects() == {"s-a": "s-b", "s-b": "s-c", "s-c": "s-b"}
        assert store.resolve_story("s-unknown") == "s-unknown"
        assert store.resolve_story("s-a") in {"s-b", "s-c"}


class TestFeedback:
    def feedback(self, a: str, b: str, when: datetime = NOON, **fields) -> Feedback:
        fact = Fact("money", "")
        measured = Evidence(overlap=0.75, exact=True, distance=3, clashes=((fact, fact),))
        prediction = Prediction(Relation.NEAR_TEXT, "near-text", 0.9, True, 0.8, 0.75, measured)
        fields = {"same": False, "relation": Relation.DISTINCT, "note": "two ferries"} | fields
        return Feedback(a=a, b=b, when=when, prediction=prediction, **fields)

    @pytest.fixture
    def advised(self, store):
        with store.transaction():
            store.save_feedback(self.feedback("b", "c", NOON + DAY))
            store.save_feedback(self.feedback("a", "b"))
            store.save_feedback(self.feedback("x", "y", NOON - DAY))
        return store

    def test_feedback_comes_back_whole(self, advised):
        assert advised.feedback_about(["a"]) == [self.feedback("a", "b")]

    def test_feedback_is_found_once_by_either_id(self, advised):
        feedback = advised.feedback_about(["a", "b", "c", "unknown", "a\ud800"])
        assert sorted(item.pair for item in feedback) == [("a", "b"), ("b", "c")]
        assert advised.feedback_about(["unknown"]) == advised.feedback_about([]) == []

    def test_feedback_is_listed_oldest_first(self, advised):
        assert [item.pair for item in advised.all_feedback()] == [
            ("x", "y"),
            ("a", "b"),
            ("b", "c"),
        ]

    def test_later_feedback_replaces(self, advised):
        last = self.feedback("a", "b", same=True, relation=Relation.REVISION, note="")
        with advised.transaction():
            advised.save_feedback(last)
        assert advised.feedback_about(["a"]) == [last]

    def test_feedback_is_removed_in_either_order_of_ids(self, advised):
        with advised.transaction():
            assert advised.remove_feedback("b", "a")
            assert not advised.remove_feedback("a", "b")
            assert advised.remove_feedback("x", "y")
        assert [item.pair for item in advised.all_feedback()] == [("b", "c")]

    def test_feedback_outlives_its_articles(self, advised):
        save(advised, stored("a", 1, text="one"), stored("b", 1))
        save(advised, stored("a", 1, text="two"))
        with advised.transaction():
            advised.remove(["a", "b"])
        collect_garbage(advised, NOON + 9 * DAY)
        assert [item.pair for item in advised.feedback_about(["a"])] == [("a", "b")]

    def test_a_failed_transaction_restores_feedback(self, advised):
        before = advised.all_feedback()
        with pytest.raises(ValueError), advised.transaction():  # noqa: PT011, PT012
            advised.remove_feedback("a", "b")
            advised.save_feedback(self.feedback("b", "c", same=True, relation=Relation.REVISION))
            advised.save_feedback(self.feedback("m", "n"))
            raise ValueError
        assert advised.all_feedback() == before


class TestStatistics:
    def test_articles_are_counted_by_day_and_source(self, store):
        save(
            store,
            stored("a", 1, source="Post", seen=NOON - DAY),
            stored("b", 1, source="post"),
            stored("c", 1),
            stored("gone", 1),
        )
        story = Story(
            "s-1",
            "b",
            "best of 2",
            (
                Member("b", None, 1.0, "kept"),
                Member("a", Relation.NEAR_TEXT, 0.9, "near-text", duplicate_of="b"),
            ),
        )
        with store.transaction():
            store.remove(["gone"])
            store.save_stories([story], [], {})
        today = NOON.toordinal() - datetime(1970, 1, 1).toordinal()
        counts = store.count_articles(None)
        assert counts.days == {today - 1: (1, 1), today: (2, 0)}
        assert counts.sources == {"post": (2, 1), None: (1, 0)}
        assert counts.relations == {Relation.NEAR_TEXT: 1}
        assert counts.sizes == {2: 1, 1: 1}
        assert store.count_articles(today) == (
            {today: (2, 0)},
            {"post": (1, 0), None: (1, 0)},
            {},
            {1: 2},
        )
        assert store.count_articles(today + 1) == ({}, {}, {}, {})

    def test_latencies_add_up_and_are_garbage_collected_by_day(self, store):
        first, last = (3, "check", 80), (9, "add", 90)
        with store.transaction():
            store.add_latencies({first: 2, last: 1})
            store.add_latencies({first: 3})
        assert store.latencies(None) == {first: 5, last: 1}
        assert store.latencies(4) == {last: 1}
        with pytest.raises(ValueError), store.transaction():  # noqa: PT011, PT012
            store.add_latencies({last: 7})
            raise ValueError
        collect_garbage(store, datetime(1970, 1, 5, tzinfo=UTC))
        assert store.latencies(None) == {last: 1}


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failed_transaction_changes_nothing(store, error):
    def read_everything() -> list[object]:
        names = ["a", "b", "c", "d"]
        with store.snapshot():
            return [
                list(store.ids()),
                store.articles(names),
                store.fingerprints(names),
                store.revisions(names),
                store.edges(names),
                store.members(names),
                store.stories(["s-1", "s-2"]),
                [store.resolve_story(name) for name in ("s-0", "s-1")],
            ]

    def story(name: str, *members: str) -> Story:
        kept = tuple(Member(item, None, 1.0, "kept") for item in members)
        return Story(name, members[0], "why", kept, NOON, NOON)

    save(store, stored("a", 1, text="one"), stored("b", 1), stored("c", 1))
    save(store, stored("a", 1, text="two"))
    with store.transaction():
        store.save_edges([Edge("a", "b", COPY)])
        store.save_stories([story("s-1", "a", "b")], [], {"s-0": "s-1"})
    before, near = read_everything(), candidate_ids(store, stored("x", 1, 2))
    with pytest.raises(error), store.transaction():  # noqa: PT012
        store.save_articles([stored("a", 2, text="three"), stored("d", 2)])
        store.remove(["b"])
        store.save_edges([Edge("c", "d", COPY), Edge("a", "c", KIN)])
        store.save_stories([story("s-2", "d", "c")], ["s-1"], {"s-1": "s-2", "s-0": "s-2"})
        raise error
    assert read_everything() == before
    assert candidate_ids(store, stored("x", 1, 2)) == near
    save(store, stored("d", 2))
    assert candidate_ids(store, stored("x", 2)) == {"d"}


def test_another_recipe_is_refused(store):
    assert store.bind(None, 1) == Recipe()
    assert store.bind(Recipe(), 1) == Recipe()
    with pytest.raises(RecipeMismatch, match="was filled with recipe default or tracker") as raised:
        store.bind(RECIPES["feed"], 1)
    message = str(raised.value)
    assert f"default or tracker ({Recipe().id}), this is feed ({RECIPES['feed'].id})" in message
    assert "simhash is 3 words there and 1 word here" in message
    assert "max_chars is off there and 5000 here" in message
    assert "bands" not in message
    with pytest.raises(RecipeMismatch, match=r"r1-\w+ \(rows is 4 there and 2 here\): open it"):
        store.bind(Recipe(rows=2), 1)


def test_a_store_has_the_settings_it_was_created_with(any_address):
    opened = open_store(any_address)
    assert opened.settings() is None
    opened.bind(RECIPES["feed"], 3, WEEK)
    recipe, version, window = opened.settings()
    assert (recipe, version) == (RECIPES["feed"], 3)
    assert window == (WEEK if any_address.startswith("unix") else None)
    opened.close()


def test_notes_are_kept_until_they_are_deleted(store):
    assert store.note("a") is None
    with store.transaction():
        store.set_note("a", "half of it, ü")
        store.set_note("b", "")
    with pytest.raises(ValueError), store.transaction():  # noqa: PT011, PT012
        store.set_note("a", "more")
        raise ValueError
    assert (store.note("a"), store.note("b")) == ("half of it, ü", "")
    with store.transaction():
        store.set_note("a", None)
        assert store.note("a") is None
        store.set_note("unknown", None)
    assert (store.note("a"), store.note("b")) == (None, "")
    assert store.bind(None, 1) == Recipe()


def test_a_sound_store_passes_its_checks(store):
    save(store, stored("a", 1), stored("b", 2))
    with store.transaction():
        store.remove(["a"])
    assert all(check.passed for check in store.verify())


def test_a_duplicate_without_a_kept_copy_in_its_story_fails_a_check(store):
    save(store, stored("a", 1), stored("b", 2), stored("c", 3))
    kept, copy = (
        Member("a", None, 1.0, "kept"),
        Member("b", Relation.SAME_TEXT, 1.0, "identical-text", duplicate_of="a"),
    )
    lost = replace(copy, id="c", duplicate_of="b")
    with store.transaction():
        store.save_stories([Story("s-1", "a", "best", (kept, copy))], [], {})
    assert all(check.passed for check in store.verify())
    with store.transaction():
        store.save_stories([Story("s-1", "a", "best", (kept, copy, lost))], [], {})
    (failed,) = [check for check in store.verify() if not check.passed]
    assert (failed.name, "'c'" in failed.detail) == ("copies", True)


@pytest.mark.parametrize(
    "address", ["", "seen.db", "sqlite://", "sqlite:///", "mysql://x", "postgresql", 7]
)
def test_an_unknown_address_says_what_to_give(address):
    with pytest.raises((StoreError, TypeError)):
        open_store(address)


names = st.text(max_size=12)
facts = st.builds(
    Fact, names, names, st.none() | st.floats(allow_nan=False, allow_infinity=False), names
)
times = st.none() | st.datetimes(
    datetime(1, 1, 2),
    datetime(9999, 12, 30),
    timezones=st.just(UTC),
)
fingerprint_strategy = st.builds(
    Fingerprint,
    id=names,
    words=st.integers(0, 1 << 40),
    digest=st.none() | st.binary(min_size=16, max_size=16),
    simhash=st.none() | st.integers(0, 2**64 - 1),
    minhash=st.none() | st.binary(min_size=512, max_size=512),
    numerals=st.binary(max_size=20),
    profile=st.binary(max_size=20),
    title=names,
    gist=names,
    facts=st.lists(facts, max_size=3).map(tuple),
    names=st.lists(names, max_size=3).map(tuple),
    stages=st.lists(names, max_size=3).map(tuple),
    column=st.none() | names,
    refiled=st.booleans(),
    url=st.none() | names,
    source=st.none() | names,
    published=times,
    seen=times,
    tier=st.none() | st.integers(-5, 5),
    block_page=st.none() | names,
)


@given(fingerprint_strategy)
def test_a_fingerprint_is_stored_as_plain_values_and_comes_back(fingerprint):
    row = fingerprint_to_row(fingerprint)
    assert all(isinstance(value, bytes | str | int | None) for value in row)
    assert fingerprint_from_row(row) == fingerprint


@given(fingerprint_strategy, st.sampled_from([DETAILS, ALL_DETAILS]))
def test_the_details_of_a_fingerprint_come_back(fingerprint, defaults):
    for recipe in (fingerprint.recipe, "r1-of-the-store"):
        values = decode_details(encode_details(fingerprint, defaults, recipe), defaults, recipe)
        hashes = {name: getattr(fingerprint, name) for name in HASHES}
        simhash = fingerprint.simhash
        hashes["simhash"] = None if simhash is None else simhash.to_bytes(8, "big")
        times = {name: to_micros(getattr(fingerprint, name)) for name in ("published", "seen")}
        header = {"id": fingerprint.id, "source": fingerprint.source, **times}
        assert fingerprint_from_values({**header, **hashes, **values}) == fingerprint


rounded = st.integers(0, 10_000).map(lambda parts: parts / 10_000)
shares = rounded | st.floats().map(lambda share: share + 0.0)  # no negative zero
decisions = st.builds(
    Decision,
    st.sampled_from(Relation),
    st.text("ab-", max_size=9),
    shares,
    st.booleans(),
    names,
    st.lists(names, max_size=2).map(tuple),
)
edges = st.builds(
    Edge, st.just("n"), st.just("n"), decisions, shares, st.none() | shares, st.booleans()
)


@given(st.dictionaries(st.integers(1, 1 << 31), edges, min_size=1, max_size=20))
def test_packed_edges_come_back_whole(edges_by_number):
    codec, number = EdgeCodec(), (1 << 31) + 1
    packed = codec.encode(number, edges_by_number)
    ids = dict.fromkeys(edges_by_number, "n")
    assert repr(codec.decode(number, "n", packed, ids)) == repr(edges_by_number)
    some = dict(list(ids.items())[1::2])
    assert codec.decode(number, "n", packed, some).keys() == some.keys()
    joins = {other: edge.same_story for other, edge in edges_by_number.items()}
    assert codec.others(number, packed) == joins
    assert codec.same_story(number, packed) == [other for other, joined in joins.items() if joined]
    assert repr(list(codec.links(number, packed))) == repr(
        [
            (other, edge.decision.duplicate, edge.event_score)
            for other, edge in edges_by_number.items()
            if edge.same_story
        ]
    )


@given(st.text(), times)
def test_an_article_comes_back_whatever_it_says(text, published):
    article = Article(id="a", text=text, published=published)
    assert next(articles_from_rows(articles_to_rows([article]))) == article


def test_a_lone_surrogate_in_an_id_is_an_error():
    with pytest.raises(BadArticle, match="surrogate"):
        list(articles_to_rows([Article(id="a\ud800")]))


def test_recipes_come_back_whole():
    base = Recipe(simhash=Features("words", 1))
    table = frequency_table([Article(id="a", text="the old harbour")], base)
    for recipe in (
        *RECIPES.values(),
        Recipe(simhash=Features("words", 1), weights="tfidf", frequencies=table),
    ):
        assert recipe_from_json(recipe_to_json(recipe)) == recipe
        assert recipe_from_json(recipe_to_json(recipe)).id == recipe.id


def test_real_keys_find_real_copies(store):
    texts = ["the council voted to close the old harbour for the whole winter season " * 5] * 2
    articles = [Article(id=str(n), text=text, seen=NOON) for n, text in enumerate(texts)]
    prints = list(fingerprints(articles))
    own_keys = blocking_keys(prints, Recipe())
    save(store, *map(StoredArticle, articles[:1], prints, own_keys))
    assert candidate_ids(store, StoredArticle(articles[1], prints[1], own_keys[1])) == {"0"}
