"""Actions on stories are durable, recorded in the audit log, and can be undone."""

import json
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import aged_store as lives
from typer.testing import CliRunner

from nearcopy import Article, BadFeedback, Deduper, NotStored, Relation
from nearcopy.cli import app as commands
from nearcopy.io.files import read_articles
from nearcopy.maintenance.copy_store import copy_store
from nearcopy.models.feedback import (
    ActionKind,
    MovedArticle,
    StoryAction,
    action_from_json,
    action_to_json,
)
from nearcopy.stores import open_store

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
FERRY = (
    "The night ferry to the outer islands was cancelled after its engine failed at the pier, and "
    "passengers were told to wait for the morning boat, which sails at half past six with room for "
    "two hundred people and forty cars, the harbour office said late on Monday evening."
)
MILL = (
    "A paper mill on the northern river will reopen in spring with half its former staff once the "
    "new boiler has been tested, its owner told the town council, which had asked for news of the "
    "two hundred jobs lost when the old machines stopped in the flood of last November."
)


def article(name: str, text: str = FERRY, **fields) -> Article:
    title = "Night ferry cancelled" if text == FERRY else "Paper mill reopens in spring"
    return Article(id=name, title=title, text=text, published=NOON, **fields)


def ticking():
    """A clock that advances by an hour with every call."""
    ticks = iter(range(10_000))
    return lambda: NOON + next(ticks) * HOUR


@pytest.fixture
def deduper(any_address):
    with Deduper(any_address, clock=ticking()) as opened:
        list(opened.run([article("a", tier=1), article("b", tier=2), article("c", tier=3)]))
        list(opened.run([article("m", MILL, tier=1), article("n", MILL, tier=2)]))
        yield opened


def stories(deduper: Deduper) -> dict[str, tuple[str, ...]]:
    """The members of each story by its id, the kept copy first."""
    return {story.id: tuple(m.id for m in story.members) for story in deduper.stories()}


def groups(deduper: Deduper) -> set[tuple[str, ...]]:
    return set(stories(deduper).values())


def test_an_action_survives_json():
    action = StoryAction(
        number=3,
        kind=ActionKind.SPLIT,
        article="a\ud800",
        by="Zoë",
        note="\0",
        when=NOON,
        pairs=(("a", "b"),),
        moved=(MovedArticle("a", "s-1", "s-2"),),
        undone=NOON + HOUR,
    )
    assert action_from_json(action_to_json(action)) == action
    assert action_to_json(action).isascii()


class TestKeep:
    def test_another_copy_is_kept_and_the_story_has_the_reason(self, deduper):
        before = deduper.story("a")
        result = deduper.keep("c", by="Ada", note="ours")
        story = deduper.story("a")
        assert (before.kept, story.kept, story.id) == ("a", "c", before.id)
        assert story.why == "chosen by a user"
        assert {change.id for change in result.changes} == {"a", "b", "c"}
        assert (result.action.number, result.action.by, result.action.note) == (1, "Ada", "ours")
        assert [verdict.duplicate_of for verdict in deduper.verdicts([*"abc"])] == ["c", "c", None]

    def test_the_chosen_copy_stays_when_better_ones_come_and_after_reclustering(self, deduper):
        deduper.keep("c")
        deduper.add(article("d", FERRY + " All fares are paid back.", tier=1))
        assert deduper.story("a").kept == "c"
        deduper.recluster()
        assert deduper.story("a").kept == "c"
        deduper.forget("c")
        assert deduper.story("a").kept != "c"
        deduper.add(article("c", tier=3))
        assert deduper.story("a").kept == "c"

    def test_the_last_choice_wins_until_it_is_undone(self, deduper):
        deduper.keep("c")
        last = deduper.keep("b").action
        assert deduper.story("a").kept == "b"
        deduper.undo(last.number)
        assert deduper.story("a").kept == "c"
        deduper.undo(1)
        assert deduper.story("a").kept == "a"

    def test_the_kept_copy_cannot_be_chosen(self, deduper):
        with pytest.raises(BadFeedback, match="kept copy already"):
            deduper.keep("a")
        with pytest.raises(NotStored):
            deduper.keep("nothing")
        assert deduper.actions() == []

    def test_the_chosen_copy_is_durable(self, lasting_address):
        with Deduper(lasting_address) as one:
            list(one.run([article("a", tier=1), article("b", tier=2)]))
            one.keep("b")
        with Deduper(lasting_address) as other:
            other.add(article("c", tier=1))
            assert other.story("a").kept == "b"
            assert [action.kind for action in other.actions()] == ["keep"]


