"""The Deduper: one verdict for every article, the same in any order, batch and store."""

import random
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from pathlib import Path

import pytest

from nearcopy import (
    POLICIES,
    RECIPES,
    Article,
    BadArticle,
    BadPolicy,
    BadRecipe,
    Deduper,
    NotStored,
    Policy,
    Relation,
    Verdict,
)
from nearcopy.cluster.stories import assign_story_ids
from nearcopy.io.files import read_articles

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
BODY = (
    "The harbour council voted on Tuesday to close the old ferry terminal for the winter while "
    "repair crews replace the planks along the eastern pier and test every lamp between the two "
    "lighthouses before the storms arrive next month, said the mayor, who promised that all boats "
    "would be moved inland without charge to their owners and returned in spring when the work "
    "is finished and the new quay has been opened to the public again."
)
OTHER = (
    "Growers in the upper valley expect the earliest apple harvest for thirty years after a mild "
    "March and a warm April, though a late frost could still take a third of the blossom, the "
    "orchard union warned, asking members to keep their sprinklers ready and report damage within "
    "two days so that insurers can send someone to look before the trees are pruned in summer."
)


def wire() -> list[Article]:
    return list(read_articles(Path(__file__).parents[2] / "examples" / "wire.jsonl"))


@pytest.fixture
def address(any_address) -> str:
    return any_address


@pytest.fixture
def deduper(address):
    with Deduper(address, clock=lambda: NOON) as opened:
        yield opened


