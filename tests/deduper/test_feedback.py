"""User feedback on two articles overrides every measurement, and is durable."""

import random
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.deduper.test_histories import History, assert_sound, snapshot
from tests.deduper.test_histories import apply_event as apply_plain_event

from nearcopy import (
    Article,
    BadFeedback,
    Deduper,
    Evidence,
    Feedback,
    NotStored,
    Policy,
    Relation,
    compare,
    decide,
    fingerprints,
)
from nearcopy.cluster.link_graph import Constraints
from nearcopy.cluster.stories import cluster_articles
from nearcopy.models import Decision, Edge, Fact, Fingerprint
from nearcopy.models.feedback import (
    Prediction,
    evidence_from_json,
    evidence_to_json,
    without_quotes,
)

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
DAY = timedelta(days=1)
BODY = (
    "The harbour council voted on Tuesday to close the old ferry terminal for the winter while "
    "repair crews replace the planks along the eastern pier and test every lamp between the two "
    "lighthouses before the storms arrive next month, said the mayor, who promised that all boats "
    "would be moved inland without charge to their owners."
)
OTHER = (
    "Growers in the upper valley expect the earliest apple harvest for thirty years after a mild "
    "March and a warm April, though a late frost could still take a third of the blossom, the "
    "orchard union warned, asking members to keep their sprinklers ready and report damage."
)
NEAR = Decision(Relation.NEAR_TEXT, "near-text", 0.9, True, "alike")
EVENT = Decision(Relation.SAME_EVENT, "like-profiles", 0.5, False, "one event")


def label(a: str, b: str, kind: str, when: datetime = NOON) -> Feedback:
    """Feedback that two articles are the "same", of one "event" or "different"."""
    relation = {"same": "same_title", "event": "same_event", "different": "distinct"}[kind]
    one, other = sorted((a, b))
    return Feedback(
        a=one,
        b=other,
        same=kind != "different",
        relation=Relation(relation),
        when=when,
        prediction=Prediction(Relation.RELATED, "related-texts", 0.4, False, 0.4, None, Evidence()),
    )


@pytest.fixture(params=["memory", "sqlite"])
def deduper(request, tmp_path):
    address = "memory://" if request.param == "memory" else f"sqlite:///{tmp_path}/seen.db"
    with Deduper(address, clock=lambda: NOON) as opened:
        yield opened


@pytest.fixture
def copies(deduper):
    """Three articles that are copies of each other."""
    for name in "abc":
        deduper.add(Article(id=name, text=f"{BODY} {name}"))
    return deduper


@pytest.fixture
def strangers(deduper):
    """Two articles with nothing in common, months apart."""
    deduper.add(Article(id="a", text=BODY, published=NOON))
    deduper.add(Article(id="b", text=OTHER, published=NOON - 90 * DAY))
    return deduper


def story_of(deduper: Deduper, name: str) -> set[str]:
    return {member.id for member in deduper.story(name).members}


