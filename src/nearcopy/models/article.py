"""An article as the caller has it, and the fingerprint that is stored of it."""

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, NamedTuple, get_args

from nearcopy.errors import BadArticle


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """An article of the caller.

    >>> article = Article(id="a1", title="Ferry runs aground", url="https://example.com/ferry")
    >>> article.id, article.text
    ('a1', '')

    Args:
        id: Identifies the article in every answer.
        title: The headline.
        text: The body, plain text or HTML.
        html: Whether `text` is HTML.
        url: The address of the page.
        canonical_url: The address that the page declares (rel=canonical).
        source: The outlet, by name or host.
        published: When it was published, with a time zone.
        language: The language code, for reports.
        tier: How far the source is trusted, 1 first.
        seen: When it was taken in, with a time zone.
    """

    id: str
    title: str = ""
    text: str = ""
    html: bool = False
    url: str | None = None
    canonical_url: str | None = None
    source: str | None = None
    published: datetime | None = None
    language: str | None = None
    tier: int | None = None
    seen: datetime | None = None

    def __post_init__(self) -> None:
        if self.id == "":
            raise BadArticle("article id is empty: give every article an id of its own")
        for name, allowed in TYPES.items():
            _check(self, name, allowed)
        _check_aware(self, "published", self.published)
        _check_aware(self, "seen", self.seen)


# The types of each field; `str | None` is `(str, NoneType)`.
TYPES = {field.name: get_args(field.type) or (field.type,) for field in fields(Article)}


class Fact(NamedTuple):
    """One fact of a title: a figure, a date, a round, a name. Equal facts have equal values."""

    kind: str  # "money", "percent", "count", "ordinal", "date", "name", ...
    value: str  # the normal form: "INR 50000000000", "2025-10-30", "series a"
    amount: float | None = None  # the number in it, to tell a rounding from a clash
    about: str = ""  # what it counts or belongs to: "deals", "week", "dead"
    before: str = ""  # the folded words on either side, to align the facts of two titles
    after: str = ""
    start: int = 0  # the span in the title; 0 to 0 where it was read from the folded title
    end: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """All that is stored of an article to compare it by.

    A text without words has no digest, SimHash and MinHash, so that it matches nothing. A title
    without content ("Breaking news") is empty for the same reason. Stores hold most fields in the
    order of the class: a new one comes last.
    """

    id: str
    recipe: str = ""  # the id of the recipe
    words: int = 0
    digest: bytes | None = None
    simhash: int | None = None
    minhash: bytes | None = None
    numerals: bytes = b""  # hashes of the figures of the text with their neighbours
    profile: bytes = b""  # hashes of the heaviest terms of title and text
    details: int = 0  # technical details in the text, counted up to five
    title: str = ""  # cleaned and folded
    gist: str = ""  # the title without its facts
    facts: tuple[Fact, ...] = ()  # those that can clash
    names: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()  # the title's words for a stage or a side: "suspends"
    column: str | None = None  # the recurring column it belongs to, such as a horoscope
    refiled: bool = False  # marked as filed again: CORRECTED, UPDATE 2
    url: str | None = None  # canonical; None where it identifies no page of its own
    declared_url: str | None = None  # the address that the page declares, where plausible
    source: str | None = None  # the outlet, or the site of the address
    published: datetime | None = None
    tier: int | None = None
    block_page: str | None = None  # why this is no article: a consent wall, a block page
    seen: datetime | None = None  # when it was taken in


def ordered(a: str, b: str) -> tuple[str, str]:
    """The two ids in alphabetical order: the key of an unordered pair."""
    return (a, b) if a < b else (b, a)


def _check(article: Article, field: str, allowed: tuple[Any, ...]) -> None:
    value: Any = getattr(article, field)
    if not isinstance(value, allowed):
        types = " or ".join("None" if t is type(None) else t.__name__ for t in allowed)
        subject = f"article {article.id!r}: " if field != "id" else "article "
        raise BadArticle(
            f"{subject}{field} must be {types}, got {type(value).__name__}: {value!r:.60}"
            f"{_hint(value, allowed)}"
        )


def _hint(value: object, allowed: tuple[type, ...]) -> str:
    if datetime in allowed and isinstance(value, str):
        return "; parse it first, for instance with datetime.fromisoformat"
    if datetime in allowed and isinstance(value, int | float):
        return "; convert it with datetime.fromtimestamp(..., timezone.utc)"
    if str in allowed and isinstance(value, bytes):
        return "; decode it first"
    return "; convert it with str(...)" if str in allowed and isinstance(value, int) else ""


def _check_aware(article: Article, field: str, moment: datetime | None) -> None:
    if moment is not None and moment.utcoffset() is None:
        raise BadArticle(
            f"article {article.id!r}: {field} is {moment.isoformat()} without a time zone: "
            "make it aware, for instance with .replace(tzinfo=timezone.utc)"
        )
