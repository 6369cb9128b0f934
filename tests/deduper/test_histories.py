"""The state of a store depends on the remaining articles alone, not on its history."""

import os
import random
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta

import pytest

from nearcopy import Article, Deduper, Verdict

SEEDS = 200 if os.environ.get("NEARCOPY_FAULTS") == "whole" else 12
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
DAY = timedelta(days=1)
HARBOUR = (
    "the harbour council voted on tuesday to close the old ferry terminal for the winter while "
    "repair crews replace the planks along the eastern pier and test every lamp between the two "
    "lighthouses before the storms arrive next month said the mayor who promised that all boats "
    "would be moved inland without charge to their owners "
)
ORCHARD = (
    "growers in the upper valley expect the earliest apple harvest for thirty years after a mild "
    "march and a warm april though a late frost could still take a third of the blossom the "
    "orchard union warned asking members to keep their sprinklers ready and report damage"
)
TITLES = (
    "",
    "Ferry terminal closes for the winter",
    "Ferry terminal to close in winter",
    "Council shuts old ferry terminal",
    "Growers expect early apple harvest",
    "Boatyard raises Series A $10M",
    "Boatyard raises Series B $50M",
)


class History:
    """A random sequence of events, the same for each store."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.live: dict[str, Article] = {}

    def text(self) -> str:
        words = self.random.choice([HARBOUR, HARBOUR, ORCHARD, HARBOUR + ORCHARD, "brief"]).split()
        for _ in range(self.random.choice([0, 0, 1, 2, 4, 8, 12])):
            words[self.random.randrange(len(words))] = self.random.choice(["one", "two", "three"])
        cut = self.random.choice([0, len(words), len(words), len(words) * 2 // 3])
        return " ".join(words[:cut] + words[: self.random.choice([0, 0, 20])])

    def article(self) -> Article:
        one_of = self.random.choice
        days = (0, 0, 0, 7, 14, 15, 28)  # on the edges of the window and beyond
        return Article(
            id=str(self.random.randrange(10)),
            title=one_of(TITLES),
            text=self.text(),
            url=one_of([None, None, f"https://example.org/news/{self.random.randrange(6)}"]),
            published=one_of([None, *(NOON + DAY * day for day in days)]),
            seen=NOON + DAY * one_of([0, 0, 14, 15]),
            tier=one_of([None, 1, 2]),
        )

    def events(self, count: int) -> Iterator[tuple[str, list]]:
        for _ in range(count):
            kind = self.random.choices(["run", "forget", "purge"], [65, 30, 5])[0]
            yield kind, getattr(self, kind)()

    def run(self) -> list[Article]:
        new = [self.article() for _ in range(self.random.choice([1, 1, 2, 5]))]
        repeated = [self.live.get(a.id, a) for a in new if self.random.random() < 0.2]
        added = {article.id: article for article in new + repeated}
        self.live |= added
        return list(added.values())

    def forget(self) -> list[str]:
        forgotten = self.random.sample(
            sorted(self.live), min(len(self.live), 1 + len(self.live) // 4)
        )
        self.live = {id_: a for id_, a in self.live.items() if id_ not in forgotten}
        return forgotten

    def purge(self) -> list[datetime]:
        before = NOON + DAY * self.random.choice([1, 8, 16])
        kept = {n: a for n, a in self.live.items() if (a.published or a.seen) >= before}
        self.live = kept
        return [before]


def apply_event(deduper: Deduper, kind: str, arguments: list) -> object:
    """The answer of the Deduper to an event."""
    if kind == "run":
        return list(map(outline, deduper.run(arguments)))
    return deduper.purge(arguments[0]) if kind == "purge" else deduper.forget(arguments)


def outline(verdict: Verdict) -> tuple[object, ...]:
    skip = {"story_id", "evidence"}
    return tuple(getattr(verdict, name) for name in verdict.__slots__ if name not in skip)


def snapshot(deduper: Deduper, ids: list[str]) -> tuple[object, ...]:
    """All verdicts and stories, without story ids."""
    verdicts = list(deduper.verdicts(ids))
    stories = list(deduper.stories())
    members = {frozenset(member.id for member in story.members) for story in stories}
    why = {(story.kept, story.why, story.first_seen, story.last_seen) for story in stories}
    return list(map(outline, verdicts)), members, why


def assert_sound(deduper: Deduper, ids: list[str]) -> None:
    """Each article is in one story, found by the story's id and by the article's."""
    stories = {story.id: story for story in deduper.stories()}
    members = [member.id for story in stories.values() for member in story.members]
    assert sorted(members) == ids
    for verdict in deduper.verdicts(ids):
        story = stories[verdict.story_id]
        assert verdict.id in {member.id for member in story.members}
        assert deduper.story(verdict.id) == deduper.story(story.id) == story


def story_ids(deduper: Deduper, ids: list[str]) -> list[str | None]:
    return [verdict.story_id for verdict in deduper.verdicts(ids)]


def open_deduper(stack: ExitStack, address: str) -> Deduper:
    return stack.enter_context(Deduper(address, clock=lambda: NOON))


@pytest.mark.parametrize("seed", range(SEEDS))
def test_the_remaining_articles_are_clustered_as_if_added_in_one_batch(seed):
    history = History(seed)
    with Deduper(clock=lambda: NOON) as deduper:
        for kind, arguments in history.events(25):
            apply_event(deduper, kind, arguments)
            ids = sorted(history.live)
            assert_sound(deduper, ids)
            with Deduper(clock=lambda: NOON) as fresh:
                list(fresh.run(history.live.values()))
                assert snapshot(deduper, ids) == snapshot(fresh, ids)


@pytest.mark.parametrize("seed", range(200, 203))
def test_no_article_is_lost_where_too_many_are_linked(monkeypatch, any_address, seed):
    monkeypatch.setattr("nearcopy.deduper.recluster.MAX_DUPLICATES", 4)
    monkeypatch.setattr("nearcopy.deduper.recluster.MAX_COMPONENT", 2)
    history = History(seed)
    with Deduper(any_address, clock=lambda: NOON) as deduper:
        for kind, arguments in history.events(25):
            apply_event(deduper, kind, arguments)
            assert_sound(deduper, sorted(history.live))


@pytest.mark.parametrize("seed", range(100, 100 + SEEDS // 4))
def test_every_process_sees_the_state_of_a_memory_store(lasting_address, seed):
    history = History(seed)
    with ExitStack() as stack:
        memory = open_deduper(stack, "memory://")
        writer, reader = (open_deduper(stack, lasting_address) for _ in range(2))
        for kind, arguments in history.events(20):
            assert apply_event(writer, kind, arguments) == apply_event(memory, kind, arguments)
            ids = sorted(history.live)
            for deduper in (writer, reader):
                assert snapshot(deduper, ids) == snapshot(memory, ids)
                assert story_ids(deduper, ids) == story_ids(memory, ids)
        assert_sound(reader, ids)
        assert all(check.passed for check in reader.verify())


@pytest.mark.parametrize("seed", range(300, 303))
def test_stories_do_not_depend_on_which_process_adds_and_forgets(lasting_address, seed):
    history = History(seed)
    with ExitStack() as stack:
        memory = open_deduper(stack, "memory://")
        both = [open_deduper(stack, lasting_address) for _ in range(2)]
        for number, (kind, arguments) in enumerate(history.events(20)):
            apply_event(memory, kind, arguments)
            apply_event(both[number % 2], kind, arguments)
            ids = sorted(history.live)
            for deduper in both:
                assert snapshot(deduper, ids)[1:] == snapshot(memory, ids)[1:]
                assert story_ids(deduper, ids) == story_ids(memory, ids)
        assert_sound(both[0], ids)