class TestDifferent:
    def test_they_are_no_duplicates_and_of_two_stories(self, copies):
        result = copies.feedback("c", "a", same=False, note="two ferries")
        assert "c" not in story_of(copies, "a")
        a, _, c = copies.verdicts([*"abc"])
        assert (a.is_duplicate, c.is_duplicate) == (False, False)
        assert (result.feedback.pair, result.feedback.relation) == (("a", "c"), "distinct")
        assert {change.id for change in result.changes} == {"c"}

    def test_a_verdict_by_feedback_has_its_date_and_note(self, copies):
        copies.feedback("a", "c", same=False, note="two ferries")
        copies.forget("b")
        verdict = copies.check(Article(id="c", text=f"{BODY} c"))
        assert (verdict.relation, verdict.rule, verdict.match) == (
            "distinct",
            "feedback-different",
            "a",
        )
        assert verdict.reasons == ("labelled different by a user on 2026-05-04: two ferries",)
        assert (verdict.is_duplicate, verdict.confidence, verdict.event_score) == (False, 1.0, 0.0)

    def test_no_third_article_puts_them_together(self, copies):
        copies.feedback("a", "c", same=False)
        for n in range(5):
            copies.add(Article(id=f"d{n}", text=f"{BODY} d{n}", tier=1 + n % 3))
            assert "c" not in story_of(copies, "a")

    def test_feedback_survives_forgetting_and_adding_again(self, copies):
        copies.feedback("a", "c", same=False)
        for names in permutations("abc"):
            copies.forget([*"abc"])
            verdicts = {n: copies.add(Article(id=n, text=f"{BODY} {n}")) for n in names}
            assert "c" not in story_of(copies, "a")
            assert verdicts["a"].duplicate_of != "c"
            assert verdicts["c"].duplicate_of != "a"
            late = names[-1]
            if late == "b":
                assert verdicts["b"].is_duplicate

    def test_feedback_survives_replacing_the_text(self, copies):
        copies.feedback("a", "c", same=False)
        verdict = copies.add(Article(id="c", text=f"{BODY} a"))
        assert "c" not in story_of(copies, "a")
        assert verdict.duplicate_of != "a"

    def test_an_article_in_the_story_of_the_other_is_no_duplicate(self, copies):
        copies.feedback("a", "c", same=False)
        copies.forget("c")
        assert story_of(copies, "b") == {"a", "b"}
        verdict = copies.check(Article(id="c", text=f"{BODY} b"))
        assert (verdict.is_duplicate, verdict.rule) == (False, "feedback-different")

    def test_articles_labelled_different_are_not_similar(self, copies):
        copies.feedback("a", "c", same=False)
        assert [match.id for match in copies.similar("a")] == ["b"]

    def test_they_may_be_related(self, copies):
        copies.feedback("a", "c", same=False, relation="related")
        assert copies.all_feedback()[0].relation is Relation.RELATED
        assert "c" not in story_of(copies, "a")


