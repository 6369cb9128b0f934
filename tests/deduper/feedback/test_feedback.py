"""Feedback: what people say of two articles holds, whatever is measured and whoever comes."""

import random
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.deduper.test_histories import History, assert_sound, happen, standing

from nearcopy import (
    Article,
    BadFeedback,
    Deduper,
    Evidence,
    Fact,
    Feedback,
    NotStored,
    Policy,
    Relation,
    compare,
    decide,
    fingerprints,
)
from nearcopy.cluster.constraints import Constraints
from nearcopy.cluster.stories import cluster_articles
from nearcopy.models.feedback import Prediction, evidence_to_json, evidence_from_json, without_quotes
from nearcopy.models import Decision, Edge, Fingerprint

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


def said(a: str, b: str, kind: str, when: datetime = NOON) -> Feedback:
    """That two articles are the "same", of one "event" or "different"."""
    relation = {"same": "same_title", "event": "same_event", "different": "distinct"}[kind]
    one, other = sorted((a, b))
    return Feedback(
        a=one,
        b=other,
        same=kind != "different",
        relation=Relation(relation),
        when=when,
        said=Prediction(Relation.RELATED, "related-texts", 0.4, False, 0.4, None, Evidence()),
    )


@pytest.fixture(params=["memory", "sqlite"])
def deduper(request, tmp_path):
    address = "memory://" if request.param == "memory" else f"sqlite:///{tmp_path}/seen.db"
    with Deduper(address, clock=lambda: NOON) as made:
        yield made


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
        answer = copies.feedback("c", "a", same=False, note="two ferries")
        assert "c" not in story_of(copies, "a")
        a, _, c = copies.verdicts([*"abc"])
        assert (a.is_duplicate, c.is_duplicate) == (False, False)
        assert (answer.feedback.pair, answer.feedback.relation) == (("a", "c"), "distinct")
        assert {each.id for each in answer.changes} == {"c"}

    def test_a_verdict_says_who_said_so_and_when(self, copies):
        copies.feedback("a", "c", same=False, note="two ferries")
        copies.forget("b")
        verdict = copies.check(Article(id="c", text=f"{BODY} c"))
        assert (verdict.relation, verdict.rule, verdict.match) == (
            "distinct",
            "feedback-different",
            "a",
        )
        assert verdict.reasons == ("told by people on 2026-05-04 to be different: two ferries",)
        assert (verdict.is_duplicate, verdict.confidence, verdict.news) == (False, 1.0, 0.0)

    def test_no_third_puts_them_together(self, copies):
        copies.feedback("a", "c", same=False)
        for n in range(5):
            copies.add(Article(id=f"d{n}", text=f"{BODY} d{n}", tier=1 + n % 3))
            assert "c" not in story_of(copies, "a")

    def test_nor_forgetting_and_adding_again(self, copies):
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

    def test_nor_replacing_the_text(self, copies):
        copies.feedback("a", "c", same=False)
        verdict = copies.add(Article(id="c", text=f"{BODY} a"))
        assert "c" not in story_of(copies, "a")
        assert verdict.duplicate_of != "a"

    def test_what_is_with_the_other_is_no_match_to_be_a_copy_of(self, copies):
        copies.feedback("a", "c", same=False)
        copies.forget("c")
        assert story_of(copies, "b") == {"a", "b"}
        verdict = copies.check(Article(id="c", text=f"{BODY} b"))
        assert (verdict.is_duplicate, verdict.rule) == (False, "feedback-different")

    def test_it_is_not_among_what_is_similar(self, copies):
        copies.feedback("a", "c", same=False)
        assert [match.id for match in copies.similar("a")] == ["b"]

    def test_they_may_be_related(self, copies):
        copies.feedback("a", "c", same=False, relation="related")
        assert copies.all_feedback()[0].relation is Relation.RELATED
        assert "c" not in story_of(copies, "a")


