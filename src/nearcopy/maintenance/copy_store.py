"""Moving: all that a store holds, brought into another, in steps that each last.

Started again it goes on: what is there and the same is passed over. At the end both are read and
compared, and only then does the target count as whole.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

import numpy as np

from nearcopy.errors import StoreError
from nearcopy.maintenance import resume as resuming
from nearcopy.maintenance.inventory import (
    AT_ONCE,
    KINDS,
    Inventory,
    Watch,
    all_ids,
    all_stories,
    compared,
    edge_written,
    said_record,
    some,
    told_stories,
    unwatched,
    written,
)
from nearcopy.models.action import Act
from nearcopy.models.feedback import Feedback
from nearcopy.models.model import Article, Edge, Fingerprint
from nearcopy.stores import Entry, Store
from nearcopy.stores import incomplete as filling
from nearcopy.stores.base import Counts, Runs, Stated
from nearcopy.stores.retry import tried

NO_KEYS = np.zeros(0, np.uint64)
UNFOLLOWED = "make sure that nobody adds to either, and run it again: it goes on"


class Moved(NamedTuple):
    """What was done: articles written now, those that were there already, all there is now."""

    copied: int
    there: int
    held: Inventory


class Arrived(NamedTuple):
    """Articles as they came, with their runs and what stood under their ids before."""

    articles: list[Article]
    runs: Runs
    revised: dict[str, list[Article]]


def copy_store(
    source: Store,
    target: Store,
    *,
    name: str | None = None,
    window: timedelta | None = None,
    at_once: int = AT_ONCE,
    watch: Watch = unwatched,
) -> Moved:
    """Copy all that one store holds into another, which is empty or half of this copy.

    `name` is what the source is called when the copy is gone on with; `at_once` articles are one
    step. Where articles of the target expire they do after the `window`, that of the source if
    there is one.
    """
    stated = opened(source)
    tried(target.bind)(stated.recipe, stated.version, stated.window or window)
    if not filling.begin(target, f"copy of {name or source.address}"):
        return _copied_before(source, target, watch)
    ids = all_ids(source)
    kept = resuming.trim(source, target, ids, ("fingerprints", "keys"), watch=watch)
    done = 0
    for names in some(watch(ids, "copying", total=len(ids)), at_once):
        _copy_articles(source, target, names, names[max(0, kept - done) :], first=done == 0)
        done += len(names)
    copy_stories(source, target)
    copy_rest(source, target)
    held = verified(source, target, watch=watch)
    filling.end(target)
    return Moved(len(ids) - kept, kept, held)


def opened(source: Store) -> Stated:
    """What a source was made with, whatever version of keys it has; it can be read then."""
    stated = tried(source.stated)()
    if stated is None:
        raise StoreError(f"{source.address} holds nothing: nobody has added to it yet")
    tried(source.bind)(None, stated.version)
    filling.refuse_half(source)
    return stated


def _copied_before(source: Store, target: Store, watch: Watch) -> Moved:
    """A target that holds things is fine where they are the same; else it is refused."""
    held, difference = compared(source, target, watch=watch)
    if difference is not None:
        raise StoreError(
            f"{target.address} holds other things already ({difference}): "
            "give a store or a pool that is empty"
        )
    return Moved(0, held["articles"].count, held)


def verified(
    source: Store, target: Store, kinds: Sequence[str] = KINDS, *, watch: Watch = unwatched
) -> Inventory:
    """What both hold of these kinds; where they differ, that is an error."""
    held, difference = compared(source, target, kinds, watch=watch)
    if difference is not None:
        raise StoreError(
            f"{source.address} and {target.address} are not the same: {difference}; {UNFOLLOWED}"
        )
    return held


# Articles.


class _Articles(NamedTuple):
    arrived: Arrived
    entries: list[Entry]
    edges: list[Edge]


def _copy_articles(
    source: Store, target: Store, names: list[str], missing: list[str], *, first: bool
) -> None:
    found = _read_articles(source, missing)
    edges = found.edges if len(missing) == len(names) else _new_edges(source, target, names)
    if missing or edges:
        _write_articles(target, found._replace(edges=edges), look=first)


@tried
def _read_articles(source: Store, names: list[str]) -> _Articles:
    with source.reading():
        arrived = arrived_of(source, names)
        made, keys = source.fingerprints(names), source.keys(names)
        edges = source.edges(names)
    entries = [Entry(each, made[each.id], keys[each.id]) for each in arrived.articles]
    return _Articles(arrived, entries, edges)


def arrived_of(source: Store, names: list[str]) -> Arrived:
    """These articles as they came."""
    found = source.articles(names)
    articles = [found[name] for name in names if name in found]
    return Arrived(articles, source.runs(names), source.revised(names))


@tried
def _new_edges(source: Store, target: Store, names: list[str]) -> list[Edge]:
    """What the source has found between these articles and others, and the target has not."""
    with source.reading():
        found = source.edges(names)
    with target.reading():
        known = set(map(edge_written, target.edges(names)))
    return [edge for edge in found if edge_written(edge) not in known]


@tried
def _write_articles(target: Store, found: _Articles, *, look: bool) -> None:
    """Write articles, as one step; `look` whether the target keeps them whole."""
    with target.writing():
        put_arrived(target, found.arrived, found.entries)
        target.link(found.edges)  # of those of which one is yet to come, the later brings it
        if look:
            refuse_lossy(target, found.arrived.articles)


def refuse_lossy(target: Store, articles: list[Article]) -> None:
    """Raises where a store does not keep articles whole."""
    kept = target.articles([each.id for each in articles])
    if any(written(each) != written(kept[each.id]) for each in articles):
        raise StoreError(
            f"{target.address} does not keep articles as they came: give one that keeps texts too"
        )


def put_arrived(target: Store, arrived: Arrived, entries: Sequence[Entry]) -> None:
    """File articles with their runs, and before each what stood under its id before."""
    longest = max(map(len, arrived.revised.values()), default=0)
    for place in range(longest):
        before = [each[place] for each in arrived.revised.values() if place < len(each)]
        target.put(list(map(_unfound, before)), arrived.runs)
    target.put(entries, arrived.runs)


def _unfound(article: Article) -> Entry:
    """An article to be filed where nothing finds it."""
    made = Fingerprint(id=article.id, published=article.published, seen=article.seen)
    return Entry(article, made, NO_KEYS)


# Stories, and what people said.


def copy_stories(source: Store, target: Store) -> None:
    """Tell the target the stories of the source, and where former ids lead."""
    names = all_stories(source)
    wanted = frozenset(names)
    gone = [name for name in all_stories(target) if name not in wanted]
    for old in some(gone):
        _forget_stories(target, old)
    for new in some(names):
        _tell_stories(source, target, new)
    copy_redirects(source, target)


@tried
def _forget_stories(target: Store, names: list[str]) -> None:
    with target.writing():
        target.tell([], names, {})


@tried
def _tell_stories(source: Store, target: Store, names: list[str]) -> None:
    ours, theirs = told_stories(source, names), told_stories(target, names)
    changed = [name for name, each in ours.items() if theirs.get(name) != each]
    if changed:
        with source.reading():
            stories = source.stories(changed).values()
        with target.writing():
            there = target.runs({each.id for story in stories for each in story.members})
            whole = [s for s in stories if all(each.id in there for each in s.members)]
            target.tell(whole, [], {})  # others are of articles that came since


@tried
def copy_redirects(source: Store, target: Store) -> None:
    """Have former ids of stories lead where they lead in the source."""
    with source.reading():
        found = source.redirects()
    with target.writing():
        known = target.redirects()
        target.tell([], [], {old: new for old, new in found.items() if known.get(old) != new})


@tried
def copy_rest(source: Store, target: Store, *, terms: bool = True) -> None:
    """What people said, how long work took and, where wanted, how often terms stand there."""
    with source.reading():
        told, times, counts = source.all_told(), source.times(None), source.term_counts()
        acts = source.acts()
    with target.writing():
        keep_told(target, told)
        keep_acts(target, acts)
        keep_times(target, times)
        if terms and target.term_counts() != counts:
            target.keep_term_counts(counts)


def keep_told(target: Store, told: Sequence[Feedback]) -> None:
    """Have the target remember this and nothing else of what people said."""
    wanted = {said_record(each): each for each in told}
    known = {said_record(each): each for each in target.all_told()}
    for record, each in known.items():
        if record not in wanted:
            target.take_back(*each.pair)
    for record, each in wanted.items():
        if record not in known:
            target.remember(each)


def keep_acts(target: Store, acts: Sequence[Act]) -> None:
    """Have the journal of the target hold these acts."""
    known = {each.number: each for each in target.acts()}
    for each in acts:
        if known.get(each.number) != each:
            target.journal(each)


def keep_times(target: Store, times: Counts) -> None:
    """Have the target count as many times as these."""
    known = target.times(None)
    missing = {key: count - known.get(key, 0) for key, count in times.items()}
    target.add_times({key: count for key, count in missing.items() if count > 0})