class TestSame:
    def test_they_are_duplicates_though_outside_of_the_window(self, strangers):
        result = strangers.feedback("a", "b", same=True)
        assert story_of(strangers, "a") == {"a", "b"}
        copy = next(verdict for verdict in strangers.verdicts([*"ab"]) if verdict.is_duplicate)
        assert (copy.rule, copy.relation, copy.reason) == (
            "feedback-same",
            "same_title",
            "feedback",
        )
        assert copy.reasons == ("labelled duplicates by a user on 2026-05-04",)
        assert (result.feedback.prediction.rule, result.feedback.mistake) == (
            "not-compared",
            "miss",
        )

    def test_the_relation_is_as_given_else_as_measured(self, copies):
        copies.feedback("a", "b", same=True)
        copies.feedback("a", "c", same=True, relation="revision")
        assert [feedback.relation for feedback in copies.all_feedback()] == [
            "near_text",
            "revision",
        ]

    def test_feedback_applies_after_forgetting_and_adding_again(self, strangers):
        strangers.feedback("a", "b", same=True)
        old = strangers.article("b")
        strangers.forget("b")
        assert story_of(strangers, "a") == {"a"}
        verdict = strangers.add(old)
        assert (verdict.is_duplicate, verdict.duplicate_of, verdict.rule) == (
            True,
            "a",
            "feedback-same",
        )
        assert story_of(strangers, "a") == {"a", "b"}

    def test_feedback_applies_after_a_text_is_replaced(self, strangers):
        strangers.feedback("a", "b", same=True)
        strangers.add(Article(id="b", text="quite another thing altogether " * 20))
        assert story_of(strangers, "a") == {"a", "b"}

    def test_a_better_copy_takes_both_or_none(self, strangers):
        strangers.feedback("a", "b", same=True)
        strangers.add(Article(id="c", text=f"{BODY} {BODY[:200]}", published=NOON))
        assert story_of(strangers, "c") == {"a", "b", "c"}
        kept = strangers.story("c").kept
        assert {verdict.duplicate_of for verdict in strangers.verdicts([*"abc"])} == {None, kept}

    def test_articles_labelled_the_same_are_similar(self, strangers):
        strangers.feedback("a", "b", same=True)
        assert [match.id for match in strangers.similar("a")] == ["b"]

    def test_of_one_event_they_are_one_story_and_no_duplicates(self, strangers):
        strangers.feedback("a", "b", same=True, relation="same_event")
        assert story_of(strangers, "a") == {"a", "b"}
        verdicts = list(strangers.verdicts([*"ab"]))
        assert [verdict.is_duplicate for verdict in verdicts] == [False, False]
        assert {verdict.rule for verdict in verdicts} == {"feedback-same-event"}

    def test_copies_labelled_as_one_event_are_no_duplicates(self, copies):
        result = copies.feedback("a", "c", same=True, relation="same_event")
        assert result.feedback.mistake == "false alarm"
        assert story_of(copies, "a") == {"a", "b", "c"}
        a, _, c = copies.verdicts([*"abc"])
        assert (a.is_duplicate, c.is_duplicate) == (False, False)

    def test_feedback_holds_in_a_later_run(self, tmp_path):
        address = f"sqlite:///{tmp_path}/seen.db"
        first = Article(id="a", text=BODY, published=NOON)
        copy = Article(id="b", text=f"{BODY} Yes.", published=NOON)
        other = Article(id="c", text=OTHER, published=NOON)
        with Deduper(address) as today:
            list(today.run([first, copy, other]))
        with Deduper(address) as tomorrow:
            tomorrow.add(Article(id="d", text="Something new. " * 20, published=NOON + DAY))
            removed = next(
                verdict.id for verdict in tomorrow.verdicts([*"ab"]) if verdict.is_duplicate
            )
            tomorrow.feedback(removed, "d", same=True)
            kept = ({"a", "b"} - {removed}).pop()
            (verdict,) = tomorrow.verdicts("d")
            assert (verdict.duplicate_of, verdict.rule) == (kept, "feedback-same")
            tomorrow.add(Article(id="e", text=f"{BODY} e", published=NOON + DAY))
            tomorrow.feedback(removed, "e", same=False)
            (verdict,) = tomorrow.verdicts("e")
            assert verdict.duplicate_of is None


