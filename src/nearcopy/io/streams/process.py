"""What comes of messages: each is read, judged and added; one that cannot be stops no other."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace

from nearcopy.deduper.deduper import Deduper
from nearcopy.errors import BadArticle, StoreError
from nearcopy.extract import urls
from nearcopy.io.streams.messages import Message, Outcome
from nearcopy.io.streams.parse import article_of
from nearcopy.models.model import Article, Verdict

log = logging.getLogger("nearcopy")


def process_messages(deduper: Deduper, messages: Sequence[Message]) -> list[Outcome]:
    """What came of each message, in order; their articles are in the store then."""
    return process_articles(deduper, [_read(message) for message in messages])


def process_articles(deduper: Deduper, read: Sequence[Outcome]) -> list[Outcome]:
    """The same of messages whose articles were read already."""
    articles = [outcome.article for outcome in read if outcome.article is not None]
    seen_before = _known(deduper, articles)
    results = zip(_verdicts(deduper, articles), seen_before, strict=True)
    outcomes = [_told(outcome, *next(results)) if outcome.article else outcome for outcome in read]
    return _with_addresses(deduper, outcomes)


def _read(message: Message) -> Outcome:
    try:
        return Outcome(message, article_of(message))
    except BadArticle as exc:
        return Outcome(message, why=str(exc))


def _told(read: Outcome, result: Verdict | str, seen_before: bool) -> Outcome:
    if isinstance(result, str):
        return replace(read, article=None, why=result)
    return replace(read, verdict=result, repeated=seen_before)


def _known(deduper: Deduper, articles: Sequence[Article]) -> list[bool]:
    """Whether each article is in the store already just like this, or comes earlier here."""
    stored = deduper.articles({article.id for article in articles})
    flags: list[bool] = []
    for article in articles:
        before = stored.get(article.id)
        flags.append(before is not None and replace(article, seen=before.seen) == before)
        stored[article.id] = article
    return flags


def _verdicts(deduper: Deduper, articles: list[Article]) -> list[Verdict | str]:
    """A verdict for each, or why it cannot be added; the others are."""
    try:
        return list(deduper.run(articles))
    except StoreError:
        raise
    except Exception:  # whatever one of them has done, it must not hold up the rest for ever
        log.exception("a batch of %d cannot be added at once: adding one by one", len(articles))
        return [_verdict(deduper, article) for article in articles]


def _verdict(deduper: Deduper, article: Article) -> Verdict | str:
    try:
        return deduper.add(article)
    except StoreError:
        raise
    except Exception as exc:
        log.exception("%r cannot be added", article.id)
        reason = str(exc) if isinstance(exc, BadArticle) else repr(exc)
        return f"cannot be added: {reason:.500}"


def _with_addresses(deduper: Deduper, outcomes: list[Outcome]) -> list[Outcome]:
    kept_ids = {outcome.verdict.duplicate_of for outcome in outcomes if outcome.verdict} - {None}
    kept = deduper.articles(name for name in kept_ids if name is not None) if kept_ids else {}
    return [replace(outcome, canonical_url=_address(outcome, kept)) for outcome in outcomes]


def _address(outcome: Outcome, kept: dict[str, Article]) -> str | None:
    """The canonical address of the kept copy; where that has none, its own."""
    copy_of = outcome.verdict and kept.get(outcome.verdict.duplicate_of or "")
    return _first(_own_address(article) for article in (copy_of, outcome.article) if article)


def _own_address(article: Article) -> str | None:
    declared = article.canonical_url and urls.declared(article.url, article.canonical_url)
    return declared or (urls.canonical(article.url) if article.url else None)


def _first(addresses: Iterable[str | None]) -> str | None:
    return next((address for address in addresses if address), None)
