"""Records of a Redis store as one worker reads and writes them in transactions.

A record that was read stays cached until the log says that it changed.
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, Generic, TypeVar

from nearcopy.errors import TransientStoreError
from nearcopy.stores.record_format import Reader, Writer
from nearcopy.stores.redis.binary_format import (
    LogEntry,
    Name,
    batch_operations,
    field_name,
    key_of,
    pack_request,
    pack_strings,
    pack_write,
    unpack_answer,
    unpack_hash,
)
from nearcopy.stores.redis.connection import Connection, Position, Snapshot

CACHED_BYTES = 64 << 20
OVERHEAD = 200  # bytes of a cached record beside its name and value
BATCH = 4096  # records requested in one call
WHOLE_HASH_FIELDS = 16  # of 64: from so many requested fields on, the whole hash is read
LISTED_NAMES = 20_000  # in a log entry; a larger transaction is logged as EVERYTHING
EVERYTHING = b"*"
# Always read whole, like texts.
WHOLE_HASHES = {b"slots", b"kinds", b"feedback", b"actions", b"times"}
PERSISTENT = {b"meta", b"terms", *WHOLE_HASHES}  # keys that do not expire
INTERNED = 4096  # the most values that are stored once; further ones are stored in each record
Value = TypeVar("Value")
Interned = tuple[Any, ...]


class Records:
    """The records of one store: the cache of them, and the writes of the transaction."""

    token = b""  # of the transaction that holds the lock
    lease = 0  # milliseconds until its lock expires

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.reset()

    def reset(self) -> None:
        """Empty the cache, and begin a transaction."""
        self.position = Position()
        self._cache: OrderedDict[Name, bytes | None] = OrderedDict()
        self._cached_bytes = 0
        self.begin()

    def begin(self) -> None:
        """Begin a transaction: nothing read, nothing written."""
        self._writes: dict[Name, bytes | None] = {}
        self._hash_writes: dict[str, dict[bytes, bytes | None]] = {}  # of WHOLE_HASHES
        self._rewritten: dict[bytes, dict[str, bytes]] = {}  # whole hashes, by key
        self._increments: dict[tuple[bytes, bytes], int] = {}
        self.names_read: set[Name] = set()

    @property
    def is_changed(self) -> bool:
        """Whether the transaction has written anything."""
        return bool(self._writes or self._rewritten or self._increments)

    # Reading.

    def get(self, names: Collection[Name]) -> dict[Name, bytes | None]:
        """The records, with the writes of the transaction."""
        records: dict[Name, bytes | None] = {}
        missing = []
        for name in names:
            if name in self._writes:
                records[name] = self._writes[name]
            elif name in self._cache:
                records[name] = self._cache[name]
                self._cache.move_to_end(name)
            else:
                missing.append(name)
        self.names_read.update(names)
        if missing:
            fetched = self.fetch(missing)
            self.cache(fetched)
            records |= fetched
        return records

    def get_one(self, name: Name) -> bytes | None:
        """One record."""
        return self.get([name])[name]

    def fetch(self, names: Collection[Name]) -> dict[Name, bytes | None]:
        """The records as they are stored, past the cache."""
        by_hash = _group_by_hash(names)
        single = set(names).difference(*by_hash.values())
        request = [*(name for name in names if name in single), *(b"a" + key for key in by_hash)]
        records: dict[Name, bytes | None] = {}
        for start in range(0, len(request), BATCH):
            batch = request[start : start + BATCH]
            records |= zip(batch, map(unpack_answer, batch, self._request(batch)), strict=True)
        for key, fields in by_hash.items():
            whole = unpack_hash(records.pop(b"a" + key))
            records |= {name: whole.get(name.partition(b"\n")[2]) for name in fields}
        return records

    def scan(self, table: str) -> list[Name]:
        """The names of all records in a table whose keys are texts. It scans every key."""
        start = f"{table}:".encode()
        written = (name for name in self._writes if name.startswith(b"g" + start))
        return list(dict.fromkeys([*(b"g" + key for key in self.connection.scan(start)), *written]))

    def _request(self, names: list[Name]) -> list[Any]:
        snapshot = self.connection.read(
            self.position, pack_request(names), token=self.token, lease=self.lease
        )
        if snapshot is None:
            raise TransientStoreError(
                f"{self.connection.shown}: the lock of a long transaction expired"
            )
        self._check_unchanged(snapshot)
        return snapshot.records

    def _check_unchanged(self, snapshot: Snapshot) -> None:
        """Raises TransientStoreError where a record that was read has changed since."""
        if snapshot.position.version == self.position.version:
            return
        log = map(LogEntry.unpack, snapshot.log) if snapshot.continues else ()
        changed = {name for entry in log for name in entry.names}
        conflict = changed & self.names_read or EVERYTHING in changed
        if self.token or not snapshot.continues or conflict:
            raise TransientStoreError(
                f"{self.connection.shown}: others changed what a transaction had read"
            )

    def is_cached(self, name: Name) -> bool:
        """Whether the record can be had without a call to the server."""
        return name in self._cache or name in self._writes

    def cache(self, records: dict[Name, bytes | None]) -> None:
        """Cache these, and evict the least recently used."""
        for name, value in records.items():
            self._evict(name)
            self._cache[name] = value
            self._cached_bytes += _size(name, value)
        while self._cached_bytes > CACHED_BYTES:
            name, value = self._cache.popitem(last=False)
            self._cached_bytes -= _size(name, value)

    def invalidate(self, names: Iterable[Name]) -> None:
        """Evict records that were changed."""
        for name in names:
            if name == EVERYTHING:
                self._cache.clear()
                self._cached_bytes = 0
            self._evict(name)

    def _evict(self, name: Name) -> None:
        if name in self._cache:
            self._cached_bytes -= _size(name, self._cache.pop(name))

    # Writing.

    def write(self, name: Name, value: bytes | None) -> None:
        """Write a record at the end of the transaction; None deletes it."""
        self._writes[name] = value

    def write_field(self, key: str, field: str, value: bytes | None) -> None:
        """The same for a field of a hash that is read whole."""
        self.write(field_name(key, field), value)
        self._hash_writes.setdefault(key, {})[field.encode()] = value

    def rewrite(self, key: bytes, fields: dict[str, bytes]) -> None:
        """Replace a whole hash at the end of the transaction; without fields it is deleted."""
        self._rewritten[key] = fields

    def delete_hash(self, key: bytes, names: Iterable[Name]) -> None:
        """Delete a whole hash, of which these are the records, at the end of the transaction."""
        self.rewrite(key, {})
        for name in names:
            self._writes.pop(name, None)

    def increment(self, key: bytes, field: bytes, count: int) -> None:
        """Add to a number in a hash at the end of the transaction."""
        self._increments[key, field] = self._increments.get((key, field), 0) + count

    def pending(self, name: Name) -> bytes | None:
        """The value that the transaction writes, if any."""
        return self._writes.get(name)

    def pending_fields(self, key: str) -> dict[bytes, bytes | None]:
        """The fields that the transaction writes to a hash that is read whole."""
        return self._hash_writes.get(key, {})

    def increments(self, key: bytes) -> dict[bytes, int]:
        """What the transaction adds to the numbers in a hash."""
        return {field: count for (of, field), count in self._increments.items() if of == key}

    def commit(self, number: int, headers: bytes, removed: list[int], expiry: int) -> None:
        """Write everything atomically, or raise TransientStoreError."""
        names = sorted(self._changed_names())
        listed = names if len(names) <= LISTED_NAMES else [EVERYTHING]
        parts = list(batch_operations(self._operations()))
        for place, part in enumerate(parts[:-1]):
            self.connection.stage(self.token, place, part)
        is_applied = self.connection.commit(
            self.token,
            self.position.version,
            number,
            expiry=expiry,
            entry=LogEntry(self.token, headers, removed, listed).pack(),
            operations=parts[-1],
        )
        if not is_applied:
            raise TransientStoreError(
                f"{self.connection.shown}: others committed before a transaction did"
            )
        self.position = Position(self.position.version + 1, self.token, number)
        self.invalidate(names)
        self.cache({name: v for name, v in self._writes.items() if _is_read_by_name(name)})

    def _changed_names(self) -> set[Name]:
        """The records that other workers must evict. New rows are in no cache."""
        names = {name for name in self._writes if name[:1] != b"r"}
        keys = {key_of(name) for name in names if name[:1] == b"h"}
        keys |= {*self._rewritten, *(key for key, _ in self._increments)}
        return names | {b"a" + key for key in keys if key in WHOLE_HASHES or key[:2] == b"t:"}

    def _operations(self) -> Iterator[bytes]:
        keys: set[bytes] = set()
        for key, fields in self._rewritten.items():
            yield pack_strings([b"x", key])
            for field, value in fields.items():
                yield pack_strings([b"h", key, field.encode(), value])
            keys |= {key} if fields else set()
        for name, written in self._writes.items():
            key, operations = pack_write(name, written, self.connection.pieces)
            keys |= {key} if written is not None else set()
            yield from operations
        for (key, counter), count in self._increments.items():
            yield pack_strings([b"i", key, counter, b"%d" % count])
        yield from (pack_strings([b"t", key]) for key in keys - PERSISTENT)


def _group_by_hash(names: Iterable[Name]) -> dict[bytes, list[Name]]:
    """The names by their hash, where they are so many that the hash is read whole."""
    by_key: dict[bytes, list[Name]] = {}
    for name in names:
        if name[:3] in (b"he:", b"hm:"):
            by_key.setdefault(key_of(name), []).append(name)
    return {key: fields for key, fields in by_key.items() if len(fields) >= WHOLE_HASH_FIELDS}


def _is_read_by_name(name: Name) -> bool:
    """Whether a record is read by this name, and not as part of a whole hash."""
    return name[:1] == b"g" or name[:3] in (b"hm:", b"he:") or name[:5] == b"hmeta"


def _size(name: Name, value: bytes | None) -> int:
    return OVERHEAD + len(name) + len(value or b"")


class DecodedHash(Generic[Value]):
    """A small hash that is read whole, and decoded once for each version of it."""

    def __init__(self, records: Records, key: str, decode: Callable[[bytes], Value]) -> None:
        self._records, self._key, self._decode = records, key, decode
        self._packed: bytes | None = None
        self._values: dict[bytes, Value] = {}

    def read(self) -> dict[bytes, Value]:
        """The decoded fields, with the writes of the transaction. They must not be changed."""
        packed = self._records.get_one(b"a" + self._key.encode())
        if packed is not self._packed:
            fields = unpack_hash(packed).items()
            self._packed, self._values = packed, {name: self._decode(v) for name, v in fields}
        written = self._records.pending_fields(self._key)
        if not written:
            return self._values
        new = {name: self._decode(value) for name, value in written.items() if value is not None}
        merged = self._values | new
        return {name: value for name, value in merged.items() if written.get(name, b"") is not None}

    def write(self, field: str, value: bytes | None) -> None:
        """Write a field at the end of the transaction; None deletes it."""
        self._records.write_field(self._key, field, value)


class InternedStrings:
    """Tuples that many records contain, stored once and referred to by number; 0 is not stored."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self.reset()

    def reset(self) -> None:
        """Empty the cache."""
        self._packed: bytes | None = None
        self._values: dict[int, Interned] = {}
        self._numbers: dict[Interned, int] = {}

    def _refresh(self) -> None:
        packed = self._records.get_one(b"akinds")
        if packed is not self._packed:
            stored = {int(number): _decode(value) for number, value in unpack_hash(packed).items()}
            new = {n: value for n, value in self._values.items() if n not in stored}
            self._packed, self._values = packed, stored | new
            self._numbers = {value: number for number, value in self._values.items()}

    def write(self, value: Interned, out: Writer) -> None:
        """Write the number of a value, and the value itself where it gets none."""
        number = self._numbers.get(value)
        if number is None:
            self._refresh()
            number = self._numbers.get(value) or self._add(value)
        out.number(number)
        if not number:
            out.string(_encode(value))

    def _add(self, value: Interned) -> int:
        if len(self._values) >= INTERNED:
            return 0
        number = len(self._values) + 1
        self._records.write(field_name("kinds", number), _encode(value))
        self._values[number], self._numbers[value] = value, number
        return number

    def read(self, packed: Reader) -> Interned:
        """The value that was written."""
        number = packed.number()
        if not number:
            return _decode(packed.string())
        if number not in self._values:
            self._refresh()
        return self._values[number]


def _encode(value: Interned) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _decode(plain: bytes) -> Interned:
    return tuple(tuple(e) if isinstance(e, list) else e for e in json.loads(plain))