class TestSame:
    def test_they_are_duplicates_though_outside_of_the_window(self, strangers):
        answer = strangers.feedback("a", "b", same=True)
        assert story_of(strangers, "a") == {"a", "b"}
        copy = next(each for each in strangers.verdicts([*"ab"]) if each.is_duplicate)
        assert (copy.rule, copy.relation, copy.reason) == ("feedback-same", "same_title", "told")
        assert copy.reasons == ("told by people on 2026-05-04 to be the same",)
        assert (answer.feedback.said.rule, answer.feedback.mistake) == ("not-compared", "miss")

    def test_the_relation_is_as_given_else_as_measured(self, copies):
        copies.feedback("a", "b", same=True)
        copies.feedback("a", "c", same=True, relation="revision")
        assert [each.relation for each in copies.all_feedback()] == ["near_text", "revision"]

    def test_so_they_are_after_forgetting_and_adding_again(self, strangers):
        strangers.feedback("a", "b", same=True)
        old = strangers.article("b")
        strangers.forget("b")
        assert story_of(strangers, "a") == {"a"}
        again = strangers.add(old)
        assert (again.is_duplicate, again.duplicate_of, again.rule) == (True, "a", "feedback-same")
        assert story_of(strangers, "a") == {"a", "b"}

    def test_so_they_are_when_a_text_is_replaced(self, strangers):
        strangers.feedback("a", "b", same=True)
        strangers.add(Article(id="b", text="quite another thing altogether " * 20))
        assert story_of(strangers, "a") == {"a", "b"}

    def test_who_is_better_takes_both_or_none(self, strangers):
        strangers.feedback("a", "b", same=True)
        strangers.add(Article(id="c", text=f"{BODY} {BODY[:200]}", published=NOON))
        assert story_of(strangers, "c") == {"a", "b", "c"}
        kept = strangers.story("c").kept
        assert {each.duplicate_of for each in strangers.verdicts([*"abc"])} == {None, kept}

    def test_it_is_similar(self, strangers):
        strangers.feedback("a", "b", same=True)
        assert [match.id for match in strangers.similar("a")] == ["b"]

    def test_of_one_event_they_are_one_story_and_no_duplicates(self, strangers):
        strangers.feedback("a", "b", same=True, relation="same_event")
        assert story_of(strangers, "a") == {"a", "b"}
        verdicts = list(strangers.verdicts([*"ab"]))
        assert [each.is_duplicate for each in verdicts] == [False, False]
        assert {each.rule for each in verdicts} == {"feedback-same-event"}

    def test_copies_told_to_be_of_one_event_are_no_duplicates(self, copies):
        answer = copies.feedback("a", "c", same=True, relation="same_event")
        assert answer.feedback.mistake == "false alarm"
        assert story_of(copies, "a") == {"a", "b", "c"}
        a, _, c = copies.verdicts([*"abc"])
        assert (a.is_duplicate, c.is_duplicate) == (False, False)

    def test_a_later_run_takes_it_as_said(self, tmp_path):
        address = f"sqlite:///{tmp_path}/seen.db"
        first = Article(id="a", text=BODY, published=NOON)
        copy = Article(id="b", text=f"{BODY} Yes.", published=NOON)
        other = Article(id="c", text=OTHER, published=NOON)
        with Deduper(address) as today:
            list(today.run([first, copy, other]))
        with Deduper(address) as tomorrow:
            tomorrow.add(Article(id="d", text="Something new. " * 20, published=NOON + DAY))
            removed = next(each.id for each in tomorrow.verdicts([*"ab"]) if each.is_duplicate)
            tomorrow.feedback(removed, "d", same=True)
            kept = ({"a", "b"} - {removed}).pop()
            (verdict,) = tomorrow.verdicts("d")
            assert (verdict.duplicate_of, verdict.rule) == (kept, "feedback-same")
            tomorrow.add(Article(id="e", text=f"{BODY} e", published=NOON + DAY))
            tomorrow.feedback(removed, "e", same=False)
            (verdict,) = tomorrow.verdicts("e")
            assert verdict.duplicate_of is None


