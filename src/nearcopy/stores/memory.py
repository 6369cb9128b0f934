"""The in-memory store: nothing outlives the process."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import RLock

from nearcopy.config import Recipe
from nearcopy.config.units import to_micros
from nearcopy.fingerprint.blocking_keys import Keys, blocking_keys
from nearcopy.match.candidate_index import DAY, CandidateIndex, index_entry
from nearcopy.models import Article, Check, Fingerprint, Member, Story, ordered
from nearcopy.models.feedback import Feedback, StoryAction
from nearcopy.stores.base import (
    NO_LATENCIES,
    NO_RUNS,
    UNLIMITED,
    Candidates,
    LatencyCounts,
    Probe,
    Runs,
    StoreCounts,
    StoredArticle,
    StoreSettings,
    StoryCursor,
    StoryFilter,
    StoryOrder,
    StoryPlace,
)
from nearcopy.stores.full_scans import count_articles, latest_numbers, scan_stories
from nearcopy.stores.integrity import check_members, recipe_mismatch
from nearcopy.stores.memory_edges import MemoryEdges
from nearcopy.stores.undo_log import UndoLog
from nearcopy.stores.window_cache import collect_candidates


class MemoryStore:
    """Everything in dictionaries, in insertion order."""

    address = "memory://"

    def __init__(self) -> None:
        self._lock = RLock()
        self._undo = UndoLog()
        self._recipe: Recipe | None = None
        self._key_version = 0
        self._notes: dict[str, str] = {}
        self._term_counts: dict[None, bytes] = {}
        self._index = CandidateIndex()
        self._last_number = 0
        self._removed: list[int] = []  # sequence numbers that this transaction removed
        self._articles: dict[str, tuple[Article, Fingerprint]] = {}
        self._by_number: dict[int, Fingerprint] = {}
        self._numbers: dict[str, int] = {}
        self._revisions: dict[str, list[Article]] = {}
        self._runs: dict[str, int] = {}  # but for those of the current run
        self._current_run: int | None = None
        self._run_count = 0
        self._edges = MemoryEdges(self._numbers, self._undo)
        self.save_edges, self.edges = self._edges.save_edges, self._edges.edges
        self.edges_among, self.links = self._edges.edges_among, self._edges.links
        self.connected_ids = self._edges.connected_ids
        self._stories: dict[str, Story] = {}
        self._members: dict[str, tuple[str, Member]] = {}
        self._redirects: dict[str, str] = {}
        self._feedback: dict[tuple[str, str], Feedback] = {}
        self._actions: dict[int, StoryAction] = {}
        self._latencies: dict[tuple[int, str, int], int] = {}

    # Settings and transactions.

    def bind(self, recipe: Recipe | None, version: int, window: timedelta | None = None) -> Recipe:
        del window  # nothing expires
        if self._recipe is None:
            self._recipe, self._key_version = recipe or Recipe(), version
        if recipe is not None and recipe.id != self._recipe.id:
            stored = self._recipe
            raise recipe_mismatch("this store", stored.id, stored, recipe, "fill another store")
        return self._recipe

    def settings(self) -> StoreSettings | None:
        return None if self._recipe is None else StoreSettings(self._recipe, self._key_version)

    def note(self, name: str) -> str | None:
        return self._notes.get(name)

    def set_note(self, name: str, text: str | None) -> None:
        if text is None:
            self._undo.delete(self._notes, name)
        else:
            self._undo.set(self._notes, name, text)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with self._lock:
            yield

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._lock:
            last_number, runs = self._last_number, (self._current_run, self._run_count)
            try:
                with self._undo.transaction():
                    yield
            except BaseException:
                self._index.remove(range(last_number + 1, self._last_number + 1))
                self._current_run, self._run_count = runs
                raise
            else:
                self._index.remove(self._removed)
            finally:
                self._removed.clear()

    # Articles.

    def find_candidates(
        self, probes: Sequence[Probe], window: timedelta | None, limit: int | None = None
    ) -> list[Candidates]:
        stored = self._by_number
        matches = self._index.find(probes, window, limit, lambda numbers: stored.keys() & numbers)
        return collect_candidates(matches, stored)

    def save_articles(self, articles: Sequence[StoredArticle], runs: Runs = NO_RUNS) -> None:
        for stored in articles:
            self._assign_run(stored.article.id, runs.get(stored.article.id))
        self._replace([stored.article for stored in articles])
        first = self._last_number + 1
        self._last_number += len(articles)  # numbers of a failed transaction are not reused
        numbered = dict(enumerate(articles, start=first))
        update = self._undo.update
        update(self._numbers, {item.article.id: number for number, item in numbered.items()})
        update(self._articles, {item.article.id: item[:2] for item in articles})
        update(self._by_number, {number: item.fingerprint for number, item in numbered.items()})
        self._index.add([index_entry(n, *item[1:]) for n, item in numbered.items()])

    def _assign_run(self, name: str, run: int | None) -> None:
        """Record the run of an article; None: the current one, if the article is new."""
        if run is not None:
            self._undo.set(self._runs, name, run)
            self._run_count = max(self._run_count, run)
        elif name not in self._articles and self._current_run is None:
            self._current_run = self._run_count = self._run_count + 1

    def _replace(self, articles: Sequence[Article]) -> None:
        """Delete stored articles of the same ids; those that differ become revisions."""
        stored = self.articles([article.id for article in articles])
        for article in articles:
            old = stored.get(article.id)
            if old is not None and (old.title, old.text) != (article.title, article.text):
                earlier = self._revisions.get(article.id, [])
                self._undo.set(self._revisions, article.id, [*earlier, old])
        self._erase(stored)

    def remove(self, ids: Collection[str]) -> int:
        stored = [name for name in dict.fromkeys(ids) if name in self._articles]
        self._erase(stored)
        for name in stored:
            self._undo.delete(self._revisions, name)
            self._undo.delete(self._runs, name)
        return len(stored)

    drop = remove  # no tombstones are left

    def _erase(self, names: Collection[str]) -> None:
        self._edges.erase(names)
        delete = self._undo.delete
        for name in names:
            delete(self._articles, name)
            number = delete(self._numbers, name)
            delete(self._by_number, number)
            self._removed.append(number)
            delete(self._members, name)

    def collect_garbage(self, before: datetime) -> bool:
        for key in [key for key in self._latencies if key[0] < _day(before)]:
            self._undo.delete(self._latencies, key)
        return False

    def dates(self, ids: Collection[str]) -> dict[str, datetime | None]:
        return {
            name: fingerprint.published or fingerprint.seen
            for name, fingerprint in self.fingerprints(ids).items()
        }

    def ids_before(self, before: datetime) -> Iterator[str]:
        numbers = self._index.numbers_before(to_micros(before) or 0)
        return (self._by_number[number].id for number in numbers if number in self._by_number)

    def fingerprints(self, ids: Collection[str]) -> dict[str, Fingerprint]:
        return {name: self._articles[name][1] for name in ids if name in self._articles}

    def keys(self, ids: Collection[str]) -> dict[str, Keys]:
        fingerprints = self.fingerprints(ids)
        derived = blocking_keys([*fingerprints.values()], self._recipe or Recipe())
        return dict(zip(fingerprints, derived, strict=True))

    def articles(self, ids: Collection[str]) -> dict[str, Article]:
        return {name: self._articles[name][0] for name in ids if name in self._articles}

    def revisions(self, ids: Collection[str]) -> dict[str, list[Article]]:
        return {name: list(self._revisions[name]) for name in ids if name in self._revisions}

    def sequence_numbers(self, ids: Collection[str]) -> dict[str, int]:
        return {name: self._numbers[name] for name in ids if name in self._numbers}

    def runs(self, ids: Collection[str]) -> dict[str, int]:
        current = self._current_run or 0
        return {name: self._runs.get(name, current) for name in ids if name in self._articles}

    def run_count(self) -> int:
        return self._run_count

    def ids(self) -> Iterator[str]:
        return iter(sorted(self._articles, key=self._numbers.__getitem__))

    def latest_ids(self, before: int | None, limit: int) -> list[tuple[int, str]]:
        return latest_numbers(self._numbers, before, limit)

    # Stories.

    def save_stories(
        self, stories: Iterable[Story], removed: Collection[str], redirects: Mapping[str, str]
    ) -> None:
        for name in removed:
            self._undo.delete(self._stories, name)
        listed = list(stories)
        self._undo.update(self._stories, {story.id: story for story in listed})
        members = {m.id: (story.id, m) for story in listed for m in story.members}
        self._undo.update(self._members, members)
        self._undo.update(self._redirects, redirects)

    def members(self, ids: Collection[str]) -> dict[str, tuple[str, Member]]:
        return {name: self._members[name] for name in ids if name in self._members}

    def stories(self, ids: Collection[str]) -> dict[str, Story]:
        return {name: self._stories[name] for name in ids if name in self._stories}

    def story_ids(self) -> Iterator[str]:
        return iter(list(self._stories))

    def list_stories(
        self, query: StoryFilter, order: StoryOrder, after: StoryCursor | None, limit: int
    ) -> list[StoryPlace]:
        return scan_stories(self, query, order, after, limit)

    def used_story_ids(self, stories: Collection[str]) -> set[str]:
        return {name for name in stories if name in self._stories or name in self._redirects}

    def resolve_story(self, story: str) -> str:
        seen = {story}
        while (following := self._redirects.get(story)) is not None and following not in seen:
            seen.add(story := following)
        return story

    def redirects(self) -> dict[str, str]:
        return dict(self._redirects)

    # Feedback and actions.

    def save_feedback(self, feedback: Feedback) -> None:
        self._undo.set(self._feedback, feedback.pair, feedback)

    def remove_feedback(self, a: str, b: str) -> bool:
        return self._undo.delete(self._feedback, ordered(a, b)) is not None

    def has_feedback(self) -> bool:
        return bool(self._feedback or self._actions)

    def feedback_about(self, ids: Collection[str]) -> list[Feedback]:
        chosen = set(ids) if self._feedback else ()
        return [item for item in self._feedback.values() if item.a in chosen or item.b in chosen]

    def all_feedback(self) -> list[Feedback]:
        return sorted(self._feedback.values(), key=lambda item: (item.when, item.pair))

    def save_action(self, action: StoryAction) -> None:
        self._undo.set(self._actions, action.number, action)

    def actions(self, before: int | None = None, limit: int = UNLIMITED) -> list[StoryAction]:
        numbers = sorted((n for n in self._actions if before is None or n < before), reverse=True)
        return [self._actions[number] for number in numbers[:limit]]

    def preferred_copies(self, ids: Collection[str]) -> dict[str, int]:
        chosen = set(ids) if self._actions else set()
        kept = ((self._actions[number].keeps, number) for number in sorted(self._actions))
        return {name: number for name, number in kept if name is not None and name in chosen}

    # Statistics.

    def term_counts(self) -> bytes:
        return self._term_counts.get(None, b"")

    def save_term_counts(self, counts: bytes) -> None:
        self._undo.set(self._term_counts, None, counts)

    def count_articles(self, since: int | None) -> StoreCounts:
        fingerprints = ((name, item) for name, (_, item) in self._articles.items())
        all_arrivals = {name: (_day(item.seen), item.source) for name, item in fingerprints}
        arrivals = {
            n: arrival
            for n, arrival in all_arrivals.items()
            if since is None or arrival[0] >= since
        }
        places = ((name, self._members.get(name)) for name in arrivals)
        members = [(arrivals[name], *place) for name, place in places if place is not None]
        return count_articles(arrivals.values(), members)

    def add_latencies(self, counts: LatencyCounts) -> None:
        added = {key: self._latencies.get(key, 0) + count for key, count in counts.items()}
        self._undo.update(self._latencies, added)

    def latencies(self, since: int | None) -> LatencyCounts:
        return {k: count for k, count in self._latencies.items() if since is None or k[0] >= since}

    # Integrity.

    def verify(self) -> list[Check]:
        complete = len(self._by_number) == len(self._articles)
        members = {n: (story, member.duplicate_of) for n, (story, member) in self._members.items()}
        return [
            Check("articles", complete, f"{len(self._articles)} articles"),
            check_members(members, lambda _: False),  # nothing expires
        ]

    def close(self, counts: LatencyCounts = NO_LATENCIES) -> None:
        """Nothing to close."""


def _day(time: datetime | None) -> int:
    """The day of a time, counted from 1970."""
    return (to_micros(time) or 0) // DAY
