"""Resuming: how far a store was filled, told by what is in it."""

from collections.abc import Iterator, Sequence

from nearcopy.maintenance.inventory import Watch, all_ids, of_articles, some, unwatched
from nearcopy.stores import Store
from nearcopy.stores.retry import tried

AS_THEY_CAME = ("articles", "runs", "revisions")


def trim(
    source: Store,
    target: Store,
    ids: list[str],
    more: Sequence[str] = (),
    *,
    watch: Watch = unwatched,
) -> int:
    """How many of the first articles are in the target; what else is there is removed from it.

    A source that was added to meanwhile has new articles at its end; one that was replaced has
    moved there, and its former place in the target is stale.
    """
    there, stale = _in_order(ids, all_ids(target))
    if not there and not stale:
        return 0
    kinds = frozenset({*AS_THEY_CAME, *more})
    same = _same(source, target, watch(there, "comparing", total=len(there)), kinds)
    stale += there[same:]
    for names in some(stale):
        _remove(target, names)
    return same


def _in_order(ids: list[str], there: list[str]) -> tuple[list[str], list[str]]:
    """Those that are there and follow each other as they should, and the others."""
    follow: list[str] = []
    others: list[str] = []
    for name in there:
        fits = len(follow) < len(ids) and ids[len(follow)] == name
        (follow if fits else others).append(name)
    return follow, others


def _same(source: Store, target: Store, ids: Iterator[str], kinds: frozenset[str]) -> int:
    """How many of the first of these articles are the same in both."""
    count = 0
    for names in some(ids):
        ours, theirs = (of_articles(store, names, kinds) for store in (source, target))
        if ours != theirs:
            both = zip(ours, theirs, strict=False)
            wrong = next((a.name for a, b in both if a != b), max(ours, theirs, key=len)[-1].name)
            return count + names.index(wrong)
        count += len(names)
    return count


@tried
def _remove(target: Store, names: list[str]) -> None:
    with target.writing():
        target.remove(names)
