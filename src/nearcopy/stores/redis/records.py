"""Records: what a Redis store holds, by name, as one worker sees and changes it in steps.

A name says how a record is read: `g` a string, `h` a field of a hash, `a` a hash as a whole, `r`
the row of a number. What was read stays in memory until the log says that it changed.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

from nearcopy.errors import StoreError, TryAgain
from nearcopy.stores.redis.binary_format import pairs_of, strings, strings_of
from nearcopy.stores.redis.commands import Name, applied, in_parts, request
from nearcopy.stores.redis.connection import Known, Link, Seen, joined
from nearcopy.stores.redis.lua_scripts import ROWS

CACHED_BYTES = 64 << 20
OVERHEAD = 200  # bytes of a record in memory beside its value
AT_ONCE = 4096  # records asked for in one call
MANY = 16  # fields of a hash of 64, from which on it is read as a whole
ROWS_AT_ONCE = 2048  # new ones that come with a look
MOST_LISTED = 20_000  # names of what a step changed; of a larger one the log says EVERYTHING
EVERYTHING = b"*"
WHOLE = {b"slots", b"kinds", b"told", b"acts", b"times"}  # hashes read as a whole, as texts are
LASTING = {b"meta", b"terms", *WHOLE}  # keys that do not expire


def field(key: str, name: object) -> Name:
    """The name of a field of a hash."""
    return f"h{key}\n{name}".encode()


def numbered(table: str, number: int) -> Name:
    """The name of what a table has for an article."""
    return b"h%s:%d\n%d" % (table.encode(), number // ROWS, number % ROWS)


def string(table: str, name: str) -> Name:
    """The name of what a table has under a text."""
    return f"g{table}:{name}".encode("utf-8", "surrogatepass")


def string_name(name: Name) -> str:
    """The text that a table has something under."""
    return name.partition(b":")[2].decode("utf-8", "surrogatepass")


def row_name(number: int) -> Name:
    """The name of the row of an article."""
    return b"r%d" % number


class Change(NamedTuple):
    """What one step of anybody changed."""

    token: bytes
    heads: bytes  # a frame of those that were added
    gone: list[int]
    names: list[Name]

    def packed(self) -> bytes:
        """As it stands in the log."""
        return strings([self.token, self.heads, runs(self.gone), *self.names])

    @classmethod
    def of(cls, packed: bytes) -> "Change":
        """The same again."""
        token, heads, removed, *names = (part or b"" for part in strings_of(packed))
        return cls(token, heads, runs_of(removed), names)


def runs(numbers: Iterable[int]) -> bytes:
    """Numbers in few bytes where many of them follow each other, as those of a purge do.

    >>> runs([4, 1, 2, 3, 9])
    b'1-4,9'
    """
    ends: list[list[int]] = []
    for number in sorted(numbers):
        if ends and number == ends[-1][1] + 1:
            ends[-1][1] = number
        else:
            ends.append([number, number])
    return b",".join(b"%d" % a if a == b else b"%d-%d" % (a, b) for a, b in ends)


def runs_of(packed: bytes) -> list[int]:
    """The numbers again.

    >>> runs_of(b"1-4,9"), runs_of(b"")
    ([1, 2, 3, 4, 9], [])
    """
    numbers: list[int] = []
    for run in packed.split(b",") if packed else ():
        first, _, last = run.partition(b"-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


class Records:
    """The records of one store, what of them is in memory, and what a step has changed."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.forget()

    def forget(self) -> None:
        """Know nothing any more."""
        self.known = Known()
        self._cache: OrderedDict[Name, bytes | None] = OrderedDict()
        self._cached = 0
        self.begin_step()

    def begin_step(self) -> None:
        """Nothing is changed yet, and nothing read."""
        self._pending: dict[Name, bytes | None] = {}
        self._rewritten: dict[bytes, dict[str, bytes]] = {}  # hashes as a whole, by key
        self._added: dict[tuple[bytes, bytes], int] = {}
        self.read: set[Name] = set()

    @property
    def changed(self) -> bool:
        """Whether there is something to write."""
        return bool(self._pending or self._rewritten or self._added)

    # Reading.

    def get(self, names: Collection[Name]) -> dict[Name, bytes | None]:
        """The records, as the step has them."""
        records: dict[Name, bytes | None] = {}
        missing = []
        for name in names:
            if name in self._pending:
                records[name] = self._pending[name]
            elif name in self._cache:
                records[name] = self._cache[name]
                self._cache.move_to_end(name)
            else:
                missing.append(name)
        self.read.update(names)
        if missing:
            fetched = self.fetch(missing)
            self.remember(fetched)
            records |= fetched
        return records

    def one(self, name: Name) -> bytes | None:
        """One record."""
        return self.get([name])[name]

    def fetch(self, names: Collection[Name]) -> dict[Name, bytes | None]:
        """The records as they are in the store, not to be remembered."""
        together = _of_one_hash(names)
        wholes = [b"a" + key for key in together]
        alone = set(names).difference(*together.values())
        listed = [*(name for name in names if name in alone), *wholes]
        records: dict[Name, bytes | None] = {}
        for start in range(0, len(listed), AT_ONCE):
            batch = listed[start : start + AT_ONCE]
            records |= zip(batch, map(value, batch, self._ask(batch)), strict=True)
        for key, fields in together.items():
            read = pairs_of(records.pop(b"a" + key))
            records |= {name: read.get(name.partition(b"\n")[2]) for name in fields}
        return records

    def all_strings(self, table: str) -> list[Name]:
        """The names of all that a table has under texts. The server looks at every key for it."""
        start = f"{table}:".encode()
        mine = (name for name in self._pending if name.startswith(b"g" + start))
        return list(dict.fromkeys([*(b"g" + key for key in self.link.names(start)), *mine]))

    def _ask(self, names: list[Name]) -> list[Any]:
        seen = self.link.look(self.known, request(names), token=self.token, lease=self.lease)
        if seen is None:
            raise TryAgain(f"{self.link.shown}: another took the lock of a step that took long")
        self._check(seen)
        return seen.found

    token = b""  # of the step that writes, which has the lock
    lease = 0  # milliseconds that it has it for

    def _check(self, seen: Seen) -> None:
        """Nothing that the step has read may have changed since."""
        if seen.known.version == self.known.version:
            return
        changes = [Change.of(entry) for entry in seen.log] if seen.follows else []
        touched = {name for change in changes for name in change.names}
        lost = touched & self.read or EVERYTHING in touched
        if self.token or not seen.follows or lost:
            raise TryAgain(f"{self.link.shown}: others changed what a step had read")

    def cached(self, name: Name) -> bool:
        """Whether the record is in memory."""
        return name in self._cache or name in self._pending

    def remember(self, records: dict[Name, bytes | None]) -> None:
        """Have these in memory, and not too many others."""
        for name, value in records.items():
            self._drop(name)
            self._cache[name] = value
            self._cached += _size(name, value)
        while self._cached > CACHED_BYTES:
            name, value = self._cache.popitem(last=False)
            self._cached -= _size(name, value)

    def drop(self, names: Iterable[Name]) -> None:
        """Others changed these."""
        for name in names:
            if name == EVERYTHING:
                self._cache.clear()
                self._cached = 0
            self._drop(name)

    def _drop(self, name: Name) -> None:
        if name in self._cache:
            self._cached -= _size(name, self._cache.pop(name))

    # Writing.

    def put(self, name: Name, value: bytes | None) -> None:
        """The value from the end of the step on; None: nothing."""
        self._pending[name] = value

    def rewrite(self, key: bytes, fields: dict[str, bytes]) -> None:
        """A hash has these fields and no others from the end of the step on."""
        self._rewritten[key] = fields

    def empty(self, key: bytes, names: Iterable[Name]) -> None:
        """A hash, of which these are the records, is gone from the end of the step on."""
        self.rewrite(key, {})
        for name in names:
            self._pending.pop(name, None)

    def add(self, key: bytes, name: bytes, count: int) -> None:
        """Add to a number in a hash at the end of the step."""
        self._added[key, name] = self._added.get((key, name), 0) + count

    def pending(self, name: Name) -> bytes | None:
        """What the step has put there, if anything."""
        return self._pending.get(name)

    def added(self, key: bytes) -> dict[bytes, int]:
        """What the step adds to the numbers in a hash."""
        return {name: count for (of, name), count in self._added.items() if of == key}

    def commit(self, number: int, heads: bytes, removed: list[int], expiry: int) -> None:
        """Write all of it, or raise TryAgain."""
        names = sorted(self._changed_names())
        listed = names if len(names) <= MOST_LISTED else [EVERYTHING]
        change = Change(self.token, heads, removed, listed)
        parts = list(in_parts(self._operations()))
        for place, part in enumerate(parts[:-1]):
            self.link.stage(self.token, place, part)
        done = self.link.commit(
            self.token,
            self.known.version,
            number,
            expiry=expiry,
            entry=change.packed(),
            operations=parts[-1],
        )
        if not done:
            raise TryAgain(f"{self.link.shown}: others came between a step and its end")
        self.known = Known(self.known.version + 1, self.token, number)
        self.drop(names)
        self.remember({name: v for name, v in self._pending.items() if _is_read(name)})

    def _changed_names(self) -> set[Name]:
        """What others have to drop; new rows they have not."""
        names = {name for name in self._pending if name[:1] != b"r"}
        keys = {name[1:].partition(b"\n")[0] for name in names if name[:1] == b"h"}
        keys |= {*self._rewritten, *(key for key, _ in self._added)}
        return names | {b"a" + key for key in keys if key in WHOLE or key[:2] == b"t:"}

    def _operations(self) -> Iterator[bytes]:
        keys: set[bytes] = set()
        for key, fields in self._rewritten.items():
            yield strings([b"x", key])
            for place, piece in fields.items():
                yield strings([b"h", key, place.encode(), piece])
            keys |= {key} if fields else set()
        for name, value in self._pending.items():
            key, *parts = applied(name, value, self.link.pieces)
            keys |= {key} if value is not None else set()
            yield from parts
        for (key, added), count in self._added.items():
            yield strings([b"i", key, added, b"%d" % count])
        yield from (strings([b"t", key]) for key in keys - LASTING)


