"""Retention and verification: articles removed by id or by age, and the checks of a store."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from itertools import islice
from time import perf_counter, sleep

from nearcopy.deduper.check_and_add import check_stored
from nearcopy.deduper.neighbourhood import with_whole_stories
from nearcopy.deduper.session import Session
from nearcopy.errors import BadArticle
from nearcopy.fingerprint.blocking_keys import VERSION, blocking_keys
from nearcopy.models import Check
from nearcopy.stores.retry import retry_transient

MIN_BATCH = 16  # articles per transaction: fewer take nearly as long
MAX_BATCH = 2000
TARGET_SECONDS = 0.03  # of a transaction, for which other writers wait
PAUSE_SECONDS = 0.005  # between two transactions, for other writers


@retry_transient
def forget_batch(session: Session, ids: list[str]) -> int:
    """Remove articles; how many were stored."""
    with session.transaction():
        removed = session.story_ids_of(session.store.fingerprints(ids))
        neighbours = session.neighbours(removed) - removed.keys()
        count = session.store.remove(removed)
        session.cluster(neighbours, removed)
        return count


def purge(session: Session, before: datetime) -> int:
    """Remove articles published before a time, in short transactions; how many there were."""
    if not isinstance(before, datetime) or before.utcoffset() is None:
        raise BadArticle(f"before is {before!r}: give a datetime with a time zone")
    cursor: list[Iterator[str]] = []
    batch_size, total = MIN_BATCH, 0
    while batch := _next_batch(session, before, cursor, batch_size):
        count, seconds = _purge_batch(session, batch, before)
        total, batch_size = total + count, _next_batch_size(batch_size, seconds)
        sleep(PAUSE_SECONDS)
    while _collect_garbage(session, before):
        sleep(PAUSE_SECONDS)
    return total


@retry_transient
def _next_batch(
    session: Session, before: datetime, cursor: list[Iterator[str]], size: int
) -> list[str]:
    """The next ids to purge; an interrupted listing begins again."""
    with session.snapshot():
        if not cursor:
            cursor.append(session.store.ids_before(before))
        try:
            return list(islice(cursor[0], size))
        except BaseException:
            cursor.clear()
            raise


@retry_transient
def _purge_batch(session: Session, ids: list[str], before: datetime) -> tuple[int, float]:
    """Remove all expired articles of the stories of these; how many, and the seconds it took."""
    with session.transaction():
        start = perf_counter()
        dates = session.store.dates(with_whole_stories(session.store, ids))
        # Another writer may have replaced one by a newer version.
        expired = session.story_ids_of(id_ for id_, date in dates.items() if date and date < before)
        count = session.store.drop(expired)
        session.cluster(dates.keys() - expired.keys(), expired)
    return count, perf_counter() - start


@retry_transient
def _collect_garbage(session: Session, before: datetime) -> bool:
    with session.transaction():
        return session.store.collect_garbage(before)


def _next_batch_size(size: int, seconds: float) -> int:
    """The batch size that takes about the target time, after a batch that took this long.

    A very slow one may have waited for a disk: at least a quarter of it is tried.
    """
    fitting = int(size * TARGET_SECONDS / max(seconds, 1e-6))
    return max(MIN_BATCH, min(max(fitting, size // 4), 2 * size, MAX_BATCH))


SAMPLE_SIZE = 200
PROBE_ID = "nearcopy-verify"  # no article has it


@retry_transient
def verify(session: Session) -> list[Check]:
    """All checks of the store; nothing is written."""
    with session.lock:
        with session.snapshot():
            newest = list(islice(reversed(list(session.store.ids())), SAMPLE_SIZE))
            checks = [
                *session.store.verify(),
                _check_recipe(session),
                _check_window(session, newest),
            ]
        return [*checks, _check_known_duplicate(session, newest)]


def _check_recipe(session: Session) -> Check:
    oldest = list(islice(session.store.ids(), SAMPLE_SIZE))
    recipes = {fingerprint.recipe for fingerprint in session.store.fingerprints(oldest).values()}
    recipe = session.recipe.id
    return Check("recipe", recipes <= {recipe}, f"{recipe}, keys of version {VERSION}")


def _check_window(session: Session, newest: list[str]) -> Check:
    """Whether each of the newest articles is a candidate by its own keys."""
    fingerprints = list(session.store.fingerprints(newest).values())
    keys_by_article = blocking_keys(fingerprints, session.recipe)
    probes = [(f, k) for f, k in zip(fingerprints, keys_by_article, strict=True) if len(k)]
    start, window = perf_counter(), session.policy.window
    candidates = session.store.find_candidates(probes, window, len(fingerprints) + 1000)
    millis = 1000 * (perf_counter() - start)
    lost = [f.id for (f, _), c in zip(probes, candidates, strict=True) if f not in c.candidates]
    days = "without a window" if window is None else f"in a window of {window.days} d"
    detail = f"{len(probes) - len(lost)} of {len(probes)} found {days}, in {millis:.0f} ms"
    return Check("window", not lost, detail + (f"; not: {', '.join(lost[:5])}" if lost else ""))


def _check_known_duplicate(session: Session, newest: list[str]) -> Check:
    """Whether a copy of a stored article under another id is a duplicate."""
    with session.store.snapshot():
        articles = session.store.articles(newest).values()
    longest = max(articles, key=lambda article: len(article.text), default=None)
    if longest is None or not longest.text:
        return Check("known duplicate", True, "no article with a text: nothing to look for")
    verdict = check_stored(session, replace(longest, id=PROBE_ID, url=None, canonical_url=None))
    detail = f"a copy of {longest.id!r} is {verdict.relation} of {verdict.match!r}"
    return Check("known duplicate", verdict.is_duplicate, detail)
