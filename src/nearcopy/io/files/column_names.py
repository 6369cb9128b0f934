"""Which column of a file holds which field of an article: as named, or guessed."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache

from nearcopy.errors import NearcopyError

# Tried in this order, ignoring case, "_", "-" and spaces.
GUESSES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "_id", "guid", "article_id", "uuid", "doc_id"),
    "title": ("title", "headline", "name"),
    "text": (
        *("text", "body", "content", "article", "full_text", "maintext", "article_text"),
        *("article_body", "content_text", "description", "summary", "abstract"),
    ),
    "url": ("url", "link", "href", "permalink"),
    "canonical_url": ("canonical_url", "canonical", "canonical_link"),
    "source": (
        *("source", "outlet", "publisher", "domain", "site", "source_domain", "sitename"),
        *("meta_site_name", "source_hostname", "hostname"),
    ),
    "published": (
        *("published", "published_at", "date", "pub_date", "date_publish", "publish_date"),
        *("date_published", "timestamp", "created_at"),
    ),
    "seen": ("seen", "scraped_at", "fetched_at", "crawled_at", "date_download"),
    "language": ("language", "lang", "meta_lang"),
    "tier": ("tier",),
    "html": ("html", "is_html"),
}
CONTENT = ("id", "title", "text", "url")  # a row needs one of these
Places = Mapping[str, tuple[str, ...]]  # fields of an article, and the columns that may hold each
PLAIN = {ord(mark): None for mark in "_- ."}


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The columns by name; those that are None are guessed.

    >>> Columns(text="story").places(("_id", "story", "pubDate"))["text"]
    ('story',)
    """

    id: str | None = None
    title: str | None = None
    text: str | None = None
    url: str | None = None
    canonical_url: str | None = None
    source: str | None = None
    published: str | None = None
    seen: str | None = None
    language: str | None = None
    tier: str | None = None
    html: str | None = None

    def places(self, names: tuple[str, ...]) -> Places:
        """The columns that may hold each field, the likeliest first."""
        small = len(names) < 200 and sum(map(len, names)) < 10_000
        return _places(self, names) if small else _places.__wrapped__(self, names)

    def check(self, names: Collection[str], file: str) -> None:
        """Raise where a column that was named does not exist."""
        for part, name in self.named.items():
            if name not in names and _plain(name) not in map(_plain, names):
                raise NearcopyError(
                    f"{file} has no column {name!r} for {part}: "
                    f"its columns are {join_names(names)}; name one of these"
                )

    @property
    def named(self) -> dict[str, str]:
        """The columns that were named."""
        chosen = {field.name: getattr(self, field.name) for field in fields(self)}
        return {part: name for part, name in chosen.items() if name is not None}


def join_names(names: Collection[str], limit: int = 40) -> str:
    """The names in one line, for a message."""
    shown = ", ".join(f"{name:.60}" for name in list(names)[:limit])
    return f"{shown}, ..." if len(names) > limit else shown or "none"


@lru_cache(maxsize=256)
def _places(columns: Columns, names: tuple[str, ...]) -> Places:
    plain: dict[str, str] = {}
    for name in names:
        plain.setdefault(_plain(name), name)
    return {
        part: _match_names(getattr(columns, part), guesses, names, plain)
        for part, guesses in GUESSES.items()
    }


def _match_names(
    chosen: str | None, guesses: tuple[str, ...], names: tuple[str, ...], plain: Mapping[str, str]
) -> tuple[str, ...]:
    if chosen is not None and chosen in names:
        return (chosen,)
    candidates = guesses if chosen is None else (chosen,)
    matches = (plain.get(_plain(name)) for name in candidates)
    return tuple(dict.fromkeys(name for name in matches if name is not None))


def _plain(name: str) -> str:
    return name[:100].casefold().translate(PLAIN)
