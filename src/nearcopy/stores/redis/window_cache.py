"""The window cache of a Redis store, filled from rows and kept up to date by the session.

It is the source of the window that is kept on disk.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import chain
from pathlib import Path

from nearcopy.config import Recipe
from nearcopy.fingerprint.blocking_keys import VERSION, Keys, blocking_keys
from nearcopy.match.candidate_index import IndexedArticle, index_entry
from nearcopy.models import Fingerprint
from nearcopy.stores.base import Probe
from nearcopy.stores.redis.article_headers import ArticleHeaders
from nearcopy.stores.redis.binary_format import row_name
from nearcopy.stores.redis.fingerprint_codec import FingerprintCodec, keys_in
from nearcopy.stores.redis.record_cache import Records
from nearcopy.stores.saved_window import SavedWindow
from nearcopy.stores.window_cache import Matches, WindowCache
from nearcopy.stores.window_files import WindowFiles

LOAD_BATCH = 4096  # rows
StoreId = Callable[[], bytes]
Rows = dict[int, bytes | None]  # by sequence number


class RedisWindow:
    """The articles of the window queried."""

    def __init__(
        self, records: Records, headers: ArticleHeaders, folder: Path | None, store_id: StoreId
    ) -> None:
        self._records, self._headers, self._store_id = records, headers, store_id
        self._saved = SavedWindow(WindowFiles(folder) if folder else None, self)
        self.configure(Recipe())
        self.reset()

    def configure(self, recipe: Recipe) -> None:
        """Decode fingerprints of this recipe."""
        self._recipe, self.codec = recipe, FingerprintCodec(recipe.id)

    def reset(self) -> None:
        """Forget everything."""
        self.cache = WindowCache()

    def roll_back(self) -> None:
        """Forget the articles that the transaction added."""
        added = self._headers.added()
        self.cache.index.remove(added)
        for number in added:
            self.cache.fingerprints.pop(number, None)

    def find(self, probes: Sequence[Probe], window: timedelta | None, limit: int | None) -> Matches:
        """The candidates of each probe, in the partitions that are loaded.

        Raises BufferError where a run was damaged; then nothing is loaded any more.
        """
        try:
            matches = self.cache.index.find(probes, window, limit, self.existing)
        except BufferError as damaged:
            self._saved.discard(damaged)
            self.cache.clear()
            raise
        return [(self.existing(numbers), truncated) for numbers, truncated in matches]

    def existing(self, numbers: Collection[int]) -> list[int]:
        """Those of the articles that exist."""
        return list(filter(self._headers.id, numbers))

    def load(self, partitions: set[int]) -> None:
        """Load these partitions."""
        if partitions and self.cache.is_empty:
            self._open()
        missing = self.cache.require(partitions)
        # Most partitions at the edges of a window are empty.
        if missing & self._headers.all_partitions() and self.cache.evict(partitions):
            missing = self.cache.missing(partitions)
        self.load_batch(missing)

    def load_batch(self, partitions: Collection[int]) -> None:
        """Load partitions that are not loaded."""
        occupied = self._headers.all_partitions().intersection(partitions)
        numbers = self._headers.in_partitions(occupied) if occupied else []
        self.cache.load(partitions, chain.from_iterable(self._read_batches(numbers)))

    def _read_batches(self, numbers: Sequence[int]) -> Iterator[Iterable[IndexedArticle]]:
        for start in range(0, len(numbers), LOAD_BATCH):
            yield self._index_entries(self.read_rows(numbers[start : start + LOAD_BATCH]))

    # The window on disk.

    def save_if_due(self) -> None:
        """Save what was loaded or added, once it is much; all of it must be committed."""
        if self.is_save_due:
            self._saved.save(self.cache)

    @property
    def is_save_due(self) -> bool:
        """Whether there is much to save."""
        return self._saved.is_due(self.cache)

    @property
    def last_number(self) -> int:
        """The last article of the window cache."""
        return self._headers.last

    def identity(self) -> str:
        return f"{self._store_id().hex()} {self._recipe.id} {VERSION}"

    def removals(self) -> str | None:
        return None  # which articles exist is known without

    def all_partitions(self) -> set[int]:
        return self._headers.all_partitions()

    def count(self, partitions: Collection[int]) -> int:
        return len(self._headers.in_partitions(partitions))

    def index_entries(self, numbers: Collection[int]) -> Iterable[IndexedArticle]:
        return self._index_entries(self.read_rows(self.existing(numbers)))

    def _open(self) -> None:
        """Map what is on disk, and read what was added since."""
        self._saved.open(self.cache)
        if self.cache.chain:
            newer = range(self.cache.chain.last_number + 1, self._headers.last + 1)
            for entries in self._read_batches(self.existing(newer)):
                self.cache.add(entries)

    def add_rows(self, rows: Rows) -> None:
        """Add new articles, where their partition is loaded."""
        self.cache.add(self._index_entries(rows))

    def _index_entries(self, rows: Rows) -> Iterable[IndexedArticle]:
        articles = list(self.decode_keys(rows))
        self.cache.remember({number: fingerprint for number, fingerprint, _ in articles})
        return [
            index_entry(number, fingerprint, own_keys) for number, fingerprint, own_keys in articles
        ]

    def fingerprints(self, numbers: Collection[int]) -> dict[int, Fingerprint]:
        """The fingerprints of the articles that exist."""
        present = [number for number in numbers if self._headers.id(number)]
        cached = self.cache.recall(present)
        loaded = self.decode(self.read_rows([n for n in present if n not in cached]))
        self.cache.remember(loaded)
        return cached | loaded

    def read_rows(self, numbers: Collection[int]) -> Rows:
        """The rows of these articles, with the writes of the transaction."""
        names = {number: row_name(number) for number in numbers}
        written = {number: self._records.pending(name) for number, name in names.items()}
        missing = [name for number, name in names.items() if written[number] is None]
        records = self._records.fetch(missing)
        return {number: written[number] or records[names[number]] for number in names}

    def decode(self, rows: Rows) -> dict[int, Fingerprint]:
        """The fingerprints of the rows that exist."""
        present = {n: row for n, row in rows.items() if row is not None and self._headers.id(n)}
        with_headers = [(row, self._headers.get(number)) for number, row in present.items()]
        return dict(zip(present, self.codec.decode(with_headers), strict=True))

    def decode_keys(self, rows: Rows) -> Iterator[tuple[int, Fingerprint, Keys]]:
        """The fingerprints and blocking keys of the rows that exist."""
        fingerprints = self.decode(rows)
        derived = blocking_keys(list(fingerprints.values()), self._recipe)
        for (number, fingerprint), derived_keys in zip(fingerprints.items(), derived, strict=True):
            stored = keys_in(rows[number] or b"\0")
            yield number, fingerprint, derived_keys if stored is None else stored