class TestTheLastWord:
    def test_it_wins(self, copies):
        copies.feedback("a", "c", same=False)
        copies.feedback("c", "a", same=True)
        assert story_of(copies, "a") == {"a", "b", "c"}
        (only,) = copies.all_feedback()
        assert only.same

    def test_taken_back_all_is_as_it_was_found(self, copies):
        before = [*copies.verdicts([*"abc"])], [*copies.stories()]
        copies.feedback("a", "c", same=False)
        answer = copies.retract_feedback("c", "a")
        assert ([*copies.verdicts([*"abc"])], [*copies.stories()]) == before
        assert answer.retracted
        assert {each.id for each in answer.changes} == {"c"}
        assert copies.all_feedback() == []

    def test_taken_back_strangers_part(self, strangers):
        strangers.feedback("a", "b", same=True)
        strangers.retract_feedback("a", "b")
        assert story_of(strangers, "a") == {"a"}

    def test_it_can_be_taken_back_when_the_articles_are_gone(self, copies):
        copies.feedback("a", "c", same=False)
        copies.forget([*"abc"])
        copies.retract_feedback("a", "c")
        for name in "abc":
            copies.add(Article(id=name, text=f"{BODY} {name}"))
        assert story_of(copies, "a") == {"a", "b", "c"}

    def test_what_was_not_said_cannot_be_taken_back(self, copies):
        with pytest.raises(BadFeedback, match="nothing to take back"):
            copies.retract_feedback("a", "c")

    def test_what_contradicts_the_rest_through_others_is_refused(self, copies):
        copies.feedback("a", "b", same=True)
        copies.feedback("b", "c", same=True)
        with pytest.raises(BadFeedback, match="nearcopy feedback a b --undo"):
            copies.feedback("a", "c", same=False)
        with pytest.raises(BadFeedback, match="through other articles"):
            copies.feedback("a", "c", same=True, relation="same_event")
        copies.feedback("b", "c", same=False)
        with pytest.raises(BadFeedback, match="through other articles"):
            copies.feedback("c", "a", same=True)
        copies.feedback("c", "a", same=False)

    @pytest.mark.parametrize(
        "given",
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
    def test_what_makes_no_sense_is_refused(self, copies, given):
        with pytest.raises(BadFeedback):
            copies.feedback(**given)
        assert copies.all_feedback() == []

    def test_articles_that_are_not_there_are_named(self, copies):
        with pytest.raises(NotStored, match="nobody"):
            copies.feedback("a", "nobody", same=True)

    def test_half_a_surrogate_pair_in_a_note_does_no_harm(self, copies):
        copies.feedback("a", "b", same=True, note="\ud800 \x00 why")
        assert "why" in copies.all_feedback()[0].note


class TestWhatThePolicyHadSaid:
    def test_it_is_kept_with_the_evidence_and_judged_alike(self, copies):
        copies.feedback("a", "c", same=False)
        (told,) = copies.all_feedback()
        assert (told.said.relation, told.said.duplicate) == ("near_text", True)
        how = decide(told.said.evidence, Policy())
        assert (how.relation, how.rule, how.confidence) == told.said[:3]
        assert (told.when, told.mistake) == (NOON, "false alarm")

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
        told = said("a", "b", kind)
        had = told.said._replace(duplicate=duplicate, relation=Relation(relation))
        changed = Feedback(
            **{f: getattr(told, f) for f in ("a", "b", "same", "relation", "when")}, said=had
        )
        assert changed.mistake == mistake

    def test_nothing_that_the_articles_say_is_in_it(self):
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
            same_url=same, overlap=share, distance=distance, junk=words, moved=((fact, fact),)
        )
        assert evidence_from_json(evidence_to_json(full)) == full

    def test_measurements_that_are_no_more_taken_are_left_out(self):
        assert evidence_from_json('{"overlap": 0.5, "phlogiston": 1}') == Evidence(overlap=0.5)

    def test_titles_that_clash_are_judged_alike_without_their_words(self):
        pair = fingerprints(
            Article(id=name, title=f"Boatyard raises Series {name} $10M") for name in "AB"
        )
        evidence = compare(*pair)
        assert decide(without_quotes(evidence), Policy()).rule == "vetoed"


def told_stories(names: str, *edges: Edge, **limits) -> set[frozenset[str]]:
    articles = [Fingerprint(id=name, words=100 - place) for place, name in enumerate(names)]
    made = cluster_articles(articles, edges, Policy(keep=("longest",), **limits))
    return {frozenset(member.id for member in story.members) for story in made.stories}


