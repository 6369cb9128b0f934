"""Checking: verdicts and similar articles without writing anything."""

import logging
from collections.abc import Collection, Iterable, Iterator
from time import perf_counter

from nearcopy.deduper.feedback.overlay import matches_with_feedback
from nearcopy.deduper.matches import MatchList, StoredMatch, find_matches
from nearcopy.deduper.session import Session, log
from nearcopy.deduper.verdicts import flag_block_page, verdict_at_insert
from nearcopy.errors import BadArticle
from nearcopy.extract.urls import site
from nearcopy.fingerprint.blocking_keys import blocking_keys
from nearcopy.fingerprint.term_weights import stored_weights
from nearcopy.match.explain import Explanation, explain
from nearcopy.models import Article, Match, Relation, Verdict
from nearcopy.stores import StoredArticle
from nearcopy.stores.retry import retry_transient

BATCH_SIZE = 512  # articles in one transaction


def check(session: Session, article: Article) -> Verdict:
    """The verdict on an article."""
    start = perf_counter()
    verdict = check_stored(session, require_article(article))
    session.record_latency("check", start)
    return verdict


@retry_transient
def check_stored(session: Session, article: Article) -> Verdict:
    """The verdict on an article whose id may be stored: feedback on that id applies."""
    (entry,) = session.fingerprint([article])
    log.debug("checking %s", article.id)
    with session.snapshot():
        measured = find_matches(session.store, [entry], *session.settings)
        (listed,) = apply_feedback_to_matches(session, [entry], measured)
        members = session.store.members([match.other.id for match in listed.matches[:1]])
    verdict = verdict_at_insert(article.id, listed, members, stored=False)
    verdict = flag_block_page(verdict, entry.fingerprint)
    log.debug("checked %s: %s", article.id, verdict)
    return verdict


def check_all(session: Session, articles: Iterable[Article]) -> list[Verdict]:
    """The verdict on each article, as `check` has it, with fewer queries."""
    start = perf_counter()
    listed = list(map(require_article, articles))
    verdicts = [v for batch in article_batches(listed) for v in _check_batch(session, batch)]
    if listed:
        session.record_latency("check", start, len(listed))
    return verdicts


@retry_transient
def _check_batch(session: Session, batch: list[Article]) -> list[Verdict]:
    """The verdict on each article; one with a stored id is checked by itself."""
    entries = session.fingerprint(batch)
    for article in batch if log.isEnabledFor(logging.DEBUG) else ():
        log.debug("checking %s", article.id)
    with session.snapshot():
        stored = session.store.sequence_numbers([article.id for article in batch])
        entries = [entry for entry in entries if entry.article.id not in stored]
        matches = match_independently(session, entries)
        best = [match.other.id for listed in matches for match in listed.matches[:1]]
        members = session.store.members(best)
    verdicts: dict[str, Verdict] = {}
    for (article, fingerprint, _), listed in zip(entries, matches, strict=True):
        verdict = verdict_at_insert(article.id, listed, members, stored=False)
        verdicts[article.id] = flag_block_page(verdict, fingerprint)
        log.debug("checked %s: %s", article.id, verdicts[article.id])
    return [verdicts.get(article.id) or check_stored(session, article) for article in batch]


def match_independently(
    session: Session, entries: list[StoredArticle], *, all_keys: bool = False
) -> list[MatchList]:
    """The matches of each article as if the other entries did not exist."""
    if not entries:
        return []
    matches = find_matches(
        session.store, entries, *session.settings, independent=True, all_keys=all_keys
    )
    if not session.store.feedback_about([entry.article.id for entry in entries]):
        return matches
    return [
        apply_feedback_to_matches(session, [entry], [listed])[0]
        for entry, listed in zip(entries, matches, strict=True)
    ]


def apply_feedback_to_matches(
    session: Session,
    entries: list[StoredArticle],
    matches: list[MatchList],
    unchanged: Collection[str] = (),
) -> list[MatchList]:
    """The matches with user feedback applied."""
    return matches_with_feedback(
        session.store, entries, matches, *session.settings, unchanged=unchanged
    )


@retry_transient
def find_similar(session: Session, ids: Iterable[str], limit: int) -> dict[str, list[Match]]:
    """The most similar articles of each stored article."""
    unique = list(dict.fromkeys(ids))
    with session.snapshot():
        fingerprints = session.require(unique)
        articles = session.store.articles(unique)
        keys_by_article = blocking_keys([fingerprints[id_] for id_ in unique], session.recipe)
        entries = [
            StoredArticle(articles[id_], fingerprints[id_], found)
            for id_, found in zip(unique, keys_by_article, strict=True)
        ]
        matches = [
            _most_similar(listed, limit)
            for listed in match_independently(session, entries, all_keys=True)
        ]
        others = session.store.articles({m.other.id for listed in matches for m in listed})
    return {
        id_: [_public_match(match, others[match.other.id]) for match in listed]
        for id_, listed in zip(unique, matches, strict=True)
    }


@retry_transient
def explain_pair(session: Session, a: str, b: str) -> Explanation:
    """The decision between two stored articles, step by step."""
    with session.snapshot():
        weights = stored_weights(session.store.term_counts())
        session.require([a, b])
        articles = session.store.articles([a, b])
    return explain(articles[a], articles[b], *session.settings, weights=weights)


def require_article(article: object) -> Article:
    """The article; raises BadArticle where it is anything else."""
    if not isinstance(article, Article):
        raise BadArticle(
            f"expected an Article, got {type(article).__name__}: make one, as Article(id=..., ...)"
        )
    return article


def article_batches(articles: Iterable[Article]) -> Iterator[list[Article]]:
    """The articles in batches of distinct ids; those before an invalid one are not lost."""
    if isinstance(articles, Article):
        raise BadArticle("expected articles, got one Article: give a list of them, or use add()")
    batch: dict[str, Article] = {}
    try:
        for article in map(require_article, articles):
            if article.id in batch or len(batch) == BATCH_SIZE:
                yield list(batch.values())
                batch = {}
            batch[article.id] = article
    except Exception:
        if batch:
            yield list(batch.values())
        raise
    if batch:
        yield list(batch.values())


def _most_similar(matches: MatchList, limit: int) -> list[StoredMatch]:
    related = [
        match
        for match in matches.matches
        if match.judgement.decision.relation is not Relation.DISTINCT
    ]
    return sorted(related, key=lambda match: (-_score(match), match.other.id))[:limit]


def _score(match: StoredMatch) -> float:
    return max(match.judgement.event_score, match.judgement.overlap or 0.0)


def _public_match(match: StoredMatch, article: Article) -> Match:
    judgement = match.judgement
    return Match(
        article.id,
        article.title,
        site(article.url) if article.url else None,
        _score(match),
        judgement.decision.relation,
        judgement.decision.confidence,
        judgement.event_score,
        judgement.overlap,
    )
