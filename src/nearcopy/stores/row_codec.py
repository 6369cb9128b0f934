"""What is stored of an article: bytes, strings and whole numbers, the same in every store."""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any, NamedTuple

from zstandard import ZstdCompressor, ZstdDecompressor

from nearcopy.config import Features, FrequencyTable, Recipe
from nearcopy.errors import BadArticle
from nearcopy.models.model import Article, Fact, Fingerprint
from nearcopy.models.timestamps import micros, moment

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


def article_rows(articles: Iterable[Article]) -> Iterator[ArticleRow]:
    """The articles as rows."""
    compress = ZstdCompressor(level=LEVEL).compress
    for article in articles:
        yield ArticleRow(
            _checked(article.id),
            whole(article.title),
            compress(article.text.encode("utf-8", "surrogatepass")),
            int(article.html),
            whole_or_none(article.url),
            whole_or_none(article.canonical_url),
            whole_or_none(article.source),
            micros(article.published),
            micros(article.seen),
            whole_or_none(article.language),
            _small(article),
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


def fingerprint_row(fingerprint: Fingerprint) -> FingerprintRow:
    """A fingerprint as a row."""
    values = [
        fingerprint.id,
        fingerprint.recipe,
        fingerprint.details,
        fingerprint.title,
        fingerprint.gist,
        fingerprint.facts,
        fingerprint.names,
        fingerprint.stages,
        fingerprint.column,
        fingerprint.refiled,
        fingerprint.url,
        fingerprint.declared_url,
        fingerprint.source,
        micros(fingerprint.published),
        fingerprint.tier,
        fingerprint.junk,
        micros(fingerprint.seen),
    ]
    return FingerprintRow(
        fingerprint.words,
        fingerprint.digest,
        None if fingerprint.simhash is None else fingerprint.simhash.to_bytes(8, "big"),
        fingerprint.minhash,
        fingerprint.numerals,
        fingerprint.profile,
        json.dumps(values, separators=(",", ":")),
    )


def fingerprint_of(row: FingerprintRow) -> Fingerprint:
    """The fingerprint again."""
    values = json.loads(row.rest)
    return Fingerprint(
        id=values[0],
        recipe=values[1],
        words=row.words,
        digest=row.digest,
        simhash=None if row.simhash is None else int.from_bytes(row.simhash, "big"),
        minhash=row.minhash,
        numerals=row.numerals,
        profile=row.profile,
        details=values[2],
        title=values[3],
        gist=values[4],
        facts=tuple(Fact(*fact) for fact in values[5]),
        names=tuple(values[6]),
        stages=tuple(values[7]),
        column=values[8],
        refiled=values[9],
        url=values[10],
        declared_url=values[11],
        source=values[12],
        published=moment(values[13]),
        tier=values[14],
        junk=values[15],
        seen=moment(values[16]),
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
