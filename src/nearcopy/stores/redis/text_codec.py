"""Texts: articles as they were added, many compressed together, since texts have much in common."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from zstandard import ZstdCompressor, ZstdDecompressor

from nearcopy.config.units import from_micros
from nearcopy.models import Article
from nearcopy.stores.redis.article_headers import ArticleHeader
from nearcopy.stores.redis.binary_format import pack_strings, split, unpack_hash, unpack_strings
from nearcopy.stores.redis.records import Records
from nearcopy.stores.row_codec import articles_to_rows

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