class TestReplacing:
    def test_later_feedback_replaces_earlier(self, copies):
        copies.feedback("a", "c", same=False)
        copies.feedback("c", "a", same=True)
        assert story_of(copies, "a") == {"a", "b", "c"}
        (only,) = copies.all_feedback()
        assert only.same

    def test_retracted_feedback_restores_the_measured_state(self, copies):
        before = [*copies.verdicts([*"abc"])], [*copies.stories()]
        copies.feedback("a", "c", same=False)
        result = copies.retract_feedback("c", "a")
        assert ([*copies.verdicts([*"abc"])], [*copies.stories()]) == before
        assert result.retracted
        assert {change.id for change in result.changes} == {"c"}
        assert copies.all_feedback() == []

    def test_articles_part_again_when_feedback_is_retracted(self, strangers):
        strangers.feedback("a", "b", same=True)
        strangers.retract_feedback("a", "b")
        assert story_of(strangers, "a") == {"a"}

    def test_feedback_can_be_retracted_after_the_articles_are_forgotten(self, copies):
        copies.feedback("a", "c", same=False)
        copies.forget([*"abc"])
        copies.retract_feedback("a", "c")
        for name in "abc":
            copies.add(Article(id=name, text=f"{BODY} {name}"))
        assert story_of(copies, "a") == {"a", "b", "c"}

    def test_feedback_that_does_not_exist_cannot_be_retracted(self, copies):
        with pytest.raises(BadFeedback, match="nothing to retract"):
            copies.retract_feedback("a", "c")

    def test_feedback_that_contradicts_others_is_refused(self, copies):
        copies.feedback("a", "b", same=True)
        copies.feedback("b", "c", same=True)
        with pytest.raises(BadFeedback, match="nearcopy feedback a b --undo"):
            copies.feedback("a", "c", same=False)
        with pytest.raises(BadFeedback, match="implies the opposite"):
            copies.feedback("a", "c", same=True, relation="same_event")
        copies.feedback("b", "c", same=False)
        with pytest.raises(BadFeedback, match="implies the opposite"):
            copies.feedback("c", "a", same=True)
        copies.feedback("c", "a", same=False)

    @pytest.mark.parametrize(
        "arguments",
        [
            {"a": "a", "b": "a", "same": True},
            {"a": "a", "b": "b", "same": "yes"},
            {"a": "a", "b": "b", "same": True, "note": None},
            {"a": "a", "b": "b", "same": True, "relation": "distinct"},
            {"a": "a", "b": "b", "same": True, "relation": "alike"},
            {"a": "a", "b": "b", "same": False, "relation": "same_event"},
            {"a": "a", "b": "b", "same": False, "relation": 7},
        ],
    )
    def test_invalid_feedback_is_refused(self, copies, arguments):
        with pytest.raises(BadFeedback):
            copies.feedback(**arguments)
        assert copies.all_feedback() == []

    def test_articles_that_are_not_stored_are_named(self, copies):
        with pytest.raises(NotStored, match="unknown"):
            copies.feedback("a", "unknown", same=True)

    def test_half_a_surrogate_pair_in_a_note_does_no_harm(self, copies):
        copies.feedback("a", "b", same=True, note="\ud800 \x00 why")
        assert "why" in copies.all_feedback()[0].note


class TestPrediction:
    def test_feedback_has_the_evidence_which_is_decided_alike(self, copies):
        copies.feedback("a", "c", same=False)
        (feedback,) = copies.all_feedback()
        prediction = feedback.prediction
        assert (prediction.relation, prediction.duplicate) == ("near_text", True)
        decision = decide(prediction.evidence, Policy())
        assert (decision.relation, decision.rule, decision.confidence) == prediction[:3]
        assert (feedback.when, feedback.mistake) == (NOON, "false alarm")

    @pytest.mark.parametrize(
        ("kind", "duplicate", "relation", "mistake"),
        [
            ("same", True, "near_text", None),
            ("same", False, "same_event", "miss"),
            ("event", False, "related", "miss"),
            ("event", False, "same_event", None),
            ("event", True, "near_text", "false alarm"),
            ("different", True, "near_text", "false alarm"),
            ("different", False, "same_event", "false alarm"),
            ("different", False, "related", None),
        ],
    )
    def test_a_mistake_is_a_false_alarm_or_a_miss(self, kind, duplicate, relation, mistake):
        feedback = label("a", "b", kind)
        prediction = feedback.prediction._replace(duplicate=duplicate, relation=Relation(relation))
        assert replace(feedback, prediction=prediction).mistake == mistake

    def test_the_evidence_of_feedback_quotes_no_article(self):
        fact = Fact("money", "USD 5", 5.0, "deal", "for", "more")
        full = Evidence(
            title_swap="apples / pears", contrast="suspends / resumes", clashes=((fact, fact),)
        )
        text = evidence_to_json(without_quotes(full))
        assert not any(word in text for word in ("USD", "pears", "deal", "resumes"))
        assert decide(without_quotes(full), Policy())[:4] == decide(full, Policy())[:4]

    @given(st.sampled_from([None, True, False]), st.floats(0, 1), st.integers(0, 64), st.text())
    def test_evidence_comes_back(self, same, share, distance, words):
        fact = Fact("money", words, share)
        full = Evidence(
            same_url=same, overlap=share, distance=distance, block_page=words, moved=((fact, fact),)
        )
        assert evidence_from_json(evidence_to_json(full)) == full

    def test_evidence_fields_that_no_longer_exist_are_dropped(self):
        assert evidence_from_json('{"overlap": 0.5, "phlogiston": 1}') == Evidence(overlap=0.5)

    def test_titles_that_clash_are_decided_alike_without_their_words(self):
        pair = fingerprints(
            Article(id=name, title=f"Boatyard raises Series {name} $10M") for name in "AB"
        )
        evidence = compare(*pair)
        assert decide(without_quotes(evidence), Policy()).rule == "vetoed"


