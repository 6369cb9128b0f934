"""Consume a stream: take messages, add their articles, forward the outcomes, acknowledge.

A message that cannot be parsed or added does not stop the others.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import monotonic
from typing import Any

from nearcopy.deduper.deduper import BATCH_SIZE, Deduper
from nearcopy.errors import BadArticle, RecipeMismatch, StoreError
from nearcopy.extract import urls
from nearcopy.io.files import Place, Rejected
from nearcopy.io.files.decompress import not_utf8
from nearcopy.io.files.json import DECODER
from nearcopy.io.files.rows import GUESSED, read_row
from nearcopy.io.streams.messages import Message, Outcome, Sink, Stream
from nearcopy.io.streams.metrics import Counts
from nearcopy.models import Article, Verdict
from nearcopy.stores.retry import Backoff
from nearcopy.stores.row_codec import replace_surrogates

WAIT_SECONDS = 0.25  # for messages, and until a request to stop is noticed
RETRY_SECONDS = 120.0  # for which store errors are retried
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 5.0
LARGEST_TIER = 1 << 31
log = logging.getLogger("nearcopy")


def consume(
    stream: Stream,
    deduper: Deduper,
    *,
    sinks: Sequence[Sink] = (),
    batch: int = BATCH_SIZE,
    stopping: Callable[[], bool] = lambda: False,
    idle_seconds: float | None = None,
    counts: Counts | None = None,
) -> Counts:
    """Consume a stream to its end, until it is to stop, or until it was idle for so long.

    A batch that was begun is completed. Messages are acknowledged once their articles are in the
    store, so that none is lost; a message that is delivered again gets the verdict that it had.
    """
    counts = counts or Counts()
    last = monotonic()
    while not stream.ended and not stopping():
        messages = stream.take(batch, WAIT_SECONDS)
        start = monotonic()
        if messages:
            outcomes = _process_with_retry(deduper, messages, stopping, counts)
            if outcomes is None:
                break
            for sink in sinks:
                sink.write(outcomes)
            stream.settle(outcomes)
            last = monotonic()
            counts.count(outcomes, last - start, stream.lag())
        elif idle_seconds is not None and start - last >= idle_seconds:
            break
    return counts


def _process_with_retry(
    deduper: Deduper, messages: Sequence[Message], stopping: Callable[[], bool], counts: Counts
) -> list[Outcome] | None:
    """The outcomes, retried with exponential backoff; None if it is to stop meanwhile."""
    backoff = Backoff(RETRY_SECONDS, FIRST_PAUSE, LONGEST_PAUSE)
    while True:
        try:
            return process_messages(deduper, messages)
        except RecipeMismatch:
            raise
        except StoreError as exc:
            counts.store_errors += 1
            if backoff.expired:
                raise
            log.warning("retrying in %.1f s: %s", backoff.pause, exc)
        if stopping():
            return None
        backoff.sleep()


# Articles of messages.


def article_of(message: Message) -> Article:
    """The article of a message; one without an id is named after its place."""
    if message.why:
        raise BadArticle(message.why)
    return article_from(_values(message), message.place)


def article_from(values: dict[str, Any], name: str) -> Article:
    """The values as an article that a store can hold; one without an id has this name."""
    parsed = read_row(Place(name, 1), values, GUESSED.places(tuple(values)))
    if isinstance(parsed, Rejected):
        raise BadArticle(parsed.why)
    has_id = parsed.id_column is not None and values[parsed.id_column] not in (None, "")
    article = parsed.article if has_id else replace(parsed.article, id=name)
    check_storable(article)
    return article


def check_storable(article: Article) -> None:
    """Raise where an article is empty, or cannot be stored."""
    if replace_surrogates(article.id) != article.id:
        raise BadArticle("id has a lone surrogate, which no store can hold")
    if article.tier is not None and abs(article.tier) >= LARGEST_TIER:
        raise BadArticle("tier is too large for a store: give a small integer")
    if not (article.title.strip() or article.text.strip() or article.url or article.canonical_url):
        raise BadArticle("text, title and url are all empty: give one of them")


def _values(message: Message) -> dict[str, Any]:
    fields = message.fields
    if fields is None:
        return _decode(message.data)
    only = next(iter(fields.values())) if len(fields) == 1 else b""
    names = tuple(name.decode("utf-8", "replace") for name in fields)
    if only.lstrip().startswith(b"{") or (only and not any(GUESSED.places(names).values())):
        return _decode(only)
    return _texts(fields)


def _texts(fields: Mapping[bytes, bytes]) -> dict[str, Any]:
    try:
        return {name.decode(): value.decode() for name, value in fields.items()}
    except UnicodeDecodeError as exc:
        raise BadArticle(not_utf8(exc)) from None


def _decode(data: bytes) -> dict[str, Any]:
    try:
        value = DECODER.decode(data.decode("utf-8-sig"))
    except UnicodeDecodeError as exc:
        raise BadArticle(not_utf8(exc)) from None
    except (ValueError, RecursionError) as exc:
        raise BadArticle(f"not JSON: {exc}") from None
    if not isinstance(value, dict):
        raise BadArticle(f"expected an object, got {type(value).__name__}")
    return value


# Outcomes.


def process_messages(deduper: Deduper, messages: Sequence[Message]) -> list[Outcome]:
    """The outcomes of messages, in order; their articles are in the store then."""
    return process_articles(deduper, [_parse(message) for message in messages])


def process_articles(deduper: Deduper, parsed: Sequence[Outcome]) -> list[Outcome]:
    """The outcomes of messages whose articles were parsed already."""
    articles = [outcome.article for outcome in parsed if outcome.article is not None]
    repeated = _are_repeated(deduper, articles)
    results = zip(_verdicts(deduper, articles), repeated, strict=True)
    outcomes = [
        _with_verdict(outcome, *next(results)) if outcome.article else outcome for outcome in parsed
    ]
    return _with_canonical_urls(deduper, outcomes)


def _parse(message: Message) -> Outcome:
    try:
        return Outcome(message, article_of(message))
    except BadArticle as exc:
        return Outcome(message, why=str(exc))


def _with_verdict(outcome: Outcome, result: Verdict | str, repeated: bool) -> Outcome:
    if isinstance(result, str):
        return replace(outcome, article=None, why=result)
    return replace(outcome, verdict=result, repeated=repeated)


def _are_repeated(deduper: Deduper, articles: Sequence[Article]) -> list[bool]:
    """Whether each article is stored unchanged, or repeats one of this batch."""
    stored = deduper.articles({article.id for article in articles})
    flags: list[bool] = []
    for article in articles:
        before = stored.get(article.id)
        flags.append(before is not None and replace(article, seen=before.seen) == before)
        stored[article.id] = article
    return flags


def _verdicts(deduper: Deduper, articles: list[Article]) -> list[Verdict | str]:
    """A verdict for each article, or why it cannot be added."""
    try:
        return list(deduper.run(articles))
    except StoreError:
        raise
    except Exception:  # one article must not block the others
        log.exception("a batch of %d cannot be added: adding one by one", len(articles))
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


def _with_canonical_urls(deduper: Deduper, outcomes: list[Outcome]) -> list[Outcome]:
    verdicts = (outcome.verdict for outcome in outcomes if outcome.verdict)
    kept_ids = {verdict.duplicate_of for verdict in verdicts if verdict.duplicate_of is not None}
    kept = deduper.articles(kept_ids) if kept_ids else {}
    return [replace(outcome, canonical_url=_canonical_url(outcome, kept)) for outcome in outcomes]


def _canonical_url(outcome: Outcome, kept: dict[str, Article]) -> str | None:
    """The canonical URL of the kept copy, else of the article itself."""
    copy_of = outcome.verdict and kept.get(outcome.verdict.duplicate_of or "")
    urls_of_both = (_own_url(article) for article in (copy_of, outcome.article) if article)
    return next(filter(None, urls_of_both), None)


def _own_url(article: Article) -> str | None:
    declared = article.canonical_url and urls.declared_address(article.url, article.canonical_url)
    return declared or (urls.canonical(article.url) if article.url else None)
