"""Heads: of every article in a Redis store its id, source, times and run, in each worker's memory.

So an id is known or not without asking, and the days to look at are found. Numbers ascend and are
never used again; an empty id is of an article that is gone.
"""

import json
from array import array
from collections.abc import Collection, Iterable, Iterator
from struct import Struct

import numpy as np
from zstandard import ZstdCompressor, ZstdDecompressor

from nearcopy.match.candidate_index import DAY, NEVER, UNDATED, Numbers, shelf_of
from nearcopy.stores.redis.fingerprint_codec import Head

PAGE = 256  # heads that are kept together
LEVEL = 3
COUNT = Struct("<I")


def frame(heads: Collection[Head]) -> bytes:
    """Some heads that follow each other, compressed."""
    named = [[head.id for head in heads], [head.source for head in heads]]
    plain = json.dumps(named, separators=(",", ":"), ensure_ascii=False)
    times = [(_or_never(head.published), _or_never(head.seen), head.run) for head in heads]
    columns = np.array(times, "<i8").reshape(-1, 3).T
    steps = np.diff(columns, axis=1, prepend=np.int64(0)).astype("<i8")
    packed = COUNT.pack(len(heads)) + steps.tobytes() + plain.encode("utf-8", "surrogatepass")
    return ZstdCompressor(level=LEVEL).compress(packed)


def heads_of(packed: bytes) -> list[Head]:
    """The heads again."""
    plain = ZstdDecompressor().decompress(packed)
    (count,) = COUNT.unpack_from(plain)
    end = COUNT.size + 3 * 8 * count
    columns = np.frombuffer(plain[COUNT.size : end], "<i8").reshape(3, -1).cumsum(axis=1)
    ids, sources = json.loads(plain[end:].decode("utf-8", "surrogatepass"))
    rows = zip(ids, sources, *columns.tolist(), strict=True)
    return [Head(n, source, _or_none(p), _or_none(seen), run) for n, source, p, seen, run in rows]


def frames_of(page: dict[bytes, bytes]) -> list[tuple[int, list[Head]]]:
    """The heads on a page by the place where each frame begins."""
    return [(int(place), heads_of(page[place])) for place in sorted(page, key=int)]