class TestAdd:
    def test_the_first_is_new_and_its_copy_is_not(self, deduper):
        first = deduper.add(Article(id="a", title="Ferry terminal closes", text=BODY))
        copy = deduper.add(Article(id="b", title="Ferry terminal to close", text=BODY + " Yes."))
        assert (first.relation, first.is_duplicate, first.duplicate_of) == ("distinct", False, None)
        assert first.story_id == copy.story_id
        assert (copy.relation, copy.is_duplicate, copy.duplicate_of) == ("near_text", True, "a")
        assert copy.match == "a"
        assert copy.reason == "content_hash"
        assert copy.overlap == round(copy.evidence.overlap, 4) > 0.9
        assert copy.evidence.exact

    def test_checking_writes_nothing(self, deduper):
        deduper.add(Article(id="a", text=BODY))
        for _ in range(2):
            verdict = deduper.check(Article(id="b", text=BODY))
            assert verdict.is_duplicate
            assert verdict.story_id == deduper.story("a").id
        new = deduper.check(Article(id="c", text=OTHER))
        assert (new.relation, new.match, new.story_id) == (Relation.DISTINCT, None, None)
        with pytest.raises(NotStored):
            deduper.article("b")

    def test_every_article_has_a_verdict_in_order(self, deduper, monkeypatch):
        monkeypatch.setattr("nearcopy.deduper.check_and_add.BATCH_SIZE", 50)
        verdicts = list(deduper.run(Article(id=str(n), text=BODY) for n in range(130)))
        assert [verdict.id for verdict in verdicts] == [str(n) for n in range(130)]
        assert [verdict.is_duplicate for verdict in verdicts] == [False] + [True] * 129

    def test_clashing_facts_separate_similar_titles(self, deduper):
        deduper.add(Article(id="a", title="Startup X raises Series A $10M"))
        verdict = deduper.add(Article(id="b", title="Startup X raises Series B $50M"))
        assert not verdict.is_duplicate
        assert (verdict.relation, verdict.rule, verdict.match) == (Relation.DISTINCT, "vetoed", "a")
        assert "Series" in verdict.reasons[0] or "series" in verdict.reasons[0]

    def test_what_is_outside_the_window_is_new(self, deduper):
        deduper.add(Article(id="a", text=BODY, published=NOON - 15 * DAY))
        assert not deduper.add(Article(id="b", text=BODY, published=NOON)).is_duplicate

    @pytest.mark.parametrize("window", [14 * DAY, 300_000 * DAY, None])
    @pytest.mark.parametrize("zone", [timezone(14 * HOUR), timezone(-12 * HOUR)])
    @pytest.mark.parametrize("when", [datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59)])
    def test_no_date_is_too_far_off(self, address, window, zone, when):
        times = [{"published": when.replace(tzinfo=zone)}, {"seen": when.replace(tzinfo=zone)}]
        for moment in times:
            with Deduper(address, policy=Policy(window=window)) as deduper:
                for name in ("first", "again"):
                    verdict = deduper.add(Article(id=f"{name} {moment}", text=BODY, **moment))
            assert verdict.is_duplicate
        if not address.startswith("memory"):
            with Deduper(address) as deduper:
                assert sum(len(story.members) for story in deduper.stories()) == 4

    def test_half_a_surrogate_pair_does_no_harm(self, deduper):
        half = {"source": "Examp\udc00", "url": "https://example.org/\ud801", "language": "\ud800"}
        for name in "aba":
            deduper.add(Article(id=name, title=f"Ferry \ud800 closes {name}", text=BODY, **half))
        assert len(deduper.story("a").members) == 2
        assert [deduper.revisions(name) for name in ("a", "b", "\ud800")] == [[], [], []]

    def test_a_lookup_of_an_impossible_id_changes_nothing(self, deduper):
        deduper.add(Article(id="a", text=BODY))
        for call in (deduper.story, deduper.article, deduper.similar):
            with pytest.raises(NotStored):
                call("a\ud800")
        assert deduper.forget(["a\ud800"]) == 0

    def test_a_bad_article_loses_none_before_it(self, deduper):
        def articles():
            yield Article(id="a", text=BODY)
            raise BadArticle("broken")

        with pytest.raises(BadArticle, match="broken"):
            list(deduper.run(articles()))
        assert deduper.article("a").text == BODY

    @pytest.mark.parametrize("preset", sorted(POLICIES))
    def test_every_preset_finds_a_copy(self, address, preset):
        with Deduper(address, RECIPES[preset], POLICIES[preset], clock=lambda: NOON) as deduper:
            deduper.add(Article(id="a", title="Ferry terminal closes for winter", text=BODY))
            verdict = deduper.add(
                Article(id="b", title="Ferry terminal closes for winter", text=BODY)
            )
        assert verdict.is_duplicate

    @pytest.mark.parametrize(
        ("sources", "expected"),
        [("any", [None, "a", "a", "a"]), ("across", [None, None, "a", "a"]),
         ("within", [None, "a", None, None])],
    )  # fmt: skip
    def test_a_policy_may_compare_across_sources_only_or_within_one(
        self, address, sources, expected
    ):
        outlets = ["Harbour Post", "Harbour Post", "Valley News", None]
        articles = [
            Article(id=name, title="Ferry terminal closes", text=f"{BODY} {name}.", source=outlet)
            for name, outlet in zip("abcd", outlets, strict=True)
        ]
        with Deduper(address, policy=Policy(sources=sources), clock=lambda: NOON) as deduper:
            duplicate_of = [verdict.duplicate_of for verdict in deduper.run(articles)]
        assert duplicate_of == expected

    def test_an_unknown_sources_setting_is_refused(self):
        with pytest.raises(BadPolicy, match='choose "any", "across" or "within"'):
            Policy(sources="some")


