"""One codec from nouns to plain values: bytes, strings, integers and floats.

Every SQL store keeps rows in these forms; other stores and exports use what suits them.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields
from datetime import datetime
from typing import Any, NamedTuple

from nearcopy.config import Features, FrequencyTable, Recipe
from nearcopy.config.units import EPOCH, MICROSECOND, from_micros, to_micros
from nearcopy.errors import BadArticle
from nearcopy.models import Article, Fact, Fingerprint, Member, Relation
from nearcopy.models.feedback import Feedback, Prediction, evidence_from_json, evidence_to_json

COMPRESSION_LEVEL = 3
RELATIONS = {relation.value: relation for relation in Relation}


class ArticleRow(NamedTuple):
    """An article as it was added, its text compressed."""

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
    """A fingerprint; `rest` is a JSON list of the values of `REST_FIELDS`."""

    words: int
    digest: bytes | None
    simhash: bytes | None
    minhash: bytes | None
    numerals: bytes
    profile: bytes
    rest: str


# In the order of the class, which is part of the format: "id", "recipe", "details", "title", ...
REST_FIELDS = [f.name for f in fields(Fingerprint) if f.name not in FingerprintRow._fields]


def articles_to_rows(articles: Iterable[Article]) -> Iterator[ArticleRow]:
    from zstandard import ZstdCompressor  # imported on demand

    compress = ZstdCompressor(level=COMPRESSION_LEVEL).compress
    for article in articles:
        yield ArticleRow(
            _checked_id(article.id),
            replace_surrogates(article.title),
            compress(article.text.encode("utf-8", "surrogatepass")),
            int(article.html),
            replace_surrogates_or_none(article.url),
            replace_surrogates_or_none(article.canonical_url),
            replace_surrogates_or_none(article.source),
            to_micros(article.published),
            to_micros(article.seen),
            replace_surrogates_or_none(article.language),
            _checked_tier(article),
        )


def _checked_tier(article: Article) -> int | None:
    if article.tier is not None and abs(article.tier) >= 1 << 63:
        raise BadArticle(
            f"article {article.id!r}: the tier is beyond 64 bits: no store can keep it"
        )
    return article.tier


def _checked_id(name: str) -> str:
    if replace_surrogates(name) != name:
        raise BadArticle(f"article {name!r}: half a surrogate pair in the id: no store can keep it")
    return name


def replace_surrogates(text: str) -> str:
    """The text, with U+FFFD in place of each lone surrogate, which no store can keep."""
    return (
        text if text.isascii() else text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    )


def replace_surrogates_or_none(text: str | None) -> str | None:
    """The same for an optional text."""
    return None if text is None else replace_surrogates(text)


def articles_from_rows(rows: Iterable[ArticleRow]) -> Iterator[Article]:
    from zstandard import ZstdDecompressor  # imported on demand

    expand = ZstdDecompressor().decompress
    for row in rows:
        yield Article(
            **row._asdict()
            | {
                "text": expand(row.text).decode("utf-8", "surrogatepass"),
                "html": bool(row.html),
                "published": from_micros(row.published),
                "seen": from_micros(row.seen),
            }
        )


def fingerprint_to_row(fingerprint: Fingerprint) -> FingerprintRow:
    dates = {name: to_micros(getattr(fingerprint, name)) for name in ("published", "seen")}
    values = [dates.get(name, getattr(fingerprint, name)) for name in REST_FIELDS]
    return FingerprintRow(
        fingerprint.words,
        fingerprint.digest,
        None if fingerprint.simhash is None else fingerprint.simhash.to_bytes(8, "big"),
        fingerprint.minhash,
        fingerprint.numerals,
        fingerprint.profile,
        json.dumps(values, separators=(",", ":")),
    )


def fingerprint_from_row(row: FingerprintRow) -> Fingerprint:
    values = row._asdict()
    values |= zip(REST_FIELDS, json.loads(values.pop("rest")), strict=True)
    return fingerprint_from_values(values)


def fingerprint_from_values(values: dict[str, Any]) -> Fingerprint:
    """The fingerprint with these fields, as they are stored."""
    simhash = values["simhash"]
    return Fingerprint(
        **values
        | {
            "simhash": None if simhash is None else int.from_bytes(simhash, "big"),
            "facts": tuple(Fact(*fact) for fact in values["facts"]),
            "names": tuple(values["names"]),
            "stages": tuple(values["stages"]),
            "published": from_micros(values["published"]),
            "seen": from_micros(values["seen"]),
        }
    )


class MemberRow(NamedTuple):
    """A member of a story, without what its article says: id and dates.

    `details` is a JSON list of confidence, rule, reason, score and why.
    """

    number: int
    story: str
    place: int
    relation: str | None
    source: str | None
    duplicate_of: str | None
    details: bytes


def member_to_row(number: int, story: str, place: int, member: Member) -> MemberRow:
    """The member at a place of a story."""
    reason, why = replace_surrogates(member.reason), replace_surrogates(member.why)
    details = [member.confidence, member.rule, reason, member.score, why]
    return MemberRow(
        number,
        story,
        place,
        member.relation.value if member.relation else None,
        replace_surrogates_or_none(member.source),
        member.duplicate_of,
        json.dumps(details, separators=(",", ":"), ensure_ascii=False).encode(),
    )


def member_from_row(row: MemberRow, article: str, published: datetime | None) -> Member:
    """The member, of the article with this id."""
    confidence, rule, reason, score, why = json.loads(row.details)
    return Member(
        id=article,
        relation=RELATIONS[row.relation] if row.relation else None,
        confidence=confidence,
        rule=rule,
        reason=reason,
        source=row.source,
        published=published,
        score=score,
        why=why,
        duplicate_of=row.duplicate_of,
    )


class FeedbackRow(NamedTuple):
    """Feedback on a pair, and what was predicted for it."""

    a: str
    b: str
    same: int
    relation: str
    note: str
    given_at: int  # microseconds since 1970
    predicted_relation: str
    predicted_rule: str
    predicted_confidence: float
    predicted_duplicate: int
    predicted_event_score: float
    predicted_overlap: float | None
    evidence: str  # JSON


def feedback_to_row(feedback: Feedback) -> FeedbackRow:
    prediction = feedback.prediction
    return FeedbackRow(
        feedback.a,
        feedback.b,
        int(feedback.same),
        feedback.relation.value,
        replace_surrogates(feedback.note),
        to_micros(feedback.when) or 0,
        prediction.relation.value,
        prediction.rule,
        prediction.confidence,
        int(prediction.duplicate),
        prediction.event_score,
        prediction.overlap,
        evidence_to_json(prediction.evidence),
    )


def feedback_from_row(row: FeedbackRow) -> Feedback:
    return Feedback(
        a=row.a,
        b=row.b,
        same=bool(row.same),
        relation=Relation(row.relation),
        note=row.note,
        when=EPOCH + row.given_at * MICROSECOND,
        prediction=Prediction(
            Relation(row.predicted_relation),
            row.predicted_rule,
            row.predicted_confidence,
            bool(row.predicted_duplicate),
            row.predicted_event_score,
            row.predicted_overlap,
            evidence_from_json(row.evidence),
        ),
    )


def recipe_to_json(recipe: Recipe) -> str:
    """A recipe with all its fields."""
    return json.dumps(asdict(recipe), default=lambda table: b64encode(table).decode())


def recipe_from_json(text: str) -> Recipe:
    plain = json.loads(text)
    for name in ("simhash", "minhash"):
        plain[name] = Features(**plain[name]) if plain[name] else None
    table = plain["frequencies"]
    if table:
        packed = {name: b64decode(table[name]) for name in ("known", "weights")}
        table = FrequencyTable(**table | packed | {"features": Features(**table["features"])})
    return Recipe(**plain | {"frequencies": table})