class TestSplit:
    def test_a_member_is_split_off_and_comes_back(self, deduper):
        before = stories(deduper)
        result = deduper.split("b", by="Ada")
        assert groups(deduper) == {("a", "c"), ("b",), ("m", "n")}
        assert {*result.action.pairs} == {("a", "b"), ("b", "c")}
        deduper.add(article("d", tier=3))
        assert deduper.story("d").id == deduper.story("a").id
        deduper.forget("d")
        undone = deduper.undo(result.action.number, by="Bo").action
        assert stories(deduper) == before
        assert (undone.undone_by, undone.undone is not None) == ("Bo", True)
        assert deduper.all_feedback() == []

    def test_the_kept_copy_can_be_split_off_too(self, deduper):
        deduper.split("a")
        assert groups(deduper) == {("a",), ("b", "c"), ("m", "n")}

    def test_a_singleton_cannot_be_split(self, deduper):
        deduper.split("b")
        with pytest.raises(BadFeedback, match="alone"):
            deduper.split("b")

    def test_articles_labelled_the_same_are_not_split_silently(self, deduper):
        deduper.feedback("a", "b", same=True)
        with pytest.raises(BadFeedback, match="labelled the same"):
            deduper.split("b")
        assert deduper.actions() == []
        assert len(deduper.all_feedback()) == 1


class TestMerge:
    def test_merged_stories_get_their_ids_back_on_undo(self, deduper):
        before = stories(deduper)
        result = deduper.merge("a", "n", by="Ada")
        (merged,) = stories(deduper).values()
        assert {*merged} == {*"abcmn"}
        assert deduper.all_feedback()[0].relation is Relation.SAME_EVENT
        deduper.recluster()
        assert len(stories(deduper)) == 1
        deduper.undo(result.action.number)
        assert stories(deduper) == before
        assert {deduper.story(name).id for name in before} == {*before}
        deduper.recluster()
        assert stories(deduper) == before

    def test_all_reports_of_both_are_merged(self, any_address):
        with Deduper(any_address, clock=ticking()) as deduper:
            list(deduper.run(read_articles(lives.WIRE)))
            before = stories(deduper)
            both = {*before[deduper.story("en-01").id], *before[deduper.story("de-01").id]}
            assert len(both) > 6
            result = deduper.merge("en-01", "de-01")
            assert {*stories(deduper)[deduper.story("en-01").id]} == both
            deduper.recluster()
            assert {*stories(deduper)[deduper.story("en-01").id]} == both
            deduper.undo(result.action.number)
            assert stories(deduper) == before
            assert deduper.all_feedback() == []

    def test_a_story_is_not_merged_with_itself(self, deduper):
        with pytest.raises(BadFeedback, match="name two stories"):
            deduper.merge("a", "b")

    def test_split_articles_are_not_merged_silently(self, deduper):
        deduper.split("b")
        with pytest.raises(BadFeedback, match="labelled different"):
            deduper.merge("a", "b")

    def test_undo_leaves_later_feedback_alone(self, deduper):
        action = deduper.merge("a", "m").action
        deduper.feedback("a", "m", same=True, relation="same_event", note="surely")
        deduper.undo(action.number)
        assert [feedback.note for feedback in deduper.all_feedback()] == ["surely"]
        assert len(groups(deduper)) == 1


@given(st.data())
def test_undoing_all_actions_restores_the_stories(data):
    with Deduper(clock=ticking()) as deduper:
        list(deduper.run([*map(article, "abcd"), *(article(id_, MILL) for id_ in "mno")]))
        before = stories(deduper)
        for _ in range(data.draw(st.integers(1, 5))):
            kind = data.draw(st.sampled_from(["keep", "split", "merge"]))
            one, other = data.draw(st.lists(st.sampled_from("abcdmno"), min_size=2, max_size=2))
            with suppress(BadFeedback):
                deduper.merge(one, other) if kind == "merge" else getattr(deduper, kind)(one)
            clustered = stories(deduper)
            deduper.recluster()
            assert stories(deduper) == clustered
        for action in deduper.actions():
            deduper.undo(action.number)
        assert stories(deduper) == before
        assert deduper.all_feedback() == []