class TestAddAgain:
    def test_an_article_never_matches_itself(self, deduper):
        article = Article(id="a", url="https://example.org/1", title="Ferry closes", text=BODY)
        for _ in range(2):
            assert not deduper.add(article).is_duplicate
            assert not deduper.check(article).is_duplicate
        twice = list(deduper.run([article, article]))
        assert [verdict.is_duplicate for verdict in twice] == [False, False]
        assert deduper.revisions("a") == []

    def test_a_changed_text_is_a_revision(self, deduper):
        deduper.add(Article(id="a", text=BODY))
        deduper.add(Article(id="a", text=OTHER))
        assert deduper.article("a").text == OTHER
        assert [revision.text for revision in deduper.revisions("a")] == [BODY]

    def test_the_story_keeps_its_id_and_its_former_copies_are_none(self, deduper):
        deduper.add(Article(id="a", text=BODY))
        before = deduper.add(Article(id="b", text=BODY + " Yes.")).story_id
        copy = deduper.add(Article(id="a", text=OTHER))
        verdicts = {verdict.id: verdict for verdict in deduper.verdicts(["a", "b"])}
        assert not copy.is_duplicate
        assert not any(verdict.is_duplicate for verdict in verdicts.values())
        assert verdicts["a"].story_id != verdicts["b"].story_id
        assert before in {verdict.story_id for verdict in verdicts.values()}

    def test_running_the_same_articles_twice_changes_nothing(self, deduper):
        articles = wire()
        list(deduper.run(articles))
        first = list(deduper.verdicts(article.id for article in articles))
        list(deduper.run(articles))
        assert list(deduper.verdicts(article.id for article in articles)) == first

    def test_an_unchanged_article_gets_the_verdict_of_its_first_insertion(self, deduper):
        articles = [
            Article(id="a", title="Ferry terminal closes", text=BODY, published=NOON),
            Article(id="b", title="Ferry terminal to close", text=BODY + " Yes.", published=NOON),
            Article(id="c", title="Ferry terminal shut", text=BODY + " No.", published=NOON),
        ]
        first = [outline(verdict) for verdict in deduper.run(articles)]
        stories = list(deduper.stories())
        assert [outline(deduper.add(article)) for article in articles] == first
        assert [outline(verdict) for verdict in deduper.run(reversed(articles))] == first[::-1]
        assert list(deduper.stories()) == stories
        assert deduper.revisions("a") == []

    def test_an_unchanged_article_keeps_its_verdict_whatever_is_added_later(
        self, deduper, monkeypatch
    ):
        monkeypatch.setattr("nearcopy.match.candidate_index.MAX_PAIRS", 0)
        monkeypatch.setattr("nearcopy.match.candidate_index.MIN_CANDIDATES", 4)
        one = Article(id="a", title="Ferry terminal closes", text=BODY, published=NOON)
        other = Article(id="b", title="Winter closure of the terminal", text=BODY[60:])
        first = [outline(deduper.add(article)) for article in (one, other)]
        closer = (replace(other, id=f"c{n}", text=f"{other.text} {n}") for n in range(9))
        list(deduper.run(closer))
        assert [outline(deduper.add(article)) for article in (one, other)] == first

    def test_adding_an_unchanged_article_again_displaces_no_candidate(self, deduper):
        article = Article(id="a", title="Ferry terminal closes", text=BODY)
        list(deduper.run([article] * 600))
        for place in range(60):
            deduper.add(replace(article, text=f"{BODY} {place}"))
        report = Article(id="b", title="Winter closure of the ferry terminal", text=BODY[40:])
        assert deduper.check(report).match == "a"


