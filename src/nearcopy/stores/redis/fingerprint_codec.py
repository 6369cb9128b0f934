"""Rows: fingerprints as bytes, packed without loss.

What is in the header of the article is not repeated. Blocking keys are stored only where they do
not follow from the fingerprint.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from zstandard import ZstdCompressor, ZstdDecompressor

from nearcopy.config.units import from_micros
from nearcopy.fingerprint.blocking_keys import Keys
from nearcopy.models import Article, Fingerprint
from nearcopy.stores.fingerprint_codec import DETAILS, decode_details, encode_details
from nearcopy.stores.record_format import Compressor, Reader, Writer
from nearcopy.stores.redis.article_headers import ArticleHeader
from nearcopy.stores.redis.binary_format import (
    pack_strings,
    split,
    unpack_hash,
    unpack_strings,
)
from nearcopy.stores.redis.record_cache import Records
from nearcopy.stores.row_codec import articles_to_rows, fingerprint_from_values

DIGEST, SIMHASH, MINHASH, KEYS = 1, 2, 4, 8  # flags: what a row contains
SIMHASH_BYTES = 8
TERM = 5  # bytes of a term in a profile: its hash and its weight
Columns = tuple[bytes, bytes]  # of a profile: incompressible and compressible bytes


def sketch(fingerprint: Fingerprint) -> Fingerprint:
    """The fingerprint with nothing but addresses and hashes of the text."""
    return replace(
        fingerprint,
        numerals=b"",
        profile=b"",
        title="",
        gist="",
        facts=(),
        names=(),
        stages=(),
        column=None,
    )


class _Hashes(NamedTuple):
    """How a row begins: hashes of the text, and the keys where they do not follow from it."""

    digest: bytes | None
    simhash: bytes | None
    minhash: bytes | None
    keys: bytes | None


class FingerprintCodec:
    """Encodes and decodes the fingerprints of one recipe."""

    def __init__(self, recipe_id: str) -> None:
        self._recipe_id = recipe_id
        self._compressor = Compressor()

    def encode(self, fingerprint: Fingerprint, keys: Keys | None) -> bytes:
        """The row of a fingerprint, with its keys where they do not follow from it."""
        out = Writer()
        out.number(
            DIGEST * (fingerprint.digest is not None)
            + SIMHASH * (fingerprint.simhash is not None)
            + MINHASH * (fingerprint.minhash is not None)
            + KEYS * (keys is not None)
        )
        if fingerprint.digest is not None:
            out.string(fingerprint.digest)
        if fingerprint.simhash is not None:
            out.bytes += fingerprint.simhash.to_bytes(SIMHASH_BYTES, "big")
        if fingerprint.minhash is not None:
            out.string(fingerprint.minhash)
        if keys is not None:
            out.string(keys.astype("<u8", copy=False).tobytes())
        out.number(fingerprint.words)
        lower, upper = _pack_profile(fingerprint.profile)
        out.string(fingerprint.numerals)
        out.string(lower)
        out.number(len(upper))
        details = encode_details(fingerprint, DETAILS, self._recipe_id)
        out.bytes += self._compressor.compress(upper + details)
        return bytes(out.bytes)

    def decode(self, rows: Sequence[tuple[bytes, ArticleHeader]]) -> list[Fingerprint]:
        """The fingerprints of rows and their headers."""
        fields = [self._read(row, header) for row, header in rows]
        profiles = _unpack_profiles([values["profile"] for values in fields])
        return [
            fingerprint_from_values(values | {"profile": profile})
            for values, profile in zip(fields, profiles, strict=True)
        ]

    def _read(self, row: bytes, header: ArticleHeader) -> dict[str, Any]:
        """The fields of a fingerprint, its profile still in two parts."""
        hashes, reader = _open(row)
        words, numerals, lower = reader.number(), reader.string(), reader.string()
        boundary = reader.number()
        plain = self._compressor.decompress(reader.remainder())
        return decode_details(plain[boundary:], DETAILS, self._recipe_id) | {
            "words": words,
            "digest": hashes.digest,
            "simhash": hashes.simhash,
            "minhash": hashes.minhash,
            "numerals": numerals,
            "profile": (lower, plain[:boundary]),
            "id": header.id,
            "source": header.source,
            "published": header.published,
            "seen": header.seen,
        }


def keys_in(row: bytes) -> Keys | None:
    """The keys that the row contains; None where they follow from the fingerprint."""
    hashes, _ = _open(row)
    if hashes.keys is None:
        return None
    return np.frombuffer(hashes.keys, "<u8").astype(np.uint64, copy=False)


def _open(row: bytes) -> tuple[_Hashes, Reader]:
    reader = Reader(row)
    flags = reader.number()
    hashes = _Hashes(
        reader.string() if flags & DIGEST else None,
        reader.take(SIMHASH_BYTES) if flags & SIMHASH else None,
        reader.string() if flags & MINHASH else None,
        reader.string() if flags & KEYS else None,
    )
    return hashes, reader


def _pack_profile(profile: bytes) -> Columns:
    """A profile in two parts, of which the second compresses: the deltas of its ascending hashes.

    The lower three bytes of a delta are as good as random; the upper one is small.
    """
    if len(profile) % TERM or not profile:
        return profile, b""
    terms = np.frombuffer(profile, np.uint8).reshape(-1, TERM)
    deltas = np.ascontiguousarray(terms[:, :4]).view("<u4")[:, 0]
    deltas = np.concatenate([deltas[:1], deltas[1:] - deltas[:-1]])
    columns = deltas.view(np.uint8).reshape(-1, 4).T
    return columns[:3].tobytes(), columns[3].tobytes() + terms[:, 4].tobytes()


def _unpack_profiles(profiles: Sequence[Columns]) -> list[bytes]:
    """The inverse of `_pack_profile`, for all profiles of one length at once."""
    unpacked = [lower for lower, _ in profiles]
    by_length: dict[int, list[int]] = {}
    for place, (_, upper) in enumerate(profiles):
        if upper:
            by_length.setdefault(len(upper) // 2, []).append(place)
    for terms, places in by_length.items():
        packed = b"".join(part for place in places for part in profiles[place])
        columns = np.frombuffer(packed, np.uint8).reshape(len(places), TERM, terms)
        deltas = np.ascontiguousarray(columns[:, :4].transpose(0, 2, 1)).view("<u4")[:, :, 0]
        rows = np.empty((len(places), terms, TERM), np.uint8)
        hashes = np.cumsum(deltas, axis=1, dtype="<u4")
        rows[:, :, :4] = hashes.view(np.uint8).reshape(len(places), terms, 4)
        rows[:, :, 4] = columns[:, 4]
        for place, row in zip(places, rows, strict=True):
            unpacked[place] = row.tobytes()
    return unpacked


PAGE = 64  # articles
PIECE = 8176  # bytes: fits into an 8 KB allocation of Redis, with its overhead
LEVEL = 5
COLUMNS = ("title", "html", "url", "canonical_url", "source", "language", "tier")

METADATA = attrgetter(*COLUMNS)
EncodedArticle = tuple[bytes, bytes]  # metadata, and text
Revision = tuple[EncodedArticle, ArticleHeader]


def encode_articles(articles: Sequence[Article]) -> Iterator[EncodedArticle]:
    """The articles without what is in their headers."""
    rows = articles_to_rows(replace(article, text="") for article in articles)
    for row, article in zip(rows, articles, strict=True):
        plain = json.dumps(METADATA(row), separators=(",", ":"), ensure_ascii=False)
        yield plain.encode(), article.text.encode("utf-8", "surrogatepass")


def decode_article(encoded: EncodedArticle, header: ArticleHeader) -> Article:
    """The article as it was added."""
    metadata, text = encoded
    fields: dict[str, Any] = dict(zip(COLUMNS, json.loads(metadata), strict=True))
    return Article(
        **fields | {"html": bool(fields["html"])},
        id=header.id,
        text=text.decode("utf-8", "surrogatepass"),
        published=from_micros(header.published),
        seen=from_micros(header.seen),
    )


def encode_page(articles: Mapping[int, EncodedArticle]) -> dict[str, bytes]:
    """Articles by place, compressed together, as fields of the hash of their page."""
    start = min(articles)
    parts = (part for place, encoded in articles.items() for part in (b"%d" % place, *encoded))
    frame = _compress(parts)
    return {f"{start}.{n}": piece for n, piece in enumerate(split(frame, PIECE))}


def decode_page(page: bytes | None) -> dict[int, EncodedArticle]:
    """The articles on a page, by place."""
    frames: dict[int, dict[int, bytes]] = {}
    for name, piece in unpack_hash(page).items():
        start, _, number = name.partition(b".")
        frames.setdefault(int(start), {})[int(number)] = piece
    articles: dict[int, EncodedArticle] = {}
    for pieces in frames.values():
        triples = _decompress(b"".join(pieces[number] for number in sorted(pieces)))
        articles |= {int(place): (metadata, text) for place, metadata, text in triples}
    return articles


def encode_revisions(revisions: Iterable[Revision]) -> bytes:
    """The earlier versions of an article, compressed together."""
    return _compress(
        part
        for encoded, header in revisions
        for part in (*encoded, json.dumps([header.published, header.seen]).encode())
    )


def decode_revisions(packed: bytes, id_: str) -> list[Revision]:
    """The inverse of `encode_revisions`."""
    revisions = []
    for metadata, text, times in _decompress(packed):
        published, seen = json.loads(times)
        revisions.append(((metadata, text), ArticleHeader(id_, None, published, seen, 0)))
    return revisions


def _compress(parts: Iterable[bytes]) -> bytes:
    return ZstdCompressor(level=LEVEL).compress(pack_strings(parts))


def _decompress(packed: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
    parts = [part or b"" for part in unpack_strings(ZstdDecompressor().decompress(packed))]
    return zip(parts[::3], parts[1::3], parts[2::3], strict=True)


class Texts:
    """The texts of a store by sequence number, with the writes of the transaction."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self.begin()

    def begin(self) -> None:
        """Begin a transaction: nothing written."""
        self._new: dict[int, EncodedArticle] = {}
        self._removed: set[int] = set()

    def add(self, first: int, articles: Sequence[Article]) -> None:
        """Store articles, with consecutive sequence numbers."""
        self._new |= enumerate(encode_articles(articles), start=first)

    def remove(self, numbers: Iterable[int]) -> None:
        """Delete the texts of these articles."""
        for number in numbers:
            if self._new.pop(number, None) is None:
                self._removed.add(number)

    def get(self, numbers: Collection[int]) -> dict[int, EncodedArticle]:
        """The texts of the articles that exist."""
        missing = [number for number in numbers if number not in self._new]
        pages = self._read_pages({number // PAGE for number in missing})
        articles = {n: self._new[n] for n in numbers if n in self._new}
        for number in missing:
            article = pages[number // PAGE].get(number % PAGE)
            if article is not None and number not in self._removed:
                articles[number] = article
        return articles

    def _read_pages(self, pages: Collection[int]) -> dict[int, dict[int, EncodedArticle]]:
        names = {page: b"at:%d" % page for page in pages}
        records = self._records.get(names.values())
        return {page: decode_page(records[name]) for page, name in names.items()}

    def flush(self, exists: Callable[[int], object]) -> None:
        """Write the changes to the records of the transaction.

        A page is rewritten when it is full or loses articles, and deleted without reading it when
        none of its articles exists any more.
        """
        new: dict[int, dict[int, EncodedArticle]] = {}
        for number, article in self._new.items():
            new.setdefault(number // PAGE, {})[number % PAGE] = article
        rewritten = {n // PAGE for n in self._removed} | {p for p in new if PAGE - 1 in new[p]}
        for page in [page for page in rewritten if not any(map(exists, _numbers_on(page)))]:
            rewritten.remove(page)
            self._records.rewrite(b"t:%d" % page, {})
        stored = self._read_pages([page for page in rewritten if len(new.get(page, ())) < PAGE])
        for page in rewritten:
            removed = {n % PAGE for n in self._removed if n // PAGE == page}
            articles = stored.get(page, {}) | new.pop(page, {})
            remaining = {
                place: article for place, article in articles.items() if place not in removed
            }
            self._records.rewrite(b"t:%d" % page, encode_page(remaining) if remaining else {})
        for page, articles in new.items():
            for field, piece in encode_page(articles).items():
                self._records.write(b"ht:%d\n%s" % (page, field.encode()), piece)


def _numbers_on(page: int) -> range:
    return range(page * PAGE, (page + 1) * PAGE)
