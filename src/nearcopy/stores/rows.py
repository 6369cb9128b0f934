"""What is stored of an article: bytes, strings and whole numbers, the same in every store."""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from zstandard import ZstdCompressor, ZstdDecompressor

from nearcopy.config import Features, FrequencyTable, Recipe
from nearcopy.errors import BadArticle
from nearcopy.model import Article, Fact, Fingerprint

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
FIRST = (datetime.min.replace(tzinfo=UTC) - EPOCH) // MICROSECOND
LAST = (datetime.max.replace(tzinfo=UTC) - EPOCH) // MICROSECOND
LEVEL = 3


class ArticleRow(NamedTuple):
    """An article as it came, the text compressed."""

    id: str
    title: str
    text: bytes
    html: int
    url: str | None
    canonical_url: str | None
    source: str | None
    published: int | None  # microseconds since 1970
    seen: int | None
    language: str | None
    tier: int | None


class FingerprintRow(NamedTuple):
    """What an article is compared by; `rest` is a JSON list."""

    words: int
    digest: bytes | None
    simhash: bytes | None
    minhash: bytes | None
    numerals: bytes
    profile: bytes
    rest: str


def micros(moment: datetime | None) -> int | None:
    """A time as stores keep it; one that in UTC is before year 1 or after 9999, the next to it."""
    return None if moment is None else min(max((moment - EPOCH) // MICROSECOND, FIRST), LAST)


def moment(stored: int | None) -> datetime | None:
    """The time that a store kept."""
    return None if stored is None else EPOCH + stored * MICROSECOND


def article_rows(articles: Iterable[Article]) -> Iterator[ArticleRow]:
    """The articles as rows."""
    compress = ZstdCompressor(level=LEVEL).compress
    for each in articles:
        yield ArticleRow(
            _checked(each.id),
            whole(each.title),
            compress(each.text.encode("utf-8", "surrogatepass")),
            int(each.html),
            whole_or_none(each.url),
            whole_or_none(each.canonical_url),
            whole_or_none(each.source),
            micros(each.published),
            micros(each.seen),
            whole_or_none(each.language),
            _small(each),
        )


def _small(article: Article) -> int | None:
    if article.tier is not None and abs(article.tier) >= 1 << 63:
        raise BadArticle(
            f"article {article.id!r}: the tier is beyond 64 bits: no store can keep it"
        )
    return article.tier


def _checked(name: str) -> str:
    if whole(name) != name:
        raise BadArticle(f"article {name!r}: half a surrogate pair in the id: no store can keep it")
    return name


def whole(text: str) -> str:
    """The text, with a replacement character for each half of a surrogate pair."""
    return (
        text if text.isascii() else text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    )


def whole_or_none(text: str | None) -> str | None:
    """The same, where there is a text."""
    return None if text is None else whole(text)


def articles_of(rows: Iterable[ArticleRow]) -> Iterator[Article]:
    """The articles again."""
    expand = ZstdDecompressor().decompress
    for row in rows:
        yield Article(
            **row._asdict()
            | {
                "text": expand(row.text).decode("utf-8", "surrogatepass"),
                "html": bool(row.html),
                "published": moment(row.published),
                "seen": moment(row.seen),
            }
        )


def fingerprint_row(made: Fingerprint) -> FingerprintRow:
    """A fingerprint as a row."""
    rest = [
        made.id,
        made.recipe,
        made.details,
        made.title,
        made.gist,
        made.facts,
        made.names,
        made.stages,
        made.column,
        made.refiled,
        made.url,
        made.declared_url,
        made.source,
        micros(made.published),
        made.tier,
        made.junk,
        micros(made.seen),
    ]
    return FingerprintRow(
        made.words,
        made.digest,
        None if made.simhash is None else made.simhash.to_bytes(8, "big"),
        made.minhash,
        made.numerals,
        made.profile,
        json.dumps(rest, separators=(",", ":")),
    )


def fingerprint_of(row: FingerprintRow) -> Fingerprint:
    """The fingerprint again."""
    rest = json.loads(row.rest)
    return Fingerprint(
        id=rest[0],
        recipe=rest[1],
        words=row.words,
        digest=row.digest,
        simhash=None if row.simhash is None else int.from_bytes(row.simhash, "big"),
        minhash=row.minhash,
        numerals=row.numerals,
        profile=row.profile,
        details=rest[2],
        title=rest[3],
        gist=rest[4],
        facts=tuple(Fact(*fact) for fact in rest[5]),
        names=tuple(rest[6]),
        stages=tuple(rest[7]),
        column=rest[8],
        refiled=rest[9],
        url=rest[10],
        declared_url=rest[11],
        source=rest[12],
        published=moment(rest[13]),
        tier=rest[14],
        junk=rest[15],
        seen=moment(rest[16]),
    )


def recipe_json(recipe: Recipe) -> str:
    """A recipe in full, to make it again."""
    return json.dumps({field.name: _plain(getattr(recipe, field.name)) for field in fields(recipe)})


def _plain(value: Any) -> Any:
    if isinstance(value, Features | FrequencyTable):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return b64encode(value).decode() if isinstance(value, bytes) else value


def recipe_of(text: str) -> Recipe:
    """The recipe again."""
    plain = json.loads(text)
    for name in ("simhash", "minhash"):
        plain[name] = Features(**plain[name]) if plain[name] else None
    table = plain["frequencies"]
    if table:
        packed = {name: b64decode(table[name]) for name in ("known", "weights")}
        table = FrequencyTable(**table | packed | {"features": Features(**table["features"])})
    return Recipe(**plain | {"frequencies": table})
