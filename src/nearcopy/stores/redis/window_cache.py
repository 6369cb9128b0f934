"""The window cache of a Redis store, filled from rows and kept up to date by the session."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import timedelta

from nearcopy.config import Recipe
from nearcopy.fingerprint.blocking_keys import Keys, blocking_keys
from nearcopy.match.candidate_index import IndexedArticle, index_entry
from nearcopy.models import Fingerprint
from nearcopy.stores.base import Probe
from nearcopy.stores.redis.article_headers import ArticleHeaders
from nearcopy.stores.redis.binary_format import row_name
from nearcopy.stores.redis.fingerprint_codec import FingerprintCodec, keys_in
from nearcopy.stores.redis.record_cache import Records
from nearcopy.stores.window_cache import Matches, WindowCache

LOAD_BATCH = 4096  # rows
Rows = dict[int, bytes | None]  # by sequence number


class RedisWindow:
    """The articles of the window queried."""

    def __init__(self, records: Records, headers: ArticleHeaders) -> None:
        self._records, self._headers = records, headers
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
        """The candidates of each probe, in the partitions that are loaded."""
        matches = self.cache.index.find(probes, window, limit, self._existing)
        return [(self._existing(numbers), truncated) for numbers, truncated in matches]

    def _existing(self, numbers: Collection[int]) -> list[int]:
        return list(filter(self._headers.id, numbers))

    def load(self, partitions: set[int]) -> None:
        """Load these partitions."""
        missing = partitions - self.cache.partitions
        # Most partitions at the edges of a window are empty.
        occupied = missing & self._headers.all_partitions()
        if occupied and self.cache.evict(partitions):
            missing = partitions
            occupied = missing & self._headers.all_partitions()
        numbers = self._headers.in_partitions(occupied) if occupied else []
        batches = (numbers[at : at + LOAD_BATCH] for at in range(0, len(numbers), LOAD_BATCH))
        articles = (row for batch in batches for row in self._index_entries(self.read_rows(batch)))
        self.cache.load(missing, articles)

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
        cached = {n: item for n in present if (item := self.cache.fingerprints.get(n)) is not None}
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
