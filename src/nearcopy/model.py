"""The nouns: frozen, checked once where they are made."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nearcopy.errors import BadArticle


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """What the caller has. `text` is plain, or HTML where `html` says so."""

    id: str
    title: str = ""
    text: str = ""
    html: bool = False
    url: str | None = None
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
        _check(self, "source", str, type(None))
        _check(self, "published", datetime, type(None))
        _check(self, "language", str, type(None))
        _check(self, "tier", int, type(None))
        if self.published is not None and self.published.tzinfo is None:
            raise BadArticle(
                f"article {self.id!r}: published is {self.published.isoformat()} without a time "
                "zone: make it aware, for instance with .replace(tzinfo=timezone.utc)"
            )


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


def _check(article: Article, field: str, *allowed: type) -> None:
    value: Any = getattr(article, field)
    if not isinstance(value, allowed):
        wanted = " or ".join("None" if t is type(None) else t.__name__ for t in allowed)
        who = f"article {article.id!r}: " if field != "id" else "article "
        raise BadArticle(
            f"{who}{field} must be {wanted}, got {type(value).__name__}: {value!r:.60}"
        )