def cluster(names: str, *edges: Edge, **limits) -> set[frozenset[str]]:
    articles = [Fingerprint(id=name, words=100 - place) for place, name in enumerate(names)]
    clustering = cluster_articles(articles, edges, Policy(keep=("longest",), **limits))
    return {frozenset(member.id for member in story.members) for story in clustering.stories}


class TestStories:
    """Pairs of one-letter ids: measured near or of one event, and labels by feedback."""

    @pytest.mark.parametrize(
        ("near", "event", "labels", "expected"),
        [
            (["ab", "ac"], [], {"bc": "different"}, ["ab", "c"]),
            (["ab", "bc"], [], {"ac": "different"}, ["ab", "c"]),
            (["bc"], [], {"ac": "same"}, ["ac", "b"]),
            (["ab", "ac"], [], {"bd": "same", "cd": "different"}, ["abd", "c"]),
            ([], ["ab", "ac"], {"bc": "different"}, ["ab", "c"]),
            ([], ["ab"], {"bc": "event"}, ["abc"]),
            ([], ["ab"], {"bc": "event", "ac": "different"}, ["a", "bc"]),
            (["ac", "bd"], [], {"ab": "event", "cd": "different"}, ["abc", "d"]),
            (["ab"], ["bc"], {"ac": "different"}, ["ab", "c"]),
            (["ac", "bd"], ["ab"], {"cd": "different"}, ["ac", "bd"]),
        ],
    )
    def test_constraints_hold_through_other_articles(self, near, event, labels, expected):
        edges = [
            *(Edge(a, b, NEAR) for a, b in near),
            *(Edge(a, b, EVENT, 0.9) for a, b in event),
            *(label(*pair, kind).edge for pair, kind in labels.items()),
        ]
        names = "".join(sorted({id_ for edge in edges for id_ in edge[:2]}))
        assert cluster(names, *edges) == set(map(frozenset, expected))
        assert cluster(names, *reversed(edges)) == set(map(frozenset, expected))

    def test_the_size_limit_does_not_split_articles_labelled_the_same(self):
        edges = [label(*pair, "same").edge for pair in ("ab", "bc", "cd")]
        assert cluster("abcd", *edges, max_story_size=2) == {frozenset("abcd")}
        events = [label(*pair, "event").edge for pair in ("ab", "bc", "cd")]
        assert cluster("abcd", *events, max_story_size=2) == {frozenset("abcd")}

    def test_a_must_link_needs_no_threshold(self):
        edges = [label("a", "b", "event").edge, Edge("b", "c", EVENT, 0.9)]
        assert cluster("abc", *edges, story_score=None) == {frozenset("ab"), frozenset("c")}


class TestConstraints:
    def test_without_feedback_there_are_no_constraints(self):
        constraints = Constraints()
        constraints.add("a", "b", NEAR)
        constraints.merge("a", "b")
        assert not constraints
        assert constraints.can_link("a", "b")
        assert constraints.same_articles("a") == ["a"]

    @given(st.lists(st.tuples(*[st.sampled_from("abcdefgh")] * 2), max_size=12), st.data())
    def test_components_with_a_cannot_link_pair_are_never_merged(self, pairs, data):
        constraints = Constraints()
        cannot_link = data.draw(st.lists(st.sampled_from(["ab", "cd", "ah", "eg"]), unique=True))
        for a, b in cannot_link:
            constraints.add(a, b, label(a, b, "different").decision)
        for a, b in pairs:
            if constraints.can_link(a, b):
                constraints.merge(a, b)
                assert not cannot_link or constraints.component(a) == constraints.component(b)
        assert all(constraints.component(a) != constraints.component(b) for a, b in cannot_link)
        assert all(
            not constraints.can_link(a, b) and not constraints.can_link(b, a)
            for a, b in cannot_link
        )


