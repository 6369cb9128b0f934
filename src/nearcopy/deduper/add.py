"""Adding: check-and-add in one transaction, then the stories that it changes."""

import logging
from collections.abc import Collection, Iterable
from dataclasses import replace
from time import perf_counter

from nearcopy.cluster.story_ids import own_story_id
from nearcopy.deduper.check import apply_feedback_to_matches
from nearcopy.deduper.feedback.overlay import same_by_feedback
from nearcopy.deduper.matches import MatchList, PairCache, edges_to_store, find_matches
from nearcopy.deduper.session import Session, log
from nearcopy.deduper.verdicts import flag_block_page, verdict_at_insert
from nearcopy.models import Article, Verdict
from nearcopy.stores import StoredArticle
from nearcopy.stores.retry import retry_transient


@retry_transient
def add_batch(session: Session, batch: list[Article], *, cluster: bool = True) -> list[Verdict]:
    """The verdict on each article, all inserted in one transaction; no id comes twice.

    Of several workers adding copies at the same time, exactly one gets `is_duplicate = False`.
    """
    log.debug("adding %d articles", len(batch))
    start, store = perf_counter(), session.store
    entries = session.fingerprint(batch)
    ids = [entry.article.id for entry in entries]
    cache = _match_ahead(session, entries)
    with session.insert_transaction():
        unchanged = _find_unchanged(session, entries)
        changed = [entry for entry in entries if entry.article.id not in unchanged]
        changed_ids = [entry.article.id for entry in changed]
        replaced = session.story_ids_of(store.fingerprints(changed_ids))
        affected = session.neighbours(replaced)
        affected |= {id_ for id_, story in replaced.items() if story != own_story_id(id_)}
        store.save_articles(changed)
        matches = find_matches(store, entries, *session.settings, unchanged=unchanged, cache=cache)
        new = {id_ for id_ in changed_ids if id_ not in replaced}
        affected |= _with_used_story_id(session, new)
        affected |= _save_edges(session, entries, matches, unchanged)
        affected |= same_by_feedback(store, changed_ids)
        if cluster or replaced:
            session.cluster(affected, replaced, new=new)
        else:
            session.provisional = True
        matches = apply_feedback_to_matches(session, entries, matches, unchanged)
        best = {match.other.id for listed in matches for match in listed.matches[:1]}
        members = store.members({*ids, *best})
        verdicts = [
            flag_block_page(verdict_at_insert(id_, listed, members, stored=True), entry.fingerprint)
            for id_, listed, entry in zip(ids, matches, entries, strict=True)
        ]
    session.record_latency("add", start, len(batch))
    for verdict in verdicts if log.isEnabledFor(logging.DEBUG) else ():
        log.debug("added %s: %s", verdict.id, verdict)
    return verdicts


def _match_ahead(session: Session, entries: list[StoredArticle]) -> PairCache:
    """Judgements made before the transaction, where others are expected to write as well.

    It keeps transactions short: only what was inserted since is compared inside. The first
    transaction of a session is prepared like this too, as its query loads the window.
    """
    cache: PairCache = {}
    if session.contended:
        with session.snapshot():
            find_matches(session.store, entries, *session.settings, independent=True, cache=cache)
    return cache


def _find_unchanged(session: Session, entries: list[StoredArticle]) -> set[str]:
    """The articles stored already with the same content; when they were seen may differ."""
    stored = session.store.articles([entry.article.id for entry in entries])
    articles = (entry.article for entry in entries if entry.article.id in stored)
    return {a.id for a in articles if replace(a, seen=stored[a.id].seen) == stored[a.id]}


def _save_edges(
    session: Session,
    entries: list[StoredArticle],
    matches: list[MatchList],
    unchanged: Collection[str],
) -> set[str]:
    """Save the edges of changed articles; those that an edge puts into a story."""
    edges = [edge for edge in edges_to_store(entries, matches) if edge.a not in unchanged]
    session.store.save_edges(edges)
    return {edge.a for edge in edges if edge.same_story}


def _with_used_story_id(session: Session, new: Iterable[str]) -> set[str]:
    """The new articles whose own story id belongs to another story already."""
    own = {own_story_id(id_): id_ for id_ in new}
    return {own[story] for story in session.store.used_story_ids(own)}
