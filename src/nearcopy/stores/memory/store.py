"""The store in memory: for one run, gone with the process."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from threading import RLock
from typing import TypeVar

from nearcopy.config import Recipe
from nearcopy.fingerprint.blocking_keys import Keys, keys
from nearcopy.match.candidate_index import Shelves, filed
from nearcopy.models.action import Act
from nearcopy.models.feedback import Feedback
from nearcopy.models.model import Article, Check, Edge, Fingerprint, Join, Member, Story, ordered
from nearcopy.models.timestamps import EPOCH, micros
from nearcopy.stores.base import NO_RUNS, NONE, Copies, Counts, Entry, Found, Runs, Tally
from nearcopy.stores.integrity import copies
from nearcopy.stores.memory.settings import MemorySettings
from nearcopy.stores.pagination import After, Listed, Order, Wanted, last, walked

Name = TypeVar("Name")


class MemoryStore(MemorySettings):
    """All in dictionaries, in the order it came."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = RLock()
        self._runs: dict[str, int] = {}  # but for those of this run
        self._run: int | None = None
        self._run_count = 0
        self._shelves = Shelves()
        self._next = 0
        self._gone: list[int] = []  # numbers of articles that this step removed
        self._entries: dict[str, tuple[Article, Fingerprint]] = {}
        self._by_number: dict[int, Fingerprint] = {}
        self._number: dict[str, int] = {}
        self._revisions: dict[str, list[Article]] = {}
        self._edges: dict[str, dict[str, Edge]] = {}
        self._stories: dict[str, Story] = {}
        self._members: dict[str, tuple[str, Member]] = {}
        self._redirects: dict[str, str] = {}
        self._told: dict[tuple[str, str], Feedback] = {}
        self._acts: dict[int, Act] = {}
        self._times: dict[tuple[int, str, int], int] = {}

    @contextmanager
    def reading(self) -> Iterator[None]:
        """What is read inside is of one moment."""
        with self._lock:
            yield

    @contextmanager
    def writing(self) -> Iterator[None]:
        """What is read and written inside is one step."""
        with self._lock:
            before, runs = self._next, (self._run, self._run_count)
            try:
                with self._journal.step():
                    yield
            except BaseException:
                self._shelves.remove(range(before + 1, self._next + 1))
                self._run, self._run_count = runs
                raise
            else:
                self._shelves.remove(self._gone)
            finally:
                self._gone.clear()

    def find(
        self,
        probes: Sequence[tuple[Fingerprint, Keys]],
        window: timedelta | None,
        limit: int | None = None,
    ) -> list[Found]:
        """For each probe the articles that share a key and may be within the window."""
        fingerprints = self._by_number
        matches = self._shelves.find(probes, window, limit, lambda many: fingerprints.keys() & many)
        return [
            Found([fingerprints[number] for number in numbers if number in fingerprints], left_out)
            for numbers, left_out in matches
        ]

    def put(self, entries: Sequence[Entry], runs: Runs = NO_RUNS) -> None:
        """File articles; one with a known id takes the other's place."""
        rows = []
        for article, fingerprint, own_keys in entries:
            self._note_run(article.id, runs.get(article.id))
            self._replace(article)
            self._next += 1  # what a failed step took is not used again
            self._journal.put(self._number, article.id, self._next)
            self._journal.put(self._entries, article.id, (article, fingerprint))
            self._journal.put(self._by_number, self._next, fingerprint)
            rows.append(filed(self._next, fingerprint, own_keys))
        self._shelves.file(rows)

    def _note_run(self, name: str, run: int | None) -> None:
        """Take note of the run in which an article first came; None: where it is new, of this."""
        if run is not None:
            self._journal.put(self._runs, name, run)
            self._run_count = max(self._run_count, run)
        elif name not in self._entries and self._run is None:
            self._run = self._run_count = self._run_count + 1

    def _replace(self, article: Article) -> None:
        old, _ = self._entries.get(article.id, (None, None))
        if old is not None:
            self._erase(article.id)
            if (old.title, old.text) != (article.title, article.text):
                before = self._revisions.get(article.id, [])
                self._journal.put(self._revisions, article.id, [*before, old])

    def remove(self, ids: Collection[str]) -> int:
        """Forget articles, and all that was found about them; how many there were."""
        present = [name for name in dict.fromkeys(ids) if name in self._entries]
        for name in present:
            self._erase(name)
            self._journal.drop(self._revisions, name)
            self._journal.drop(self._runs, name)
        return len(present)

    def drop(self, ids: Collection[str]) -> int:
        """The same: nothing is left of what is removed."""
        return self.remove(ids)

    def ages(self, ids: Collection[str]) -> dict[str, datetime | None]:
        """When the articles were published, else seen."""
        return {
            name: fingerprint.published or fingerprint.seen
            for name, fingerprint in self.fingerprints(ids).items()
        }

    def _erase(self, name: str) -> None:
        drop = self._journal.drop
        drop(self._entries, name)
        number = drop(self._number, name)
        drop(self._by_number, number)
        self._gone.append(number)
        drop(self._members, name)
        for other in drop(self._edges, name) or ():
            drop(self._edges[other], name)

    def older(self, before: datetime) -> Iterator[str]:
        """The articles published before a time; of those without a date, seen before it."""
        old = self._shelves.older(micros(before) or 0)
        return (self._by_number[number].id for number in old if number in self._by_number)

    def clear(self, before: datetime) -> bool:
        """Drop the times of days before; nothing is left of removed articles."""
        for key in [old for old in self._times if old[0] < _day(before)]:
            self._journal.drop(self._times, key)
        return False

    def fingerprints(self, ids: Collection[str]) -> dict[str, Fingerprint]:
        """What the articles are compared by."""
        return {name: self._entries[name][1] for name in ids if name in self._entries}

    def keys(self, ids: Collection[str]) -> dict[str, Keys]:
        """What the articles are found by, made again."""
        fingerprints = self.fingerprints(ids)
        return dict(
            zip(fingerprints, keys([*fingerprints.values()], self._recipe or Recipe()), strict=True)
        )

    def articles(self, ids: Collection[str]) -> dict[str, Article]:
        """The articles as they came."""
        return {name: self._entries[name][0] for name in ids if name in self._entries}

    def numbers(self, ids: Collection[str]) -> dict[str, int]:
        """The numbers of the articles, which ascend as they came."""
        return {name: self._number[name] for name in ids if name in self._number}

    def runs(self, ids: Collection[str]) -> dict[str, int]:
        """The run in which each article first came."""
        this = self._run or 0
        return {name: self._runs.get(name, this) for name in ids if name in self._entries}

    def runs_so_far(self) -> int:
        """How many runs there were."""
        return self._run_count

    def revisions(self, id: str) -> list[Article]:  # noqa: A002
        """What stood under the id before, earliest first."""
        return list(self._revisions.get(id, ()))

    def revised(self, ids: Collection[str]) -> dict[str, list[Article]]:
        """The same for several ids."""
        return {name: list(self._revisions[name]) for name in ids if name in self._revisions}

    def ids(self) -> Iterator[str]:
        """All articles, in the order they came."""
        return iter(sorted(self._entries, key=self._number.__getitem__))

    def link(self, edges: Iterable[Edge]) -> None:
        """Remember what was found between articles."""
        for edge in edges:
            if edge.a in self._entries and edge.b in self._entries:
                self._link(edge.a, edge.b, edge)
                self._link(edge.b, edge.a, edge)

    def _link(self, one: str, other: str, edge: Edge) -> None:
        if one not in self._edges:
            self._journal.put(self._edges, one, {})
        self._journal.put(self._edges[one], other, edge)

    def edges(self, ids: Collection[str]) -> list[Edge]:
        """All that was found between one of these articles and any other."""
        edges = (edge for name in ids for edge in self._edges.get(name, {}).values())
        return list({(min(e.a, e.b), max(e.a, e.b)): e for e in edges}.values())

    def joins(self, ids: Collection[str]) -> list[Join]:
        """What puts one of these articles and any other into one story."""
        return [edge.join for edge in self.edges(ids) if edge.joins]

    def edges_among(self, ids: Collection[str]) -> list[Edge]:
        """All that was found between two of these articles."""
        chosen = set(ids)
        return [edge for edge in self.edges(ids) if edge.a in chosen and edge.b in chosen]

    def linked(self, ids: Collection[str], limit: int) -> list[str]:
        """These and all that duplicates and same events link them to."""
        reached = dict.fromkeys(name for name in ids if name in self._entries)
        queue = list(reached)
        for name in queue:  # grows as it goes
            for other, edge in self._edges.get(name, {}).items():
                if len(reached) >= limit:
                    return list(reached)
                if other not in reached and edge.joins:
                    reached[other] = None
                    queue.append(other)
        return list(reached)

    def tell(
        self, stories: Iterable[Story], removed: Collection[str], redirects: Mapping[str, str]
    ) -> None:
        """Remember stories; forget those that are gone."""
        for name in removed:
            self._journal.drop(self._stories, name)
        for story in stories:
            self._journal.put(self._stories, story.id, story)
            for member in story.members:
                self._journal.put(self._members, member.id, (story.id, member))
        for old, new in redirects.items():
            self._journal.put(self._redirects, old, new)

    def members(self, ids: Collection[str]) -> dict[str, tuple[str, Member]]:
        """Of articles in a remembered story: its id, and what they are in it."""
        return {name: self._members[name] for name in ids if name in self._members}

    def stories(self, ids: Collection[str]) -> dict[str, Story]:
        """The remembered stories, by id."""
        return {name: self._stories[name] for name in ids if name in self._stories}

    def story_ids(self) -> Iterator[str]:
        """The remembered stories, in no order."""
        return iter(list(self._stories))

    def listed(self, query: Wanted, order: Order, after: After | None, limit: int) -> list[Listed]:
        """Stories in this order, those after a place."""
        return walked(self, query, order, after, limit)

    def latest(self, before: int | None, limit: int) -> list[tuple[int, str]]:
        """The numbers and ids of what came last, before a number."""
        return last(self._number, before, limit)

    def taken(self, stories: Collection[str]) -> set[str]:
        """Which of these ids name a story, or one that became part of another."""
        return {name for name in stories if name in self._stories or name in self._redirects}

    def redirected(self, story: str) -> str:
        """The story that this one became part of, in the end; else itself."""
        seen = {story}
        while (following := self._redirects.get(story)) is not None and following not in seen:
            seen.add(story := following)
        return story

    def redirects(self) -> dict[str, str]:
        """All stories that became part of another."""
        return dict(self._redirects)

    def remember(self, feedback: Feedback) -> None:
        """Remember what people said of two articles."""
        self._journal.put(self._told, feedback.pair, feedback)

    def take_back(self, a: str, b: str) -> bool:
        """Forget what people said of the two; whether there was something."""
        return self._journal.drop(self._told, ordered(a, b)) is not None

    def told(self, ids: Collection[str]) -> list[Feedback]:
        """What people said of one of these ids and any other."""
        chosen = set(ids) if self._told else ()
        return [
            feedback
            for feedback in self._told.values()
            if feedback.a in chosen or feedback.b in chosen
        ]

    def all_told(self) -> list[Feedback]:
        """All that people said, first to last."""
        return sorted(self._told.values(), key=lambda feedback: (feedback.when, feedback.pair))

    def journal(self, act: Act) -> None:
        """Write an act into the journal, in place of one with its number."""
        self._journal.put(self._acts, act.number, act)

    def acts(self, before: int | None = None, limit: int = 1 << 62) -> list[Act]:
        """What was done before a number, the last first."""
        numbers = sorted((n for n in self._acts if before is None or n < before), reverse=True)
        return [self._acts[number] for number in numbers[:limit]]

    def preferred(self, ids: Collection[str]) -> dict[str, int]:
        """Those that people want to be kept, with the number of the act."""
        chosen = set(ids) if self._acts else set()
        kept = ((self._acts[number].keeps, number) for number in sorted(self._acts))
        return {name: number for name, number in kept if name is not None and name in chosen}

    def tally(self, since: int | None) -> Tally:
        """The articles that came since a day, counted."""
        day_of = {name: _day(fingerprint.seen) for name, (_, fingerprint) in self._entries.items()}
        ids = [name for name, day in day_of.items() if since is None or day >= since]
        places = {name: self._members[name] for name in ids if name in self._members}
        duplicates = [name for name in ids if name in places and places[name][1].duplicate_of]
        source = {name: self._entries[name][1].source for name in ids}
        sizes = Counter(Counter(story for story, _ in places.values()).values())
        if len(ids) > len(places):
            sizes[1] += len(ids) - len(places)
        related = ((day_of[name], member.relation) for name, (_, member) in places.items())
        return Tally(
            _copies((day_of[name] for name in ids), (day_of[name] for name in duplicates)),
            _copies(source.values(), (source[name] for name in duplicates)),
            dict(Counter((day, kind) for day, kind in related if kind is not None)),
            dict(sizes),
        )

    def add_times(self, counts: Counts) -> None:
        """Add to how often some work took a time."""
        for key, count in counts.items():
            self._journal.put(self._times, key, self._times.get(key, 0) + count)

    def times(self, since: int | None) -> Counts:
        """How often some work took a time, since a day."""
        return {k: count for k, count in self._times.items() if since is None or k[0] >= since}

    def verify(self) -> list[Check]:
        """Whether all is there."""
        complete = len(self._by_number) == len(self._entries)
        duplicates = [
            (name, *place) for name, place in self._members.items() if place[1].duplicate_of
        ]
        lost = [
            name for name, story, copy in duplicates if not self._keeps(story, copy.duplicate_of)
        ]
        return [
            Check("articles", complete, f"{len(self._entries)} articles"),
            copies(len(duplicates), lost),
        ]

    def _keeps(self, story: str, article: str | None) -> bool:
        """Whether an article is in a story, and no copy."""
        place, member = self._members.get(article or "", (None, None))
        return member is not None and place == story and member.duplicate_of is None

    def close(self, counts: Counts = NONE) -> None:
        """Nothing to let go of."""


def _day(moment: datetime | None) -> int:
    """The day of a time, counted from 1970."""
    return 0 if moment is None else (moment.astimezone(UTC) - EPOCH).days


def _copies(articles: Iterable[Name], copies: Iterable[Name]) -> dict[Name, Copies]:
    counts, duplicates = Counter(articles), Counter(copies)
    return {name: Copies(count, duplicates[name]) for name, count in counts.items()}
