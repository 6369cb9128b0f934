"""Documents: what a search engine is given of a new page."""

from collections.abc import Iterable, Mapping
from typing import Any

from nearcopy.config import Recipe
from nearcopy.fingerprint import fingerprints
from nearcopy.model import Article, Fingerprint, Verdict
from nearcopy.stores.rows import whole
from nearcopy.streams.messages import Outcome
from nearcopy.text import strip_html

Document = Mapping[str, Any]
TEXTS = ("title", "text")  # all else is found by its whole value
FIELDS = (
    *("id", *TEXTS, "url", "canonical_url", "source", "published", "language", "story_id"),
    *("simhash", "digest"),
)


def documents(outcomes: Iterable[Outcome], recipe: Recipe) -> list[Document]:
    """The new pages among these, the last of each id, each with what results are collapsed by."""
    new: dict[str, tuple[Article, Verdict, str | None]] = {}
    for each in outcomes:
        if each.article is not None and each.verdict is not None and not each.verdict.is_duplicate:
            new[each.article.id] = (each.article, each.verdict, each.canonical_url)
    made = fingerprints([article for article, _, _ in new.values()], recipe)
    return [_document(*each, mark) for each, mark in zip(new.values(), made, strict=True)]


def _document(
    article: Article, verdict: Verdict, address: str | None, mark: Fingerprint
) -> Document:
    found = {
        "id": article.id,
        "title": article.title,
        "text": strip_html(article.text) if article.html else article.text,
        "url": article.url,
        "canonical_url": address,
        "source": article.source,
        "published": article.published.isoformat() if article.published else None,
        "language": article.language,
        "story_id": verdict.story_id,
        "simhash": f"{mark.simhash:016x}" if mark.simhash is not None else None,
        "digest": mark.digest.hex() if mark.digest is not None else None,
    }
    return {name: whole(value) if value else value for name, value in found.items()}
