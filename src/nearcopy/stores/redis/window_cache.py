"""Looking: what a worker has in memory of a Redis store, and how it catches up with others."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator
from itertools import count
from os import urandom

from nearcopy.config import Recipe
from nearcopy.errors import StoreError
from nearcopy.fingerprint.blocking_keys import Keys, keys
from nearcopy.match.candidate_index import Filed, filed
from nearcopy.models import Fingerprint
from nearcopy.models.feedback import Feedback, StoryAction
from nearcopy.stores.redis import article_headers as redis_heads
from nearcopy.stores.redis.article_headers import Heads, frames_of, heads_of
from nearcopy.stores.redis.binary_format import Shrinking, pairs_of
from nearcopy.stores.redis.commands import Name, request
from nearcopy.stores.redis.connection import Link, Seen
from nearcopy.stores.redis.expiry import Expiry
from nearcopy.stores.redis.fingerprint_codec import Head, Rows, keys_in
from nearcopy.stores.redis.interned_strings import Kinds
from nearcopy.stores.redis.key_index import Index
from nearcopy.stores.redis.records import ROWS_AT_ONCE, Change, Records, lost, row_name, value
from nearcopy.stores.redis.text_codec import Texts

LEASE_MILLISECONDS = 10_000  # of the lock: a worker that died holds the others up no longer
REMEMBERED = 50_000  # fingerprints kept in memory, about 3 KB each
PAGES_AT_ONCE = 256
Pair = tuple[str, str]
NO_HEAD = Head("", None, None, None, 0)


class RedisLooking:
    """The part of the store that knows what is in memory."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._records = Records(link)
        self._born = b""
        self._expiry = Expiry(None)
        self._serials = count()
        self._worker = urandom(9).hex()
        self._small = Shrinking()
        self._kinds = Kinds(self._records)
        self._texts = Texts(self._records)
        self._recipe = Recipe()
        self._rows = Rows("")
        self._keep = "all"
        self._unlucky = 0
        self._inside = self._looked = False
        self._forget_memory()

    def _forget_memory(self) -> None:
        self._records.forget()
        self._kinds.forget()
        self._texts.begin_step()
        self._heads = Heads()
        self._index = Index()
        self._fingerprints: OrderedDict[int, Fingerprint] = OrderedDict()
        self._run: int | None = None
        self._said_read: bytes | None = None
        self._said: dict[Pair, Feedback] = {}
        self._said_now: dict[Pair, Feedback | None] = {}  # by the step
        self._acts_read: bytes | None = None
        self._acts: dict[int, StoryAction] = {}
        self._acts_now: dict[int, StoryAction] = {}  # by the step
        self._now = 0

    # Looking.

    def _fresh(self) -> None:
        """Have caught up with others, once in a step."""
        if not self._looked:
            self._look(())

    def _look(self, names: Collection[Name]) -> list[bytes | None]:
        """Catch up with others; what was wanted, all of one moment."""
        if not self._inside:
            self._records.begin_step()
        seen = self._seen(names)
        if seen is None:
            raise StoreError(f"{self._link.shown}: gave no answer")
        self._absorb(seen)
        self._looked = self._inside
        return list(map(value, names, seen.found))

    def _seen(self, names: Collection[Name], token: bytes = b"") -> Seen | None:
        most = ROWS_AT_ONCE if self._index.days else 0
        lease = LEASE_MILLISECONDS
        return self._link.look(
            self._records.known, request(names), most=most, token=token, lease=lease
        )

    def _absorb(self, seen: Seen) -> None:
        """Take note of what others did since the last look."""
        if self._born and seen.born != self._born:
            self._forget_memory()
            raise lost(self._link)
        self._born, self._now = seen.born, seen.now
        try:
            if seen.follows:
                self._follow(seen)
            else:
                self._read_heads(seen)
            self._heads.expire(self._expiry.first(self._slots(), seen.now, self._heads.last))
        except BaseException:  # what is known may be ahead of what is in memory
            self._forget_memory()
            raise
        self._heads.mark()
        self._records.read.clear()

    def _follow(self, seen: Seen) -> None:
        first = self._records.known.number + 1
        for change in map(Change.of, seen.log):
            self._records.drop(change.names)
            self._heads.add(heads_of(change.heads) if change.heads else ())
            self._heads.erase(change.gone)
        self._records.known = seen.known
        self._file_new(first, dict(enumerate(seen.rows, start=first)))

    def _file_new(self, first: int, rows: dict[int, bytes | None]) -> None:
        """File what came from a number on; some of the rows are at hand."""
        if self._index.days:
            missing = [n for n in range(first, self._heads.last + 1) if n not in rows]
            for start in range(0, len(missing), ROWS_AT_ONCE):
                rows |= self._rows_of(missing[start : start + ROWS_AT_ONCE])
            self._file(rows, self._index.file_new)

    def _read_heads(self, seen: Seen) -> None:
        """Begin anew; what stands on the shelves stays where numbers are still the same."""
        before, index, fingerprints = self._heads, self._index, self._fingerprints
        born, run = self._born, self._run
        self._forget_memory()
        self._born, self._now, self._records.known = born, seen.now, seen.known
        last, size = seen.known.number, redis_heads.PAGE
        self._heads = Heads(self._expiry.first(self._slots(), seen.now, last))
        for start in range(self._heads.first // size, last // size + 1, PAGES_AT_ONCE):
            pages = range(start, min(start + PAGES_AT_ONCE, last // size + 1))
            records = self._records.fetch([b"ah:%d" % page for page in pages])
            for page, packed in zip(pages, records.values(), strict=True):
                self._heads.add(self._on_page(page, packed, last))
        if index.days and before.goes_on(self._heads):
            self._index, self._fingerprints, self._run = index, fingerprints, run
            self._file_new(before.last + 1, {})

    def _on_page(self, page: int, packed: bytes | None, last: int) -> list[Head]:
        """The heads of a page from the first to the last; where there is none, it is gone."""
        start, size = page * redis_heads.PAGE, redis_heads.PAGE
        heads = [NO_HEAD] * size
        for place, headers in frames_of(pairs_of(packed)):
            heads[place : place + len(headers)] = headers
        return heads[max(0, self._heads.first - start) : max(0, last + 1 - start)]

    # Rows.

    def _rows_of(self, numbers: Collection[int]) -> dict[int, bytes | None]:
        """The rows of these numbers, those of the step among them."""
        names = {number: row_name(number) for number in numbers}
        pending = {n: self._records.pending(name) for n, name in names.items()}
        missing = [name for number, name in names.items() if pending[number] is None]
        records = self._records.fetch(missing)
        return {number: pending[number] or records[names[number]] for number in names}

    def _made(self, rows: dict[int, bytes | None]) -> dict[int, Fingerprint]:
        """The fingerprints of rows that are there."""
        present = {n: row for n, row in rows.items() if row is not None and self._heads.name(n)}
        listed = [(row, self._heads.head(number)) for number, row in present.items()]
        return dict(zip(present, self._rows.fingerprints(listed), strict=True))

    def _file(self, rows: dict[int, bytes | None], into: Callable[[list[Filed]], None]) -> None:
        """File articles by their rows."""
        entries = list(self._found_by(rows))
        self._remember({number: fingerprint for number, fingerprint, _ in entries})
        into([filed(number, fingerprint, own_keys) for number, fingerprint, own_keys in entries])

    def _found_by(self, rows: dict[int, bytes | None]) -> Iterator[tuple[int, Fingerprint, Keys]]:
        """Of those that are there, what they are compared and found by."""
        fingerprints = self._made(rows)
        derived = keys(list(fingerprints.values()), self._recipe)
        for (number, fingerprint), follows in zip(fingerprints.items(), derived, strict=True):
            own = keys_in(rows[number] or b"\0")
            yield number, fingerprint, follows if own is None else own

    def _remember(self, fingerprints: dict[int, Fingerprint]) -> None:
        self._fingerprints.update(fingerprints)
        while len(self._fingerprints) > REMEMBERED:
            self._fingerprints.popitem(last=False)

    def _slots(self) -> dict[int, int]:
        if self._expiry.window is None:
            return {}
        slots = pairs_of(self._records.one(b"aslots"))
        return {int(slot): int(number) for slot, number in slots.items()}
