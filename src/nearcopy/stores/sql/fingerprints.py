"""The fingerprints of an SQL store, and the entries of the candidate index that follow from them.

Blocking keys are stored only where they do not follow from the fingerprint.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from nearcopy.fingerprint.blocking_keys import Keys, blocking_keys
from nearcopy.match.candidate_index import IndexedArticle, day_partition, index_entry
from nearcopy.models import Fingerprint
from nearcopy.models.batches import batches
from nearcopy.stores.base import StoredArticle
from nearcopy.stores.fingerprint_codec import DETAILS, Defaults, decode_details, encode_details
from nearcopy.stores.record_format import Compressor, Reader, Writer
from nearcopy.stores.row_codec import fingerprint_from_values
from nearcopy.stores.sql.database import Database, Row, SqlSettings

BATCH_SIZE = 2048  # rows
ALL_DETAILS: Defaults = MappingProxyType(
    {"id": "", "source": None, "published": None, "seen": None, **DETAILS}
)


class FingerprintRow(NamedTuple):
    """A fingerprint; `details` has all but the hashes of its text, packed."""

    number: int
    words: int
    digest: bytes | None
    simhash: bytes | None
    minhash: bytes | None
    details: bytes
    keys: bytes | None  # None: they follow from the fingerprint


COLUMNS = ("day_partition", *FingerprintRow._fields)
SELECT = f"SELECT {', '.join(FingerprintRow._fields)} FROM fingerprints"


class SqlFingerprints:
    """Fingerprints by sequence number."""

    def __init__(self, database: Database, settings: SqlSettings) -> None:
        self._database, self._settings = database, settings
        self._compressor = Compressor()

    def insert(
        self, numbers: Sequence[int], articles: Sequence[StoredArticle]
    ) -> list[IndexedArticle]:
        """Insert the fingerprints of new articles; their entries of the index."""
        derived = blocking_keys([item.fingerprint for item in articles], self._settings.recipe)
        entries, rows = [], []
        for number, item, follows in zip(numbers, articles, derived, strict=True):
            entry = index_entry(number, item.fingerprint, item.keys)
            keys = None if np.array_equal(follows, item.keys) else entry.keys
            partition = day_partition(entry.published, entry.seen)
            rows.append((partition, *self._encode(number, item.fingerprint, keys)))
            entries.append(entry)
        self._database.insert("fingerprints", COLUMNS, rows)
        return entries

    def select(self, numbers: Collection[int]) -> dict[int, Fingerprint]:
        """The fingerprints of those that are stored."""
        rows = self._database.select_in(f"{SELECT} WHERE number IN ({{}})", numbers)
        return {row[0]: self._decode(FingerprintRow(*row)) for row in rows}

    def keys(self, numbers: Collection[int]) -> dict[int, Keys]:
        """The blocking keys of those that are stored."""
        rows = self._database.select_in(f"{SELECT} WHERE number IN ({{}})", numbers)
        return {number: keys for number, _, keys in self._with_keys(rows)}

    def entries(self, rows: Iterable[Row]) -> Iterator[IndexedArticle]:
        """The entries of the index, of rows by `SELECT`."""
        for batch in batches(rows, BATCH_SIZE):
            yield from (index_entry(*item) for item in self._with_keys(batch))

    def _with_keys(self, rows: Iterable[Row]) -> list[tuple[int, Fingerprint, Keys]]:
        listed = [FingerprintRow(*row) for row in rows]
        fingerprints = list(map(self._decode, listed))
        derived = blocking_keys(fingerprints, self._settings.recipe)
        return [
            (row.number, item, follows if row.keys is None else _unpack_keys(row.keys))
            for row, item, follows in zip(listed, fingerprints, derived, strict=True)
        ]

    def _encode(self, number: int, item: Fingerprint, keys: bytes | None) -> FingerprintRow:
        out = Writer()
        out.string(item.numerals)
        out.string(item.profile)
        details = encode_details(item, ALL_DETAILS, self._settings.recipe.id)
        out.bytes += self._compressor.compress(details)
        simhash = None if item.simhash is None else item.simhash.to_bytes(8, "big")
        return FingerprintRow(
            number, item.words, item.digest, simhash, item.minhash, bytes(out.bytes), keys
        )

    def _decode(self, row: FingerprintRow) -> Fingerprint:
        reader = Reader(row.details)
        numerals, profile = reader.string(), reader.string()
        details = self._compressor.decompress(reader.remainder())
        values: Mapping[str, Any] = decode_details(details, ALL_DETAILS, self._settings.recipe.id)
        return fingerprint_from_values(
            {
                **values,
                "words": row.words,
                "digest": row.digest,
                "simhash": row.simhash,
                "minhash": row.minhash,
                "numerals": numerals,
                "profile": profile,
            }
        )


def _unpack_keys(packed: bytes) -> Keys:
    return np.frombuffer(packed, "<u8").astype(np.uint64, copy=False)
