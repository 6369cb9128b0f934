"""Texts: articles as they came, many in one frame, as texts have much in common."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from zstandard import ZstdCompressor, ZstdDecompressor

from nearcopy.models.model import Article
from nearcopy.models.timestamps import moment
from nearcopy.stores.redis.binary_format import in_pieces, pairs_of, strings, strings_of
from nearcopy.stores.redis.fingerprint_codec import Head
from nearcopy.stores.redis.records import Records
from nearcopy.stores.row_codec import article_rows

PAGE = 64  # articles
PIECE = 8176  # what fits into 8 KB of memory, with what Redis adds
LEVEL = 5
COLUMNS = ("title", "html", "url", "canonical_url", "source", "language", "tier")

ABOUT = attrgetter(*COLUMNS)
Kept = tuple[bytes, bytes]  # what is said about an article, and its text


def kept(articles: Sequence[Article]) -> Iterator[Kept]:
    """The articles as they are kept, but for what their heads say."""
    rows = article_rows(replace(article, text="") for article in articles)
    for row, article in zip(rows, articles, strict=True):
        plain = json.dumps(ABOUT(row), separators=(",", ":"), ensure_ascii=False)
        yield plain.encode(), article.text.encode("utf-8", "surrogatepass")


def article_of(about: Kept, head: Head) -> Article:
    """The article again."""
    fields: dict[str, Any] = dict(zip(COLUMNS, json.loads(about[0]), strict=True))
    return Article(
        **fields | {"html": bool(fields["html"])},
        id=head.id,
        text=about[1].decode("utf-8", "surrogatepass"),
        published=moment(head.published),
        seen=moment(head.seen),
    )


def framed(articles: Mapping[int, Kept]) -> bytes:
    """Articles with their places on a page, compressed together."""
    flat = (part for place, parts in articles.items() for part in (b"%d" % place, *parts))
    return ZstdCompressor(level=LEVEL).compress(strings(flat))


def unframed(packed: bytes) -> dict[int, Kept]:
    """The articles again, by place."""
    flat = [part or b"" for part in strings_of(ZstdDecompressor().decompress(packed))]
    return {
        int(place): (about, text)
        for place, about, text in zip(flat[::3], flat[1::3], flat[2::3], strict=True)
    }


def on_page(page: bytes | None) -> dict[int, Kept]:
    """All articles on a page, by place."""
    frames: dict[int, dict[int, bytes]] = {}
    for name, piece in pairs_of(page).items():
        start, _, number = name.partition(b".")
        frames.setdefault(int(start), {})[int(number)] = piece
    articles: dict[int, Kept] = {}
    for pieces in frames.values():
        articles |= unframed(b"".join(pieces[number] for number in sorted(pieces)))
    return articles


def fields_of(articles: Mapping[int, Kept]) -> dict[str, bytes]:
    """A frame as the fields of its page."""
    start = min(articles)
    return {f"{start}.{n}": piece for n, piece in in_pieces(framed(articles), PIECE)}


def _numbers_on(page: int) -> range:
    return range(page * PAGE, (page + 1) * PAGE)


class Texts:
    """The articles of a store, by number, and those that a step changes."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self.begin_step()

    def begin_step(self) -> None:
        """Nothing is changed yet."""
        self._new: dict[int, Kept] = {}
        self._gone: set[int] = set()

    def put(self, first: int, articles: Sequence[Article]) -> None:
        """Keep articles, whose numbers follow each other."""
        self._new |= enumerate(kept(articles), start=first)

    def remove(self, numbers: Iterable[int]) -> None:
        """Keep these no longer."""
        for number in numbers:
            if self._new.pop(number, None) is None:
                self._gone.add(number)

    def get(self, numbers: Collection[int]) -> dict[int, Kept]:
        """Those of the articles that are there."""
        missing = [number for number in numbers if number not in self._new]
        pages = self._pages({number // PAGE for number in missing})
        articles = {n: self._new[n] for n in numbers if n in self._new}
        for number in missing:
            article = pages[number // PAGE].get(number % PAGE)
            if article is not None and number not in self._gone:
                articles[number] = article
        return articles

    def _pages(self, pages: Collection[int]) -> dict[int, dict[int, Kept]]:
        names = {page: b"at:%d" % page for page in pages}
        read = self._records.get(names.values())
        return {page: on_page(read[name]) for page, name in names.items()}

    def write(self, exists: Callable[[int], object]) -> None:
        """Hand what changed to the step: a page is written anew when it is full or loses some, and
        dropped without a look at it where nothing of it is there any more.
        """
        fresh: dict[int, dict[int, Kept]] = {}
        for number, article in self._new.items():
            fresh.setdefault(number // PAGE, {})[number % PAGE] = article
        rewritten = {n // PAGE for n in self._gone} | {
            p for p, new in fresh.items() if PAGE - 1 in new
        }
        for page in [page for page in rewritten if not any(map(exists, _numbers_on(page)))]:
            rewritten.remove(page)
            self._records.rewrite(b"t:%d" % page, {})
        before = self._pages([page for page in rewritten if len(fresh.get(page, ())) < PAGE])
        for page in rewritten:
            removed = {n % PAGE for n in self._gone if n // PAGE == page}
            all_of_it = before.get(page, {}) | fresh.pop(page, {})
            left = {place: article for place, article in all_of_it.items() if place not in removed}
            self._records.rewrite(b"t:%d" % page, fields_of(left) if left else {})
        for page, new in fresh.items():
            for name, piece in fields_of(new).items():
                self._records.put(b"ht:%d\n%s" % (page, name.encode()), piece)


def packed_revisions(revisions: Iterable[tuple[Kept, Head]]) -> bytes:
    """What stood under an id before, compressed."""
    flat = (
        part
        for article, head in revisions
        for part in (*article, json.dumps([head.published, head.seen]).encode())
    )
    return ZstdCompressor(level=LEVEL).compress(strings(flat))


def revisions_of(packed: bytes, name: str) -> list[tuple[Kept, Head]]:
    """The same again."""
    flat = [part or b"" for part in strings_of(ZstdDecompressor().decompress(packed))]
    revisions = []
    for about, text, times in zip(flat[::3], flat[1::3], flat[2::3], strict=True):
        published, seen = json.loads(times)
        revisions.append(((about, text), Head(name, None, published, seen, 0)))
    return revisions
