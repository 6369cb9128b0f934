"""The nouns: frozen, checked once where they are made."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from nearcopy.errors import BadArticle


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """What the caller has. `text` is plain, or HTML where `html` says so.

    `canonical_url` is what the page itself declares (rel=canonical); `tier` is how far the source
    is trusted, 1 first.
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

    def __post_init__(self) -> None:
        _check(self, "id", str)
        if not self.id:
            raise BadArticle("article id is empty: give every article an id of its own")
        _check(self, "title", str)
        _check(self, "text", str)
        _check(self, "html", bool)
        _check(self, "url", str, type(None))
        _check(self, "canonical_url", str, type(None))
        _check(self, "source", str, type(None))
        _check(self, "published", datetime, type(None))
        _check(self, "language", str, type(None))
        _check(self, "tier", int, type(None))
        if self.published is not None and self.published.tzinfo is None:
            raise BadArticle(
                f"article {self.id!r}: published is {self.published.isoformat()} without a time "
                "zone: make it aware, for instance with .replace(tzinfo=timezone.utc)"
            )


class Fact(NamedTuple):
    """One fact of a title: a figure, a date, a round, a name. Equal facts have equal values."""

    kind: str  # "money", "percent", "count", "ordinal", "date", "name", ...
    value: str  # the normal form: "INR 50000000000", "2025-10-30", "series a"
    amount: float | None = None  # the number in it, to tell a rounding from a clash
    about: str = ""  # what it counts or belongs to: "deals", "week", "dead"
    before: str = ""  # the words next to it, folded, to tell which facts stand in one place
    after: str = ""
    start: int = 0  # where it stands in the title
    end: int = 0


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """All we remember of an article to compare it by.

    A text with no words is not comparable: its digest, simhash and minhash are None,
    so that it can match nothing.
    """

    id: str
    words: int
    digest: bytes | None = None
    simhash: int | None = None
    minhash: bytes | None = None

    @property
    def comparable(self) -> bool:
        """Whether there is any text to compare by."""
        return self.words > 0


class Relation(StrEnum):
    """What two articles are to each other, surest first."""

    SAME_URL = "same_url"
    SAME_TEXT = "same_text"
    NEAR_TEXT = "near_text"
    CONTAINED = "contained"
    REVISION = "revision"
    SAME_TITLE = "same_title"
    SAME_EVENT = "same_event"
    RELATED = "related"
    DISTINCT = "distinct"


def _check(article: Article, field: str, *allowed: type) -> None:
    value: Any = getattr(article, field)
    if not isinstance(value, allowed):
        wanted = " or ".join("None" if t is type(None) else t.__name__ for t in allowed)
        who = f"article {article.id!r}: " if field != "id" else "article "
        raise BadArticle(
            f"{who}{field} must be {wanted}, got {type(value).__name__}: {value!r:.60}"
        )
