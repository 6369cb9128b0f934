"""Check and add: the verdict on an article by the stored ones, without and with storing it."""

import gc
import logging
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter

from nearcopy.cluster.stories import own_story_id
from nearcopy.deduper.feedback_overlay import matches_with_feedback, same_by_feedback
from nearcopy.deduper.found_matches import FoundMatches, MatchList, best_ids
from nearcopy.deduper.matches import MeasuredPairs, find_matches
from nearcopy.deduper.session import Session, log
from nearcopy.deduper.verdicts import verdict_at_insert
from nearcopy.errors import BadArticle
from nearcopy.models import Article, Verdict
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
        matches = find_matches(
            session.store,
            [entry],
            *session.settings,
            measured=MeasuredPairs(session.fingerprint_table),
        )
        (listed,) = matches_with_feedback(session.store, [entry], matches, *session.settings)
        members = session.store.members(best_ids([listed]))
    verdict = verdict_at_insert(entry.fingerprint, listed, members, stored=False)
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
        members = session.store.members(best_ids(matches))
    verdicts: dict[str, Verdict] = {}
    for (article, fingerprint, _), listed in zip(entries, matches, strict=True):
        verdicts[article.id] = verdict_at_insert(fingerprint, listed, members, stored=False)
        log.debug("checked %s: %s", article.id, verdicts[article.id])
    return [verdicts.get(article.id) or check_stored(session, article) for article in batch]


def match_independently(
    session: Session, entries: list[StoredArticle], *, all_keys: bool = False
) -> Sequence[MatchList]:
    """The matches of each article as if the other entries did not exist."""
    if not entries:
        return []
    matches = find_matches(
        session.store,
        entries,
        *session.settings,
        independent=True,
        all_keys=all_keys,
        measured=MeasuredPairs(session.fingerprint_table),
    )
    if not session.store.feedback_about([entry.article.id for entry in entries]):
        return matches
    return [
        matches_with_feedback(session.store, [entry], [listed], *session.settings)[0]
        for entry, listed in zip(entries, matches, strict=True)
    ]


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


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Leave garbage for later: to collect amid a batch takes a tenth of its time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@retry_transient
@_collector_paused()
def add_batch(session: Session, batch: list[Article], *, cluster: bool = True) -> list[Verdict]:
    """The verdict on each article, all inserted in one transaction; no id comes twice.

    Of several workers adding copies at the same time, exactly one gets `is_duplicate = False`.
    """
    log.debug("adding %d articles", len(batch))
    start, store = perf_counter(), session.store
    entries = session.fingerprint(batch)
    ids = [entry.article.id for entry in entries]
    measured = _match_ahead(session, entries)
    with session.insert_transaction():
        unchanged = _find_unchanged(session, entries)
        changed = [entry for entry in entries if entry.article.id not in unchanged]
        changed_ids = [entry.article.id for entry in changed]
        replaced = session.story_ids_of(store.fingerprints(changed_ids))
        affected = session.neighbours(replaced)
        affected |= {id_ for id_, story in replaced.items() if story != own_story_id(id_)}
        store.save_articles(changed)
        matches = find_matches(
            store, entries, *session.settings, unchanged=unchanged, measured=measured
        )
        new = {id_ for id_ in changed_ids if id_ not in replaced}
        own = {own_story_id(id_): id_ for id_ in new}
        affected |= {own[story] for story in store.used_story_ids(own)}  # ids of other stories
        affected |= _save_edges(session, matches, unchanged)
        affected |= same_by_feedback(store, changed_ids)
        if cluster or replaced:
            session.cluster(affected, replaced, new=new)
        else:
            session.provisional = True
        final = matches_with_feedback(
            store, entries, matches, *session.settings, unchanged=unchanged
        )
        members = store.members({*ids, *best_ids(final)})
        verdicts = [
            verdict_at_insert(entry.fingerprint, listed, members, stored=True)
            for listed, entry in zip(final, entries, strict=True)
        ]
    session.record_latency("add", start, len(batch))
    for verdict in verdicts if log.isEnabledFor(logging.DEBUG) else ():
        log.debug("added %s: %s", verdict.id, verdict)
    return verdicts


def _match_ahead(session: Session, entries: list[StoredArticle]) -> MeasuredPairs:
    """The pairs measured before the transaction, where others are expected to write as well.

    It keeps transactions short: only what was inserted since is compared inside. The first
    transaction of a session is prepared like this too, as its query loads the window.
    """
    measured = MeasuredPairs(session.fingerprint_table)
    if session.contended:
        with session.snapshot():
            find_matches(
                session.store, entries, *session.settings, independent=True, measured=measured
            )
    return measured


def _find_unchanged(session: Session, entries: list[StoredArticle]) -> set[str]:
    """The articles stored already with the same content; when they were seen may differ."""
    stored = session.store.articles([entry.article.id for entry in entries])
    articles = (entry.article for entry in entries if entry.article.id in stored)
    return {a.id for a in articles if replace(a, seen=stored[a.id].seen) == stored[a.id]}


def _save_edges(session: Session, matches: FoundMatches, unchanged: Collection[str]) -> set[str]:
    """Save the edges of changed articles; those that an edge puts into a story."""
    edges = [edge for edge in matches.edges() if edge.a not in unchanged]
    session.store.save_edges(edges)
    return {edge.a for edge in edges if edge.same_story}