class TestVerdictsAndStories:
    def test_a_better_copy_is_kept_instead(self, deduper):
        deduper.add(Article(id="short", text=BODY))
        longer = deduper.add(Article(id="long", text=f"{BODY} {BODY[:200]}"))
        assert (longer.is_duplicate, longer.duplicate_of) == (True, "short")
        short, long = deduper.verdicts(["short", "long"])
        assert (short.is_duplicate, short.duplicate_of) == (True, "long")
        assert (long.is_duplicate, long.duplicate_of, long.rule) == (False, None, "kept")
        assert long.reasons[0].startswith("kept: best of 2")
        assert deduper.story("short").kept == "long"

    def test_copies_and_reports_of_one_event_are_one_story(self, deduper):
        articles = wire()
        list(deduper.run(articles))
        verdicts = list(deduper.verdicts(article.id for article in articles))
        stories = {story.id: story for story in deduper.stories()}
        assert {member.id for story in stories.values() for member in story.members} == {
            article.id for article in articles
        }
        for verdict in verdicts:
            story = stories[verdict.story_id]
            assert verdict.id in {member.id for member in story.members}
            assert deduper.story(verdict.id) == deduper.story(story.id) == story
            if verdict.duplicate_of:
                assert verdict.duplicate_of in {member.id for member in story.members}

    def test_no_article_is_missing_from_the_stories_while_others_are_added(self, deduper):
        for name, text in (("a", BODY), ("b", BODY), ("c", OTHER), ("d", "")):
            deduper.add(Article(id=name, text=text))
        stories = deduper.stories()
        seen = {member.id for member in next(stories).members}
        deduper.add(Article(id="e", text=OTHER))
        deduper.forget(["a"])
        seen |= {member.id for story in stories for member in story.members}
        assert seen >= {"b", "c", "d"}

    def test_unknown_ids_are_named(self, deduper):
        with pytest.raises(NotStored, match="unknown"):
            list(deduper.verdicts(["unknown"]))
        for call in (deduper.story, deduper.similar, deduper.article):
            with pytest.raises(NotStored, match="unknown"):
                call("unknown")

    def test_similar_articles_come_most_similar_first(self, deduper):
        half = " ".join(BODY.split()[:45] + OTHER.split()[:25])
        deduper.add(Article(id="a", title="The ferry", url="https://news.example.org/1", text=BODY))
        deduper.add(Article(id="half", text=half))
        deduper.add(Article(id="b", text=BODY + " Yes."))
        deduper.add(Article(id="c", text=OTHER))
        matches = deduper.similar("b")
        assert [match.id for match in matches][:2] == ["a", "half"]
        assert (matches[0].title, matches[0].host) == ("The ferry", "example.org")
        assert 1 >= matches[0].score > matches[1].score > 0
        assert len(deduper.similar("b", limit=1)) == 1

    def test_two_articles_are_explained(self, deduper):
        deduper.add(Article(id="a", text=BODY))
        deduper.add(Article(id="b", text=BODY + " Yes."))
        assert deduper.explain("a", "b").decision.relation is Relation.NEAR_TEXT


