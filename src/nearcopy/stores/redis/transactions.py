"""Transactions: how a worker keeps up with others, and reads and writes atomically."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from copy import copy
from itertools import count
from os import urandom

from nearcopy.config import Recipe
from nearcopy.errors import NearcopyError, StoreError, TransientStoreError
from nearcopy.stores.record_format import Compressor
from nearcopy.stores.redis import article_headers
from nearcopy.stores.redis.article_headers import (
    ArticleHeaders,
    Expiry,
    pack_headers,
    unpack_headers,
    unpack_page,
)
from nearcopy.stores.redis.binary_format import (
    PIECES,
    LogEntry,
    Name,
    field_name,
    pack_request,
    unpack_answer,
    unpack_hash,
)
from nearcopy.stores.redis.connection import Connection, Snapshot
from nearcopy.stores.redis.fingerprint_codec import Texts
from nearcopy.stores.redis.record_cache import InternedStrings, Records
from nearcopy.stores.redis.window_cache import RedisWindow
from nearcopy.stores.retry import Backoff
from nearcopy.stores.window_files import user_folder

LOCK_SECONDS = 60.0  # to wait for other writers
FIRST_PAUSE, LONGEST_PAUSE = 0.0005, 0.02
LEASE_MILLISECONDS = 10_000  # after which the lock of a worker that died expires
CONFLICTS = 2  # failed reads in a row, after which a reader takes the lock
NEW_ROWS = 2048  # read together with a snapshot
PAGES_AT_ONCE = 256


class Session:
    """One worker's view of a store: what it holds in memory, and its transactions."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.records = Records(connection)
        self.headers = ArticleHeaders()
        folder = user_folder(connection.shown, connection.prefix.decode())
        self.window = RedisWindow(self.records, self.headers, folder, lambda: self._store_id)
        self.interned = InternedStrings(self.records)
        self.texts = Texts(self.records)
        self.compressor = Compressor()
        self.configure(Recipe(), "all", Expiry(None))
        self.worker_id = urandom(9).hex()
        self.lock_seconds = LOCK_SECONDS
        self._serials = count()
        self._store_id = b""
        self._conflicts = 0
        self._is_open = self.is_current = False
        self._reset()

    def configure(self, recipe: Recipe, keep: str, expiry: Expiry) -> None:
        """Apply the settings of the store."""
        self.recipe, self.keep, self.expiry = recipe, keep, expiry
        self.window.configure(recipe)
        self.connection.pieces = PIECES if keep == "sketches" else 1

    def _reset(self) -> None:
        """Forget everything that is in memory."""
        self._reset_records()
        self.headers.reset()
        self._reset_window()

    def _reset_records(self) -> None:
        self.records.reset()
        self.interned.reset()
        self.texts.begin()
        self._now = 0

    def _reset_window(self) -> None:
        self.window.reset()
        self.run: int | None = None  # the number of this run, once it has added an article

    # Catching up with other workers.

    def refresh(self) -> None:
        """Catch up with other workers, once in a transaction."""
        if not self.is_current:
            self.read(())

    def numbers(self, ids: Collection[str]) -> dict[str, int]:
        """The sequence numbers of the articles that exist, after catching up."""
        self.refresh()
        return self.headers.numbers(ids)

    def read(self, names: Collection[Name]) -> list[bytes | None]:
        """Catch up with other workers and read records, in one call."""
        if not self._is_open:
            self.records.begin()
        snapshot = self._snapshot(names)
        if snapshot is None:
            raise StoreError(f"{self.connection.shown}: gave no answer")
        self._catch_up(snapshot)
        self.is_current = self._is_open
        return list(map(unpack_answer, names, snapshot.records))

    def _snapshot(self, names: Collection[Name], token: bytes = b"") -> Snapshot | None:
        return self.connection.read(
            self.records.position,
            pack_request(names),
            new_rows=0 if self.window.cache.is_empty else NEW_ROWS,
            token=token,
            lease=LEASE_MILLISECONDS,
        )

    def _catch_up(self, snapshot: Snapshot) -> None:
        """Apply what other workers changed since the last snapshot."""
        if self._store_id and snapshot.store_id != self._store_id:
            self._reset()
            raise StoreError(
                f"{self.connection.shown}: the server has lost the store or was given another: "
                "see that it keeps its data (appendonly yes), and open the store again"
            )
        self._store_id, self._now = snapshot.store_id, snapshot.now
        try:
            if snapshot.continues:
                self._apply_log(snapshot)
            else:
                self._reload_headers(snapshot)
            self.headers.expire(self._first_number(snapshot))
        except BaseException:  # memory may be updated in part
            self._reset()
            raise
        self.headers.mark()
        self.records.names_read.clear()

    def _apply_log(self, snapshot: Snapshot) -> None:
        first = self.records.position.number + 1
        for entry in map(LogEntry.unpack, snapshot.log):
            self.records.invalidate(entry.names)
            self.headers.add(unpack_headers(entry.headers) if entry.headers else ())
            self.headers.remove(entry.removed)
        self.records.position = snapshot.position
        self._index_from(first, dict(enumerate(snapshot.rows, start=first)))

    def _index_from(self, first: int, rows: dict[int, bytes | None]) -> None:
        """Index the articles from a sequence number on, of which some rows are given."""
        if not self.window.cache.is_empty:
            missing = [n for n in range(first, self.headers.last + 1) if n not in rows]
            for start in range(0, len(missing), NEW_ROWS):
                rows |= self.window.read_rows(missing[start : start + NEW_ROWS])
            self.window.add_rows(rows)

    def _reload_headers(self, snapshot: Snapshot) -> None:
        """Read all headers; the window cache stays where sequence numbers are still the same."""
        before = copy(self.headers)
        self._reset_records()
        self._now, self.records.position = snapshot.now, snapshot.position
        last, size = snapshot.position.number, article_headers.PAGE
        first = self._first_number(snapshot)
        self.headers.reset(first)
        for start in range(first // size, last // size + 1, PAGES_AT_ONCE):
            pages = range(start, min(start + PAGES_AT_ONCE, last // size + 1))
            records = self.records.fetch([b"ah:%d" % page for page in pages])
            for page, packed in zip(pages, records.values(), strict=True):
                headers, offset = unpack_page(unpack_hash(packed)), page * size
                self.headers.add(headers[max(0, first - offset) : max(0, last + 1 - offset)])
        if not self.window.cache.is_empty and before.continue_in(self.headers):
            self._index_from(before.last + 1, {})
        else:
            self._reset_window()

    def _first_number(self, snapshot: Snapshot) -> int:
        """The first sequence number that has not expired."""
        last = self.headers.last if snapshot.continues else snapshot.position.number
        return self.expiry.first(self._slots(), snapshot.now, last)

    def _slots(self) -> dict[int, int]:
        """The first sequence number of each time slot."""
        if self.expiry.window is None:
            return {}
        slots = unpack_hash(self.records.get_one(b"aslots"))
        return {int(slot): int(number) for slot, number in slots.items()}

    # Transactions.

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All reads inside see one consistent state, or TransientStoreError is raised."""
        self._begin()
        try:
            if self._conflicts >= CONFLICTS:
                self._lock()
            yield
            self._conflicts = 0
        except TransientStoreError:
            self._conflicts += 1
            raise
        except NearcopyError:
            raise
        except BaseException:  # an interrupt may leave memory updated in part
            self._reset()
            raise
        finally:
            self._end()
        self._save_window()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All reads and writes inside are committed or rolled back as a whole."""
        self._begin()
        self.headers.mark()  # without the lock there is nothing to roll back
        try:
            self._lock()
            self.headers.mark()
            yield
            self._commit()
        except Exception:
            self._roll_back()
            raise
        except BaseException:
            self._reset()
            raise
        finally:
            self._end()
        self._save_window()

    def _save_window(self) -> None:
        """Save the window if it is due, now that all of it is committed."""
        if self.window.is_save_due:
            with suppress(StoreError), self.snapshot():
                self.refresh()
                self.window.save_if_due()

    def _begin(self) -> None:
        self.records.begin()
        self._is_open, self.is_current = True, False

    def _end(self) -> None:
        self._is_open = self.is_current = False
        token, self.records.token = self.records.token, b""
        self.texts.begin()
        self.records.begin()
        if token:
            with suppress(StoreError):  # else the lock expires
                self.connection.release(token)

    def _roll_back(self) -> None:
        self.window.roll_back()
        self.headers.roll_back()
        self.interned.reset()
        self.run = None

    def _lock(self) -> None:
        """Wait for the lock, and catch up with those who held it."""
        token = f"{self.worker_id}{next(self._serials):x}".encode()
        backoff = Backoff(self.lock_seconds, FIRST_PAUSE, LONGEST_PAUSE)
        while (snapshot := self._snapshot((), token)) is None:
            if backoff.expired:
                raise StoreError(
                    f"{self.connection.shown}: others have been writing for "
                    f"{self.lock_seconds:.0f} s: let them finish, or use larger batches"
                )
            backoff.sleep()
        self.records.token, self.records.lease = token, LEASE_MILLISECONDS
        self._catch_up(snapshot)
        self.is_current = True

    def _commit(self) -> None:
        added = [self.headers.get(number) for number in self.headers.added()]
        removed = self.headers.removed()
        if not (added or removed or self.records.is_changed):
            return
        if self.keep == "all":
            self.texts.flush(self.headers.id)
        self._write_headers(removed)
        if added:
            self._write_slots(self.headers.added()[0])
        packed = pack_headers(added) if added else b""
        try:
            self.records.commit(self.headers.last, packed, removed, self.expiry.milliseconds)
        except TransientStoreError:
            raise
        except BaseException:  # the outcome is unknown
            self._reset()
            raise
        self.records.token = b""

    def _write_headers(self, removed: list[int]) -> None:
        """Rewrite pages of headers that are full or lost some; append to the last one."""
        added, last, size = self.headers.added(), self.headers.last, article_headers.PAGE
        full = {number // size for number in added if number % size == size - 1}
        rewritten = full | {number // size for number in removed}
        for page in rewritten:
            headers = self.headers.page(page)
            empty = page < last // size and not any(header.id for header in headers)
            self.records.rewrite(b"h:%d" % page, {} if empty else {"0": pack_headers(headers)})
        if added and last // size not in rewritten:
            start = max(added[0], last // size * size)
            packed = pack_headers([self.headers.get(n) for n in range(start, last + 1)])
            self.records.write(b"hh:%d\n%d" % (last // size, start % size), packed)

    def _write_slots(self, first: int) -> None:
        """Note the first sequence number of the current time slot, and delete expired slots."""
        if self.expiry.window is None:
            return
        slots, slot = self._slots(), self._now // self.expiry.slot
        if slot not in slots:
            self.records.write(field_name("slots", slot), b"%d" % first)
            for old in slots:
                if self.expiry.is_expired(old, self._now):
                    self.records.write(field_name("slots", old), None)
