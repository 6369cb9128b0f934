"""Steps: how a worker reads and writes in a Redis store so that nobody comes between."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from random import uniform
from time import monotonic, sleep

from nearcopy.errors import NearcopyError, StoreError, TryAgain
from nearcopy.stores.redis import article_headers as redis_heads
from nearcopy.stores.redis import window_cache as redis_looking
from nearcopy.stores.redis.article_headers import frame
from nearcopy.stores.redis.connection import Link
from nearcopy.stores.redis.records import field
from nearcopy.stores.redis.window_cache import RedisLooking

WAIT_SECONDS = 60.0  # for others that write
FIRST_PAUSE, LONGEST_PAUSE = 0.0005, 0.02
UNLUCKY = 2  # times that others came between reading: then it takes the lock too


class RedisSteps(RedisLooking):
    """The part of the store that knows of steps."""

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self._wait = WAIT_SECONDS

    @contextmanager
    def reading(self) -> Iterator[None]:
        """What is read inside is of one moment, or TryAgain is raised."""
        self._begin()
        try:
            if self._unlucky >= UNLUCKY:
                self._lock()
            yield
            self._unlucky = 0
        except TryAgain:
            self._unlucky += 1
            raise
        except NearcopyError:
            raise
        except BaseException:  # an interrupt may have come while something was put into memory
            self._forget_memory()
            raise
        finally:
            self._end()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """What is read and written inside is one step."""
        self._begin()
        self._heads.mark()  # who never gets the lock has nothing to take back
        try:
            self._lock()
            self._heads.mark()
            yield
            self._commit()
        except Exception:
            self._back()
            raise
        except BaseException:
            self._forget_memory()
            raise
        finally:
            self._end()

    def _begin(self) -> None:
        self._records.begin_step()
        self._inside, self._looked = True, False

    def _end(self) -> None:
        self._inside = self._looked = False
        token, self._records.token = self._records.token, b""
        self._texts.begin_step()
        self._said_now, self._acts_now = {}, {}
        self._records.begin_step()
        if token:
            with suppress(StoreError):  # else it ends with its lease
                self._link.leave(token)

    def _back(self) -> None:
        """All is in memory as it was before the step."""
        self._index.shelves.remove(range(self._heads.marked + 1, self._heads.last + 1))
        self._heads.back()
        self._kinds.forget()
        self._run = None
        for number in [n for n in self._fingerprints if n > self._heads.last]:
            del self._fingerprints[number]

    def _lock(self) -> None:
        """Wait for the lock, and catch up with those who had it."""
        token = f"{self._worker}{next(self._serials):x}".encode()
        end, pause = monotonic() + self._wait, FIRST_PAUSE
        while (seen := self._seen((), token)) is None:
            if monotonic() >= end:
                raise StoreError(
                    f"{self._link.shown}: others have been writing for {self._wait:.0f} s: "
                    "let them finish, or take larger batches"
                )
            sleep(uniform(pause / 2, pause))  # noqa: S311
            pause = min(2 * pause, LONGEST_PAUSE)
        self._records.token, self._records.lease = token, redis_looking.LEASE_MILLISECONDS
        self._absorb(seen)
        self._looked = True

    def _commit(self) -> None:
        new = [self._heads.head(n) for n in range(self._heads.marked + 1, self._heads.last + 1)]
        removed = self._heads.erased()
        if not (new or removed or self._records.changed):
            return
        if self._keep == "all":
            self._texts.write(self._heads.name)
        self._write_heads(removed)
        if new:
            self._write_slots(self._heads.marked + 1)
        try:
            expiry = self._expiry.milliseconds
            self._records.commit(self._heads.last, frame(new) if new else b"", removed, expiry)
        except TryAgain:
            raise
        except BaseException:  # whether it was done is not known
            self._forget_memory()
            raise
        self._records.token = b""

    def _write_heads(self, removed: list[int]) -> None:
        """A page is written anew when it is full or has lost some; else something is added."""
        first, last, size = self._heads.marked + 1, self._heads.last, redis_heads.PAGE
        full = {n // size for n in range(first, last + 1) if n % size == size - 1}
        rewritten = full | {n // size for n in removed}
        for page in rewritten:
            heads = self._heads.page(page)
            empty = page < last // size and not any(head.id for head in heads)
            self._records.rewrite(b"h:%d" % page, {} if empty else {"0": frame(heads)})
        if last >= first and last // size not in rewritten:
            start = max(first, last // size * size)
            added = frame([self._heads.head(n) for n in range(start, last + 1)])
            self._records.put(b"hh:%d\n%d" % (last // size, start % size), added)

    def _write_slots(self, first: int) -> None:
        """Take note of when these came."""
        if self._expiry.window is None:
            return
        slots, slot = self._slots(), self._now // self._expiry.slot
        if slot not in slots:
            self._records.put(field("slots", slot), b"%d" % first)
            for old in slots:
                if self._expiry.stale(old, self._now):
                    self._records.put(field("slots", old), None)
