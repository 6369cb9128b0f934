"""Headers: id, source, times and run of every article, in each worker's memory.

So whether an id exists, and which day partitions a lookup needs, is known without a call to the
server. Sequence numbers ascend and are never reused; an empty id is that of a removed article.
"""

import json
from array import array
from collections.abc import Collection, Iterable, Iterator
from datetime import timedelta
from struct import Struct
from typing import NamedTuple

import numpy as np
from zstandard import ZstdCompressor, ZstdDecompressor

from nearcopy.config.units import MICROSECOND
from nearcopy.match.candidate_index import DAY, UNDATED, Numbers, day_partition

PAGE = 256  # headers that are stored together
NO_TIME = -(1 << 62)  # in columns of times; part of the format
LEVEL = 3
COUNT = Struct("<I")
SLOTS = 30  # in a window: articles expire together with their time slot
SHORTEST_SLOT = 1000  # microseconds


class ArticleHeader(NamedTuple):
    """What every worker holds in memory of every article."""

    id: str  # empty: removed
    source: str | None
    published: int | None  # microseconds since 1970
    seen: int | None
    run: int


REMOVED = ArticleHeader("", None, None, None, 0)


def pack_headers(headers: Collection[ArticleHeader]) -> bytes:
    """Consecutive headers, compressed."""
    texts = [[header.id for header in headers], [header.source for header in headers]]
    plain = json.dumps(texts, separators=(",", ":"), ensure_ascii=False)
    times = [(_or_never(h.published), _or_never(h.seen), h.run) for h in headers]
    columns = np.array(times, "<i8").reshape(-1, 3).T
    deltas = np.diff(columns, axis=1, prepend=np.int64(0)).astype("<i8")
    packed = COUNT.pack(len(headers)) + deltas.tobytes() + plain.encode("utf-8", "surrogatepass")
    return ZstdCompressor(level=LEVEL).compress(packed)


def unpack_headers(packed: bytes) -> list[ArticleHeader]:
    """The inverse of `pack_headers`."""
    plain = ZstdDecompressor().decompress(packed)
    (count,) = COUNT.unpack_from(plain)
    end = COUNT.size + 3 * 8 * count
    columns = np.frombuffer(plain[COUNT.size : end], "<i8").reshape(3, -1).cumsum(axis=1)
    ids, sources = json.loads(plain[end:].decode("utf-8", "surrogatepass"))
    rows = zip(ids, sources, *columns.tolist(), strict=True)
    return [
        ArticleHeader(id_, source, _or_none(published), _or_none(seen), run)
        for id_, source, published, seen, run in rows
    ]


def unpack_page(page: dict[bytes, bytes]) -> list[ArticleHeader]:
    """All headers of a page; where none is stored, that of a removed article."""
    headers = [REMOVED] * PAGE
    for start in sorted(page, key=int):
        stored = unpack_headers(page[start])
        headers[int(start) : int(start) + len(stored)] = stored
    return headers