def _of_one_hash(names: Iterable[Name]) -> dict[bytes, list[Name]]:
    """Those of which so many are of one hash that it is read as a whole, by its key."""
    by_key: dict[bytes, list[Name]] = {}
    for name in names:
        if name[:3] in (b"he:", b"hm:"):
            by_key.setdefault(name[1:].partition(b"\n")[0], []).append(name)
    return {key: fields for key, fields in by_key.items() if len(fields) >= MANY}


def value(name: Name, answer: Any) -> bytes | None:
    """A record as it is kept in memory, of what the server answered."""
    if name[:1] == b"r":
        return joined(answer)
    if name[:1] == b"a":
        return strings(answer) or None
    plain: bytes | None = answer
    return plain


def _is_read(name: Name) -> bool:
    """Whether a record is read by this name, and not as a part of something."""
    return name[:1] == b"g" or name[:3] in (b"hm:", b"he:") or name[:5] == b"hmeta"


def _size(name: Name, value: bytes | None) -> int:
    return OVERHEAD + len(name) + len(value or b"")


def lost(link: Link) -> StoreError:
    """What to say where a store is not what it was."""
    return StoreError(
        f"{link.shown}: the server has lost the store or was given another: "
        "see that it keeps its data (appendonly yes), and open the store again"
    )