class TestForget:
    def test_the_kept_copy_is_chosen_again(self, deduper):
        for name in "abc":
            deduper.add(Article(id=name, text=f"{BODY} {name}", published=NOON))
        story = deduper.story("a")
        assert deduper.forget([story.kept, "unknown"]) == 1
        left = deduper.story(story.id)
        assert len(left.members) == 2
        assert left.kept != story.kept
        assert sum(v.is_duplicate for v in deduper.verdicts(m.id for m in left.members)) == 1

    def test_a_story_without_members_is_removed(self, deduper):
        deduper.add(Article(id="a", text=BODY))
        deduper.add(Article(id="b", text=BODY))
        story = deduper.story("a").id
        assert deduper.forget(["a", "b"]) == 2
        assert list(deduper.stories()) == []
        with pytest.raises(NotStored):
            deduper.story(story)

    def test_no_story_id_is_used_twice(self, deduper):
        for name in "abc":
            deduper.add(Article(id=name, text=BODY))
        story = deduper.story("a").id
        deduper.forget(["a"])
        deduper.add(Article(id="a", text=OTHER))
        assert deduper.story("b").id == story != deduper.story("a").id

    def test_no_story_id_is_used_twice_when_an_article_is_added_again(self, deduper):
        for name in "abc":
            deduper.add(Article(id=name, text=BODY))
        deduper.forget(["a"])
        before = deduper.add(Article(id="a", text=OTHER)).story_id
        assert deduper.add(Article(id="a", text=OTHER)).story_id == before
        assert deduper.story("b").id != before == deduper.story("a").id

    def test_a_story_split_off_another_is_found_by_its_new_id(self, deduper):
        half = len(BODY.split()) // 2
        parts = [" ".join(BODY.split()[:half] * 2), " ".join(BODY.split()[half:] * 2)]
        for name, text in zip("ab", parts, strict=True):
            deduper.add(Article(id=name, url=f"https://example.org/{name}", text=text))
        first, second = deduper.story("a").id, deduper.story("b").id
        deduper.add(Article(id="b", url="https://example.org/a", text=parts[1]))
        assert deduper.story(second).id == first
        deduper.add(Article(id="b", url="https://example.org/b", text=parts[1]))
        assert deduper.story("a").id == deduper.story(second).id == first
        apart = deduper.story("b")
        assert apart.id not in (first, second)
        assert deduper.story(apart.id) == apart

    def test_splitting_repeatedly_takes_constant_time(self, deduper, monkeypatch):
        calls = []
        monkeypatch.setattr(
            "nearcopy.deduper.recluster.assign_story_ids",
            lambda *a, **k: calls.append(1) or assign_story_ids(*a, **k),
        )
        deduper.add(Article(id="a", text=BODY, published=NOON - DAY))
        ids = {deduper.add(Article(id="b", text=t)).story_id for t in [OTHER, BODY] * 25}
        assert len(ids) == 26
        calls.clear()
        deduper.add(Article(id="b", text=OTHER))
        assert len(calls) == 2

    def test_a_removed_story_id_leads_to_no_other_story(self, deduper):
        for name in "abc":
            deduper.add(Article(id=name, text=BODY))
        story = deduper.story("a").id
        deduper.forget(["a"])
        deduper.add(Article(id="a", text=OTHER))
        deduper.forget(["b", "c"])
        with pytest.raises(NotStored):
            deduper.story(story)

    def test_purging_goes_by_age(self, deduper):
        deduper.add(Article(id="old", text=BODY, published=NOON - 20 * DAY))
        deduper.add(Article(id="new", text=BODY, published=NOON - 10 * DAY))
        assert deduper.purge(NOON - 14 * DAY) == 1
        assert [story.kept for story in deduper.stories()] == ["new"]
        with pytest.raises(BadArticle, match="time zone"):
            deduper.purge(NOON.replace(tzinfo=None))

    def test_the_remaining_articles_of_a_story_stay_together(self, deduper):
        dates = [NOON - (20 if n % 2 else 10) * DAY for n in range(40)]
        articles = [Article(id=str(n), text=BODY, published=d) for n, d in enumerate(dates)]
        list(deduper.run(articles))
        before = deduper.story("0").id
        assert deduper.purge(NOON - 14 * DAY) == 20
        (story,) = deduper.stories()
        assert (story.id, story.kept) == (before, "0")
        assert {member.id for member in story.members} == {str(n) for n in range(0, 40, 2)}


def test_invalid_arguments_are_refused(deduper):
    for invalid in ({"id": "a"}, "a", None):
        for call in (deduper.add, deduper.check, lambda article: list(deduper.run([article]))):
            with pytest.raises(BadArticle, match="expected an Article"):
                call(invalid)
    for invalid in ("2020-01-01", NOON.date(), NOON.replace(tzinfo=None)):
        with pytest.raises(BadArticle, match="a datetime with a time zone"):
            deduper.purge(invalid)
    with pytest.raises(BadRecipe, match="RECIPES"):
        Deduper("memory://", "feed")
    with pytest.raises(BadPolicy, match="POLICIES"):
        Deduper("memory://", policy="feed")


def test_a_single_id_needs_no_list(deduper):
    for name in ("a", "ab"):
        deduper.add(Article(id=name, text=BODY))
    assert [verdict.id for verdict in deduper.verdicts("ab")] == ["ab"]
    assert deduper.forget("ab") == 1
    assert deduper.article("a")