class ArticleHeaders:
    """The headers of a store, from the first that has not expired."""

    def __init__(self, first: int = 1) -> None:
        self.reset(first)

    def reset(self, first: int = 1) -> None:
        """Remove all headers; the next one added gets this sequence number."""
        self.first = first
        self._ids: list[str] = []
        self._sources: list[str | None] = []
        self._interned_sources: dict[str, str] = {}
        self._published, self._seen, self._runs = array("q"), array("q"), array("q")
        self._numbers: dict[str, int] = {}
        self._mark = first - 1
        self._partitions_by_day: dict[int, set[int]] = {}  # by the day on which articles were added
        self._partitions: set[int] = set()
        self._removed: list[tuple[int, str]] = []

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def last(self) -> int:
        """The highest sequence number."""
        return self.first + len(self._ids) - 1

    def add(self, headers: Iterable[ArticleHeader]) -> None:
        """Append headers."""
        for header in headers:
            if header.id:
                self._numbers[header.id] = self.last + 1
            self._ids.append(header.id)
            source = header.source
            self._sources.append(source and self._interned_sources.setdefault(source, source))
            self._published.append(_or_never(header.published))
            self._seen.append(_or_never(header.seen))
            self._runs.append(header.run)
            partition = day_partition(header.published, header.seen)
            self._partitions_by_day.setdefault((header.seen or 0) // DAY, set()).add(partition)
            self._partitions.add(partition)

    def continue_in(self, later: "ArticleHeaders") -> bool:
        """Whether later headers differ only by articles that were added or removed since."""
        first, last = max(self.first, later.first), min(self.last, later.last)
        numbers = range(first, last + 1)
        return last == self.last and all(
            not later.id(n) or later.get(n) == self.get(n) for n in numbers if self.id(n)
        )

    # Transactions.

    def mark(self) -> None:
        """Begin a transaction: what is added and removed from here on can be rolled back."""
        self._mark, self._removed = self.last, []

    def roll_back(self) -> None:
        """Undo everything since the mark."""
        count = max(0, self._mark + 1 - self.first)
        for id_ in self._ids[count:]:
            self._numbers.pop(id_, None)
        columns = (self._ids, self._sources, self._published, self._seen, self._runs)
        for column in columns:
            del column[count:]
        for number, id_ in reversed(self._removed):
            if number <= self._mark:
                self._ids[number - self.first] = id_
                self._numbers[id_] = number
        self._removed = []

    def added(self) -> range:
        """The sequence numbers added since the mark."""
        return range(self._mark + 1, self.last + 1)

    def removed(self) -> list[int]:
        """The sequence numbers that existed at the mark and were removed since."""
        return [number for number, _ in self._removed if number <= self._mark]

    def remove(self, numbers: Iterable[int]) -> None:
        """Mark articles as removed."""
        for number in numbers:
            if self.first <= number <= self.last and (id_ := self._ids[number - self.first]):
                self._ids[number - self.first] = ""
                self._removed.append((number, id_))
                if self._numbers.get(id_) == number:
                    del self._numbers[id_]

    def expire(self, first: int) -> None:
        """Drop the headers before this sequence number."""
        count = min(first - self.first, len(self._ids))
        if count <= 0:
            return
        for number, id_ in enumerate(self._ids[:count], start=self.first):
            if id_ and self._numbers.get(id_) == number:
                del self._numbers[id_]
        for column in (self._ids, self._sources, self._published, self._seen, self._runs):
            del column[:count]
        self.first += count

    # One article, or several.

    def numbers(self, ids: Collection[str]) -> dict[str, int]:
        """The sequence numbers of the articles that exist."""
        return {id_: self._numbers[id_] for id_ in ids if id_ in self._numbers}

    def id(self, number: int) -> str:
        """The id of an article; empty where there is none."""
        place = number - self.first
        return self._ids[place] if 0 <= place < len(self._ids) else ""

    def get(self, number: int) -> ArticleHeader:
        """The header of an article."""
        at = number - self.first
        return ArticleHeader(
            self._ids[at],
            self._sources[at],
            _or_none(self._published[at]),
            _or_none(self._seen[at]),
            self._runs[at],
        )

    def run(self, number: int) -> int:
        """The run in which an article was first added."""
        return self._runs[number - self.first]

    def ids(self) -> Iterator[str]:
        """The ids of all articles, in the order they were added."""
        return filter(None, list(self._ids))

    def page(self, page: int) -> list[ArticleHeader]:
        """The headers of a page, those of removed and expired articles among them."""
        start = page * PAGE
        numbers = range(start, min(start + PAGE, self.last + 1))
        return [self.get(n) if n >= self.first else REMOVED for n in numbers]

    def all_partitions(self) -> set[int]:
        """Every day partition that holds an article."""
        return self._partitions

    def partitions_added(self, first: int, last: int) -> set[int]:
        """The day partitions of articles that were added between two days."""
        by_day = self._partitions_by_day.items()
        return set().union(*(partitions for day, partitions in by_day if first <= day <= last))

    # All articles, in columns whose first row is `first`.

    def exist(self) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        """Whether each article exists."""
        return np.fromiter(map(bool, self._ids), np.bool_, len(self._ids))

    def in_partitions(self, partitions: Collection[int]) -> list[int]:
        """The sequence numbers of the articles in these day partitions."""
        published, seen = self.published(), self.seen()
        days = np.where(seen == NO_TIME, 0, seen) // DAY
        column = np.where(published == NO_TIME, UNDATED + days, published // DAY)
        places = np.flatnonzero(np.isin(column, list(partitions))).tolist()
        return [self.first + place for place in places if self._ids[place]]

    def published(self) -> Numbers:
        """When each was published."""
        return np.array(self._published, np.int64)

    def seen(self) -> Numbers:
        """When each was first seen."""
        return np.array(self._seen, np.int64)

    def sources(self) -> list[str | None]:
        """The source of each."""
        return self._sources


def _or_never(time: int | None) -> int:
    return NO_TIME if time is None else time


def _or_none(time: int) -> int | None:
    return None if time == NO_TIME else time


class Expiry:
    """When articles expire: after the window, and up to two time slots later."""

    def __init__(self, window: timedelta | None) -> None:
        self.window = None if window is None else window // MICROSECOND
        self.slot = max((self.window or 0) // SLOTS, SHORTEST_SLOT)

    @property
    def milliseconds(self) -> int:
        """The time to live of a key written now; 0: no expiry."""
        return 0 if self.window is None else (self.window + 4 * self.slot) // 1000 + 1

    def is_expired(self, slot: int, now: int) -> bool:
        """Whether the articles of a time slot have expired."""
        return self.window is not None and (slot + 2) * self.slot <= now - self.window

    def first(self, slots: dict[int, int], now: int, last: int) -> int:
        """The first sequence number that has not expired."""
        if self.window is None:
            return 1
        current = (n for slot, n in slots.items() if not self.is_expired(slot, now))
        return min(current, default=last + 1)
