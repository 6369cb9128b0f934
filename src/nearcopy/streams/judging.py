"""What comes of messages: each is read, judged and added; one that cannot be stops no other."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace

from nearcopy import urls
from nearcopy.deduper import Deduper
from nearcopy.errors import BadArticle, StoreError
from nearcopy.model import Article, Verdict
from nearcopy.streams.messages import Message, Outcome
from nearcopy.streams.reading import article_of

log = logging.getLogger("nearcopy")


def judged(deduper: Deduper, messages: Sequence[Message]) -> list[Outcome]:
    """What came of each message, in order; their articles are in the store then."""
    return judged_articles(deduper, [_read(message) for message in messages])


def judged_articles(deduper: Deduper, read: Sequence[Outcome]) -> list[Outcome]:
    """The same of messages whose articles were read already."""
    articles = [each.article for each in read if each.article is not None]
    known = _known(deduper, articles)
    found = zip(_verdicts(deduper, articles), known, strict=True)
    told = [_told(each, *next(found)) if each.article else each for each in read]
    return _with_addresses(deduper, told)


def _read(message: Message) -> Outcome:
    try:
        return Outcome(message, article_of(message))
    except BadArticle as wrong:
        return Outcome(message, why=str(wrong))


def _told(read: Outcome, found: Verdict | str, again: bool) -> Outcome:
    if isinstance(found, str):
        return replace(read, article=None, why=found)
    return replace(read, verdict=found, again=again)


def _known(deduper: Deduper, articles: Sequence[Article]) -> list[bool]:
    """Whether each article is in the store already just like this, or comes earlier here."""
    there = deduper.articles({each.id for each in articles})
    known: list[bool] = []
    for each in articles:
        before = there.get(each.id)
        known.append(before is not None and replace(each, seen=before.seen) == before)
        there[each.id] = each
    return known


def _verdicts(deduper: Deduper, articles: list[Article]) -> list[Verdict | str]:
    """A verdict for each, or why it cannot be added; the others are."""
    try:
        return list(deduper.run(articles))
    except StoreError:
        raise
    except Exception:  # whatever one of them has done, it must not hold up the rest for ever
        log.exception("a batch of %d cannot be added at once: adding one by one", len(articles))
        return [_verdict(deduper, each) for each in articles]


def _verdict(deduper: Deduper, article: Article) -> Verdict | str:
    try:
        return deduper.add(article)
    except StoreError:
        raise
    except Exception as wrong:
        log.exception("%r cannot be added", article.id)
        said = str(wrong) if isinstance(wrong, BadArticle) else repr(wrong)
        return f"cannot be added: {said:.500}"


def _with_addresses(deduper: Deduper, told: list[Outcome]) -> list[Outcome]:
    wanted = {each.verdict.duplicate_of for each in told if each.verdict} - {None}
    kept = deduper.articles(name for name in wanted if name is not None) if wanted else {}
    return [replace(each, canonical_url=_address(each, kept)) for each in told]


def _address(outcome: Outcome, kept: dict[str, Article]) -> str | None:
    """The canonical address of the kept copy; where that has none, its own."""
    copy_of = outcome.verdict and kept.get(outcome.verdict.duplicate_of or "")
    return _first(_own_address(each) for each in (copy_of, outcome.article) if each)


def _own_address(article: Article) -> str | None:
    declared = article.canonical_url and urls.declared(article.url, article.canonical_url)
    return declared or (urls.canonical(article.url) if article.url else None)


def _first(found: Iterable[str | None]) -> str | None:
    return next((each for each in found if each), None)