def test_a_story_has_aware_times(lasting_address):
    noon = datetime(2026, 6, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    copies = [replace(wire()[0], id=name, published=noon) for name in ("one", "two")]
    with Deduper(lasting_address) as here, Deduper(lasting_address) as elsewhere:
        list(here.run(copies))
        dates = [str(member.published) for member in here.story("one").members]
        assert dates == [str(member.published) for member in elsewhere.story("one").members]
        assert dates == ["2026-06-01 10:00:00+00:00"] * 2


def test_a_sound_store_is_verified(deduper):
    assert all(check.passed for check in deduper.verify())
    list(deduper.run(wire()))
    checks = deduper.verify()
    assert all(check.passed for check in checks)
    assert {"recipe", "window", "known duplicate"} <= {check.name for check in checks}


def outline(verdict: Verdict) -> tuple[object, ...]:
    return (
        verdict.id,
        verdict.relation,
        verdict.is_duplicate,
        verdict.duplicate_of,
        verdict.match,
        verdict.confidence,
        verdict.rule,
        verdict.reasons,
        verdict.event_score,
        verdict.overlap,
    )


def final_state(address: str, articles: list[Article], batch: int) -> tuple[object, ...]:
    """The current verdicts and the groups of articles by story."""
    with Deduper(address, clock=lambda: NOON) as deduper:
        for start in range(0, len(articles), batch):
            list(deduper.run(articles[start : start + batch]))
        verdicts = list(deduper.verdicts(sorted(article.id for article in articles)))
    members: dict[str | None, set[str]] = {}
    for verdict in verdicts:
        members.setdefault(verdict.story_id, set()).add(verdict.id)
    return list(map(outline, verdicts)), set(map(frozenset, members.values()))


def shuffled_wire(seed: int | None) -> list[Article]:
    """The articles of the wire, shuffled unless the seed is None."""
    articles = [replace(article, seen=NOON) for article in wire()]
    return articles if seed is None else random.Random(seed).sample(articles, len(articles))


@cache
def final_state_in_memory(seed: int | None, batch: int) -> tuple[object, ...]:
    return final_state("memory://", shuffled_wire(seed), batch)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("batch", [1, 7, 100])
def test_the_final_state_is_the_same_in_any_order_batch_and_store(lasting_address, seed, batch):
    expected = final_state_in_memory(None, 1000)
    assert final_state_in_memory(seed, batch) == expected
    assert final_state(lasting_address, shuffled_wire(seed), batch) == expected


@pytest.mark.parametrize("batch", [1, 5, 1000])
def test_verdicts_at_insert_time_are_the_same_one_by_one_and_in_batches(batch):
    articles = [replace(article, seen=NOON) for article in wire()]
    with Deduper(policy=Policy(keep=("earliest",)), clock=lambda: NOON) as deduper:
        expected = [deduper.add(article) for article in articles]
    with Deduper(policy=Policy(keep=("earliest",)), clock=lambda: NOON) as deduper:
        verdicts = [
            verdict
            for start in range(0, len(articles), batch)
            for verdict in deduper.run(articles[start : start + batch])
        ]
    skip = {"duplicate_of", "story_id"}  # by the stories at the end of the batch
    for one, other in zip(expected, verdicts, strict=True):
        assert {n: getattr(one, n) for n in one.__slots__ if n not in skip} == {
            n: getattr(other, n) for n in other.__slots__ if n not in skip
        }


def test_a_missing_id_is_named_in_printable_form():
    with Deduper() as deduper, pytest.raises(NotStored) as raised:
        deduper.article("half\ud800")
    assert str(raised.value).encode() == b"not in memory://: half\\ud800: add it first"


def test_adding_loads_neither_evaluation_nor_tuning():
    script = (
        "import sys; from nearcopy import Article, Deduper\n"
        "with Deduper() as deduper: deduper.add(Article(id='a', text='Hello.'))\n"
        "print([name for name in sys.modules if name.startswith('nearcopy.evaluate')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
