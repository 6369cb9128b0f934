"""Verifying: whether a store finds what it should, by looking for what it holds."""

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from time import perf_counter

from nearcopy.config import Policy, Recipe
from nearcopy.fingerprint.blocking_keys import VERSION, keys
from nearcopy.models.model import Article, Check, Verdict
from nearcopy.stores import Store

LOOKED_AT = 200
PROBE = "nearcopy-verify"  # no article is called that


def verify(
    store: Store, recipe: Recipe, policy: Policy, check: Callable[[Article], Verdict]
) -> list[Check]:
    """One check for each thing looked at; nothing is written."""
    with store.reading():
        newest = list(islice(reversed(list(store.ids())), LOOKED_AT))
        found = [*store.verify(), _recipe(store, recipe), _window(store, newest, recipe, policy)]
    return [*found, _known_copy(store, newest, check)]


def _recipe(store: Store, recipe: Recipe) -> Check:
    made = {each.recipe for each in store.fingerprints(list(store.ids())[:LOOKED_AT]).values()}
    return Check("recipe", made <= {recipe.id}, f"{recipe.id}, keys of version {VERSION}")


def _window(store: Store, newest: list[str], recipe: Recipe, policy: Policy) -> Check:
    """Whether each of the newest articles is found by its own keys."""
    made = list(store.fingerprints(newest).values())
    with_keys = [(a, k) for a, k in zip(made, keys(made, recipe), strict=True) if len(k)]
    start = perf_counter()
    found = store.find(with_keys, policy.window, len(made) + 1000)
    spent = 1000 * (perf_counter() - start)
    lost = [a.id for (a, _), f in zip(with_keys, found, strict=True) if a not in f.candidates]
    days = "without a window" if policy.window is None else f"in a window of {policy.window.days} d"
    said = f"{len(with_keys) - len(lost)} of {len(with_keys)} found {days}, in {spent:.0f} ms"
    return Check("window", not lost, said + (f"; not: {', '.join(lost[:5])}" if lost else ""))


def _known_copy(store: Store, newest: list[str], check: Callable[[Article], Verdict]) -> Check:
    """Whether a copy of an article in the store, under another id, is found to be one."""
    with store.reading():
        longest = max(store.articles(newest).values(), key=lambda a: len(a.text), default=None)
    if longest is None or not longest.text:
        return Check("known duplicate", True, "no article with a text: nothing to look for")
    verdict = check(replace(longest, id=PROBE, url=None, canonical_url=None))
    said = f"a copy of {longest.id!r} is found to be {verdict.relation} of {verdict.match!r}"
    return Check("known duplicate", verdict.is_duplicate, said)