class FeedbackHistory(History):
    """A random history with feedback."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.random = random.Random(seed + 5000)

    def events(self, count: int):
        for _ in range(count):
            kinds = ["run", "forget", "purge", "label", "retract"]
            kind = self.random.choices(kinds, [45, 15, 5, 30, 5])[0]
            yield kind, getattr(self, kind)() if kind != "retract" else []

    def label(self) -> list:
        if len(self.live) < 2:
            return []
        pair = self.random.sample(sorted(self.live), 2)
        return [*pair, self.random.choice(["same", "event", "different"])]


def apply_event(deduper: Deduper, kind: str, what: list) -> None:
    if kind == "retract":
        for feedback in deduper.all_feedback()[:1]:
            deduper.retract_feedback(*feedback.pair)
    elif kind != "label":
        apply_plain_event(deduper, kind, what)
    elif what:
        a, b, kind = what
        relation = "same_event" if kind == "event" else None
        with suppress(BadFeedback):
            deduper.feedback(a, b, same=kind != "different", relation=relation)


def assert_feedback_holds(deduper: Deduper, live: list[str]) -> None:
    story_ids = {m.id: s.id for s in deduper.stories() for m in s.members}
    kept = {v.id: v.duplicate_of or v.id for v in deduper.verdicts(live)}
    for feedback in deduper.all_feedback():
        a, b = feedback.pair
        if a in story_ids and b in story_ids:
            assert (story_ids[a] == story_ids[b]) == feedback.same, feedback
            copies = feedback.same and feedback.relation != "same_event"
            assert (kept[a] == kept[b]) == copies, feedback


@pytest.mark.parametrize("seed", range(20))
def test_feedback_holds_in_any_order(seed):
    history = FeedbackHistory(seed)
    with Deduper(clock=lambda: NOON) as deduper:
        for kind, what in history.events(25):
            apply_event(deduper, kind, what)
            ids = sorted(history.live)
            assert_sound(deduper, ids)
            assert_feedback_holds(deduper, ids)
            with Deduper(clock=lambda: NOON) as fresh:
                with fresh._store.transaction():
                    for feedback in deduper.all_feedback():
                        fresh._store.save_feedback(feedback)
                list(fresh.run(history.live.values()))
                assert snapshot(deduper, ids) == snapshot(fresh, ids)


@pytest.mark.parametrize("seed", range(50, 54))
def test_a_file_gives_the_same_state_as_memory(tmp_path, seed):
    history = FeedbackHistory(seed)
    address = f"sqlite:///{tmp_path}/seen.db"
    with (
        Deduper(clock=lambda: NOON) as memory,
        Deduper(address, clock=lambda: NOON) as writer,
        Deduper(address, clock=lambda: NOON) as reader,
    ):
        for kind, what in history.events(20):
            apply_event(memory, kind, what)
            apply_event(writer, kind, what)
            ids = sorted(history.live)
            assert reader.all_feedback() == memory.all_feedback()
            assert snapshot(reader, ids) == snapshot(memory, ids)
            assert_feedback_holds(writer, ids)


@pytest.mark.parametrize("seed", range(80, 86))
def test_it_holds_from_run_to_run(tmp_path, seed):
    history = FeedbackHistory(seed)
    for kind, what in history.events(15):
        with Deduper(f"sqlite:///{tmp_path}/seen.db", clock=lambda: NOON) as deduper:
            apply_event(deduper, kind, what)
            assert_feedback_holds(deduper, sorted(history.live))