class Heads:
    """The heads of a store, from the first that has not expired."""

    def __init__(self, first: int = 1) -> None:
        self.first = first
        self._ids: list[str] = []
        self._sources: list[str | None] = []
        self._names: dict[str, str] = {}  # of sources, each held once
        self._published, self._seen, self._runs = array("q"), array("q"), array("q")
        self._numbers: dict[str, int] = {}
        self._mark = first - 1
        self.shelf_days: dict[int, set[int]] = {}  # shelves, by the days on which articles came
        self.all_shelves: set[int] = set()
        self._erased: list[tuple[int, str]] = []

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def last(self) -> int:
        """The highest number there is."""
        return self.first + len(self._ids) - 1

    def add(self, heads: Iterable[Head]) -> None:
        """Those that follow."""
        for head in heads:
            if head.id:
                self._numbers[head.id] = self.last + 1
            self._ids.append(head.id)
            source = head.source
            self._sources.append(source and self._names.setdefault(source, source))
            self._published.append(_or_never(head.published))
            self._seen.append(_or_never(head.seen))
            self._runs.append(head.run)
            shelf = shelf_of(head.published, head.seen)
            self.shelf_days.setdefault((head.seen or 0) // DAY, set()).add(shelf)
            self.all_shelves.add(shelf)

    def goes_on(self, later: "Heads") -> bool:
        """Whether these are what later heads were, but for what went and came since."""
        first, last = max(self.first, later.first), min(self.last, later.last)
        numbers = range(first, last + 1)
        return last == self.last and all(
            not later.name(n) or later.head(n) == self.head(n) for n in numbers if self.name(n)
        )

    def mark(self) -> None:
        """What comes from here on can be taken back."""
        self._mark, self._erased = self.last, []

    def back(self) -> None:
        """All is as it was at the mark."""
        kept = max(0, self._mark + 1 - self.first)
        for name in self._ids[kept:]:
            self._numbers.pop(name, None)
        columns = (self._ids, self._sources, self._published, self._seen, self._runs)
        for column in columns:
            del column[kept:]
        for number, name in reversed(self._erased):
            if number <= self._mark:
                self._ids[number - self.first] = name
                self._numbers[name] = number
        self._erased = []

    @property
    def marked(self) -> int:
        """The highest number at the mark."""
        return self._mark

    def erased(self) -> list[int]:
        """Those that were there at the mark and are gone."""
        return [number for number, _ in self._erased if number <= self._mark]

    def erase(self, numbers: Iterable[int]) -> None:
        """These are gone."""
        for number in numbers:
            if self.first <= number <= self.last and (name := self._ids[number - self.first]):
                self._ids[number - self.first] = ""
                self._erased.append((number, name))
                if self._numbers.get(name) == number:
                    del self._numbers[name]

    def expire(self, floor: int) -> None:
        """All below this number are gone."""
        count = min(floor - self.first, len(self._ids))
        if count <= 0:
            return
        for number, name in enumerate(self._ids[:count], start=self.first):
            if name and self._numbers.get(name) == number:
                del self._numbers[name]
        for column in (self._ids, self._sources, self._published, self._seen, self._runs):
            del column[:count]
        self.first += count

    def number(self, name: str) -> int | None:
        """The number of an article; None where it is not there."""
        return self._numbers.get(name)

    def numbers(self, names: Collection[str]) -> dict[str, int]:
        """The numbers of those that are there."""
        return {name: self._numbers[name] for name in names if name in self._numbers}

    def name(self, number: int) -> str:
        """The id of an article; empty where it is not there."""
        place = number - self.first
        return self._ids[place] if 0 <= place < len(self._ids) else ""

    def head(self, number: int) -> Head:
        """The head of an article that is there."""
        at = number - self.first
        return Head(
            self._ids[at],
            self._sources[at],
            _or_none(self._published[at]),
            _or_none(self._seen[at]),
            self._runs[at],
        )

    def run(self, number: int) -> int:
        """The run in which an article first came."""
        return self._runs[number - self.first]

    def names(self) -> Iterator[str]:
        """All that are there, in the order they came."""
        return filter(None, list(self._ids))

    def page(self, page: int) -> list[Head]:
        """The heads of a page as they are now, whether gone or not; those before are gone."""
        start = page * PAGE
        missing = Head("", None, None, None, 0)
        numbers = range(start, min(start + PAGE, self.last + 1))
        return [self.head(n) if n >= self.first else missing for n in numbers]

    # All at once, in columns: places count from `first`.

    def there(self) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        """Whether each is there."""
        return np.fromiter(map(bool, self._ids), np.bool_, len(self._ids))

    def shelves(self) -> Numbers:
        """The shelf that each stands on."""
        published, seen = self.published(), self.seen()
        days = np.where(seen == NEVER, 0, seen) // DAY
        return np.where(published == NEVER, UNDATED + days, published // DAY)

    def standing_on(self, shelves: Collection[int]) -> list[int]:
        """The numbers of those that are there and stand on one of these shelves."""
        places = np.flatnonzero(np.isin(self.shelves(), list(shelves))).tolist()
        return [self.first + place for place in places if self._ids[place]]

    def published(self) -> Numbers:
        """When each was published."""
        return np.array(self._published, np.int64)

    def seen(self) -> Numbers:
        """When each came in."""
        return np.array(self._seen, np.int64)

    def sources(self) -> list[str | None]:
        """The source of each."""
        return self._sources


def _or_never(time: int | None) -> int:
    return NEVER if time is None else time


def _or_none(time: int) -> int | None:
    return None if time == NEVER else time