class TestStories:
    """Pairs of one-letter ids: near is found, the rest is told."""

    @pytest.mark.parametrize(
        ("near", "event", "told", "expected"),
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
    def test_told_apart_and_together_hold_through_others(self, near, event, told, expected):
        edges = [
            *(Edge(a, b, NEAR) for a, b in near),
            *(Edge(a, b, EVENT, 0.9) for a, b in event),
            *(said(*pair, kind).edge for pair, kind in told.items()),
        ]
        names = "".join(sorted({each for edge in edges for each in edge[:2]}))
        assert told_stories(names, *edges) == set(map(frozenset, expected))
        assert told_stories(names, *reversed(edges)) == set(map(frozenset, expected))

    def test_no_limit_parts_what_people_put_together(self):
        edges = [said(*pair, "same").edge for pair in ("ab", "bc", "cd")]
        assert told_stories("abcd", *edges, max_story_size=2) == {frozenset("abcd")}
        events = [said(*pair, "event").edge for pair in ("ab", "bc", "cd")]
        assert told_stories("abcd", *events, max_story_size=2) == {frozenset("abcd")}

    def test_what_people_put_together_needs_no_line(self):
        edges = [said("a", "b", "event").edge, Edge("b", "c", EVENT, 0.9)]
        assert told_stories("abc", *edges, story_score=None) == {frozenset("ab"), frozenset("c")}


class TestCamps:
    def test_nothing_said_nothing_is_kept_apart(self):
        told = Constraints()
        told.add("a", "b", NEAR)
        told.merge("a", "b")
        assert not told
        assert told.can_link("a", "b")
        assert told.same_articles("a") == ["a"]

    @given(st.lists(st.tuples(*[st.sampled_from("abcdefgh")] * 2), max_size=12), st.data())
    def test_camps_that_hold_foes_never_meet(self, pairs, data):
        told = Constraints()
        foes = data.draw(st.lists(st.sampled_from(["ab", "cd", "ah", "eg"]), unique=True))
        for a, b in foes:
            told.add(a, b, said(a, b, "different").decision)
        for a, b in pairs:
            if told.can_link(a, b):
                told.merge(a, b)
                assert not foes or told.component(a) == told.component(b)
        assert all(told.component(a) != told.component(b) for a, b in foes)
        assert all(not told.can_link(a, b) and not told.can_link(b, a) for a, b in foes)


class SpokenHistory(History):
    """A course of events in which people speak, too."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.random = random.Random(seed + 5000)

    def events(self, count: int):
        for _ in range(count):
            kinds = ["run", "forget", "purge", "speak", "take_back"]
            kind = self.random.choices(kinds, [45, 15, 5, 30, 5])[0]
            yield kind, getattr(self, kind)() if kind != "take_back" else []

    def speak(self) -> list:
        if len(self.live) < 2:
            return []
        pair = self.random.sample(sorted(self.live), 2)
        return [*pair, self.random.choice(["same", "event", "different"])]


def speak(deduper: Deduper, kind: str, what: list) -> None:
    if kind == "take_back":
        for each in deduper.all_feedback()[:1]:
            deduper.retract_feedback(*each.pair)
    elif kind != "speak":
        happen(deduper, kind, what)
    elif what:
        a, b, how = what
        relation = "same_event" if how == "event" else None
        with suppress(BadFeedback):
            deduper.feedback(a, b, same=how != "different", relation=relation)


def assert_as_told(deduper: Deduper, live: list[str]) -> None:
    home = {m.id: s.id for s in deduper.stories() for m in s.members}
    kept = {each.id: each.duplicate_of or each.id for each in deduper.verdicts(live)}
    for told in deduper.all_feedback():
        if told.a in home and told.b in home:
            assert (home[told.a] == home[told.b]) == told.same, told
            copies = told.same and told.relation != "same_event"
            assert (kept[told.a] == kept[told.b]) == copies, told


@pytest.mark.parametrize("seed", range(20))
def test_what_was_said_holds_in_any_order(seed):
    history = SpokenHistory(seed)
    with Deduper(clock=lambda: NOON) as deduper:
        for kind, what in history.events(25):
            speak(deduper, kind, what)
            ids = sorted(history.live)
            assert_sound(deduper, ids)
            assert_as_told(deduper, ids)
            with Deduper(clock=lambda: NOON) as fresh:
                with fresh._store.transaction():
                    for told in deduper.all_feedback():
                        fresh._store.save_feedback(told)
                list(fresh.run(history.live.values()))
                assert standing(deduper, ids) == standing(fresh, ids)


@pytest.mark.parametrize("seed", range(50, 54))
def test_in_a_file_it_holds_as_in_memory(tmp_path, seed):
    history = SpokenHistory(seed)
    address = f"sqlite:///{tmp_path}/seen.db"
    with (
        Deduper(clock=lambda: NOON) as memory,
        Deduper(address, clock=lambda: NOON) as writer,
        Deduper(address, clock=lambda: NOON) as reader,
    ):
        for kind, what in history.events(20):
            speak(memory, kind, what)
            speak(writer, kind, what)
            ids = sorted(history.live)
            assert reader.all_feedback() == memory.all_feedback()
            assert standing(reader, ids) == standing(memory, ids)
            assert_as_told(writer, ids)


@pytest.mark.parametrize("seed", range(80, 86))
def test_it_holds_from_run_to_run(tmp_path, seed):
    history = SpokenHistory(seed)
    for kind, what in history.events(15):
        with Deduper(f"sqlite:///{tmp_path}/seen.db", clock=lambda: NOON) as deduper:
            speak(deduper, kind, what)
            assert_as_told(deduper, sorted(history.live))
