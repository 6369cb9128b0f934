"""Documents: what a search engine is given of a new page."""

from collections.abc import Iterable, Mapping
from typing import Any

from nearcopy.config import Recipe
from nearcopy.extract.text import strip_html
from nearcopy.fingerprint.fingerprint import fingerprints
from nearcopy.io.streams.messages import Outcome
from nearcopy.models.model import Article, Fingerprint, Verdict
from nearcopy.stores.row_codec import whole

Document = Mapping[str, Any]
TEXTS = ("title", "text")  # all else is found by its whole value
FIELDS = (
    *("id", *TEXTS, "url", "canonical_url", "source", "published", "language", "story_id"),
    *("simhash", "digest"),
)


def build_documents(outcomes: Iterable[Outcome], recipe: Recipe) -> list[Document]:
    """The new pages among these, the last of each id, each with what results are collapsed by."""
    new: dict[str, tuple[Article, Verdict, str | None]] = {}
    for outcome in outcomes:
        if (
            outcome.article is not None
            and outcome.verdict is not None
            and not outcome.verdict.is_duplicate
        ):
            new[outcome.article.id] = (outcome.article, outcome.verdict, outcome.canonical_url)
    marks = fingerprints([article for article, _, _ in new.values()], recipe)
    return [_document(*page, mark) for page, mark in zip(new.values(), marks, strict=True)]


def _document(
    article: Article, verdict: Verdict, address: str | None, mark: Fingerprint
) -> Document:
    fields = {
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
    return {name: whole(value) if value else value for name, value in fields.items()}
