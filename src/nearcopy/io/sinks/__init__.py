"""Search indexes that receive new articles: Elasticsearch, OpenSearch, SQLite FTS5."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any

from nearcopy.config import Recipe
from nearcopy.errors import NearcopyError
from nearcopy.extract.text import plain_text
from nearcopy.fingerprint.fingerprint import fingerprints
from nearcopy.io.streams.messages import Outcome, Sink
from nearcopy.models import Article, Fingerprint, Verdict
from nearcopy.stores.row_codec import replace_surrogates

Document = Mapping[str, Any]
TEXTS = ("title", "text")  # full text; other fields are keywords
FIELDS = (
    *("id", *TEXTS, "url", "canonical_url", "source", "published", "language", "story_id"),
    *("simhash", "digest"),
)


def build_documents(outcomes: Iterable[Outcome], recipe: Recipe) -> list[Document]:
    """A document for each article that is no duplicate, the last one of each id."""
    new = {
        outcome.article.id: (outcome.article, outcome.verdict, outcome.canonical_url)
        for outcome in outcomes
        if outcome.article and outcome.verdict and not outcome.verdict.is_duplicate
    }
    prints = fingerprints([article for article, _, _ in new.values()], recipe)
    return [
        _document(*page, fingerprint)
        for page, fingerprint in zip(new.values(), prints, strict=True)
    ]


def _document(
    article: Article, verdict: Verdict, canonical_url: str | None, fingerprint: Fingerprint
) -> Document:
    fields = {
        "id": article.id,
        "title": article.title,
        "text": plain_text(article.text, html=article.html),
        "url": article.url,
        "canonical_url": canonical_url,
        "source": article.source,
        "published": article.published.isoformat() if article.published else None,
        "language": article.language,
        "story_id": verdict.story_id,
        "simhash": f"{fingerprint.simhash:016x}" if fingerprint.simhash is not None else None,
        "digest": fingerprint.digest.hex() if fingerprint.digest is not None else None,
    }
    return {name: replace_surrogates(value) if value else value for name, value in fields.items()}


SQLITE = "sqlite:///"
WEB = ("http://", "https://")


@contextmanager
def open_index(address: str, recipe: Recipe, authorization: str | None) -> Iterator[Sink]:
    """The index at a URL of Elasticsearch or OpenSearch, or in a SQLite file."""
    if address.startswith(WEB):
        from nearcopy.io.sinks.elasticsearch import BulkSink, bulk_settings

        yield BulkSink(bulk_settings(address, authorization), recipe)
    elif "://" in address and not address.startswith(SQLITE):
        raise NearcopyError(
            "which index? Give http://HOST:9200/NAME, or a SQLite file, such as pages.db"
        )
    else:
        from nearcopy.io.sinks.sqlite_fts import FtsIndex

        with closing(FtsIndex(address.removeprefix(SQLITE), recipe)) as index:
            yield index
