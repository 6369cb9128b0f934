"""Verification: integrity checks of a store, among them whether it finds what it holds."""

from dataclasses import replace
from itertools import islice
from time import perf_counter

from nearcopy.deduper.check import check_stored
from nearcopy.deduper.session import Session
from nearcopy.fingerprint.blocking_keys import VERSION, blocking_keys
from nearcopy.models import Check
from nearcopy.stores.retry import retry_transient

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