class TestAuditLog:
    def test_the_audit_log_is_paged_the_last_action_first(self, deduper):
        deduper.keep("b")
        deduper.split("c")
        deduper.merge("a", "m")
        assert [action.kind for action in deduper.actions()] == ["merge", "split", "keep"]
        assert [action.number for action in deduper.actions(before=3, limit=1)] == [2]

    def test_an_undone_action_stays_in_the_audit_log_and_is_undone_once(self, deduper):
        deduper.keep("b")
        deduper.undo(1, by="Bo")
        assert [(action.number, action.undone_by) for action in deduper.actions()] == [(1, "Bo")]
        with pytest.raises(BadFeedback, match="undone already"):
            deduper.undo(1)
        with pytest.raises(BadFeedback, match="no action 2"):
            deduper.undo(2)


def test_every_store_has_the_same_audit_log(any_address):
    store = open_store(any_address)
    store.bind(None, 1)
    kept = StoryAction(number=1, kind=ActionKind.KEEP, article="a", other="b", when=NOON)
    with store.transaction():
        store.save_action(kept)
        store.save_action(replace(kept, number=2, article="b"))
        assert store.preferred_copies(["a", "b", "c"]) == {"a": 1, "b": 2}
        store.save_action(replace(kept, number=2, article="b", undone=NOON))
        assert store.preferred_copies(["a", "b", "c"]) == {"a": 1}
        store.save_action(replace(kept, number=3))
    with store.snapshot():
        assert store.preferred_copies(["a"]) == {"a": 3}
        assert store.preferred_copies([]) == {}
        assert [action.number for action in store.actions()] == [3, 2, 1]
        assert store.actions(3, 1)[0].undone == NOON
    with suppress(ZeroDivisionError), store.transaction():
        store.save_action(replace(kept, number=4, article="c"))
        raise ZeroDivisionError
    with store.snapshot():
        assert store.preferred_copies(["c"]) == {}
    store.close()


def test_actions_are_copied_with_the_store(deduper, tmp_path):
    deduper.keep("c")
    target = open_store(f"sqlite:///{tmp_path}/copy.db")
    copy_store(deduper._store, target)
    target.close()
    with Deduper(f"sqlite:///{tmp_path}/copy.db") as copied:
        assert copied.actions() == deduper.actions()
        copied.recluster()
        assert copied.story("a").kept == "c"


def test_the_command_lists_and_undoes_actions(tmp_path):
    store = f"{tmp_path}/seen.db"
    with Deduper(f"sqlite:///{store}") as deduper:
        list(deduper.run([article("a", tier=1), article("b", tier=2)]))

    def run(*words):
        return CliRunner().invoke(commands, ["action", *words, "--store", store])

    assert "keep b in place of a" in run("keep", "b", "--by", "Ada").output
    assert json.loads(run("list", "--json").stdout)["by"] == "Ada"
    assert "1 in all" in run("list").output
    assert "action 1 undone" in run("undo", "1").output
    for words in (["burn"], ["keep"], ["undo", "x"], ["undo", "7"], ["merge", "a"], ["keep", "a"]):
        assert run(*words).exit_code == 2


def test_an_export_has_the_actions(tmp_path):
    with Deduper(f"sqlite:///{tmp_path}/one.db") as deduper:
        list(deduper.run([article("a", tier=1), article("b", tier=2)]))
        deduper.keep("b", by="Ada")
        expected = deduper.actions()
    file = f"{tmp_path}/all.jsonl"
    words = ["export", "--all", "-o", file, "--store", f"{tmp_path}/one.db"]
    assert CliRunner().invoke(commands, words).exit_code == 0
    words = ["import", file, "--store", f"{tmp_path}/two.db"]
    assert CliRunner().invoke(commands, words).exit_code == 0
    with Deduper(f"sqlite:///{tmp_path}/two.db") as other:
        assert other.actions() == expected
        assert other.story("a").kept == "b"
