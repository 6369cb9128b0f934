"""Rebuilding: articles fingerprinted and compared anew, in the order and the runs they came in.

The store that is rebuilt is only read: the new one is another, and takes its place when whole.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from nearcopy.cluster.stories import Brake
from nearcopy.config import Policy, Recipe
from nearcopy.deduper.find_matches import between, matches, remembered
from nearcopy.deduper.recluster import settle
from nearcopy.deduper.term_counts import counted, linked_anew
from nearcopy.errors import StoreError
from nearcopy.fingerprint.blocking_keys import VERSION, keys
from nearcopy.fingerprint.fingerprint import fingerprints
from nearcopy.maintenance import resume as resuming
from nearcopy.maintenance.copy_store import (
    Arrived,
    arrived_of,
    copy_rest,
    keep_acts,
    keep_times,
    keep_told,
    opened,
    put_arrived,
    refuse_lossy,
    verified,
)
from nearcopy.maintenance.inventory import AT_ONCE, Inventory, Watch, all_ids, some, unwatched
from nearcopy.models.action import Act
from nearcopy.models.feedback import Feedback
from nearcopy.models.model import Member, Story
from nearcopy.stores import Entry, Store
from nearcopy.stores import incomplete as filling
from nearcopy.stores.base import Counts
from nearcopy.stores.retry import tried

STAYS = (*resuming.AS_THEY_CAME, "feedback", "acts", "times")


class Settings(NamedTuple):
    """How articles are fingerprinted and judged."""

    recipe: Recipe
    policy: Policy
    threads: int = 1


class Retold(NamedTuple):
    """How many stories of several articles there are now, and which of them were braked."""

    stories: int
    braked: tuple[Brake, ...]


class Rebuilt(NamedTuple):
    """What was done: articles written now, those that were there already, what stayed as it was."""

    added: int
    there: int
    retold: Retold
    held: Inventory


def rebuild(
    source: Store,
    target: Store,
    settings: Settings,
    *,
    name: str | None = None,
    at_once: int = AT_ONCE,
    watch: Watch = unwatched,
) -> Rebuilt:
    """Fingerprint all articles of a store anew into another, and tell their stories anew.

    Ids, dates, runs, revisions, what people said and, as far as they are told again, the ids of
    stories stay.
    """
    opened(source)
    made_of = f"rebuild of {name or source.address} with recipe {settings.recipe.id}"
    begin(target, settings, made_of)
    ids = all_ids(source)
    kept = resuming.trim(source, target, ids, watch=watch)
    for names in some(watch(ids[kept:], "rebuilding", total=len(ids) - kept), at_once):
        add_arrived(target, _with_texts(source, names), settings)
    copy_rest(source, target, terms=False)
    if tried(source.term_counts)():
        _learn(target, settings, watch)
    retold = retell(target, _former(source, ids), _redirects(source), settings)
    held = verified(source, target, STAYS, watch=watch)
    filling.end(target)
    return Rebuilt(len(ids) - kept, kept, retold, held)


class Aside(NamedTuple):
    """What there is beside articles: their former stories, where ids lead, what people said."""

    former: Mapping[str, str]
    redirects: Mapping[str, str]
    told: Sequence[Feedback]
    times: Counts
    terms: bytes  # how often they stand in the articles, as it was kept
    acts: Sequence[Act] = ()


class Filled(NamedTuple):
    """What was done: articles written now, those that were there already, the stories."""

    added: int
    there: int
    retold: Retold


def fill(
    target: Store, batches: Iterable[Arrived], aside: Aside, settings: Settings, *, name: str
) -> Filled:
    """Put articles into an empty store as they came elsewhere, and tell their stories."""
    begin(target, settings, name)
    _keep_terms(target, aside.terms)
    added = there = 0
    for arrived in batches:
        new = _missing(target, arrived)
        if new.articles:
            add_arrived(target, new, settings)
        added += len(new.articles)
        there += len(arrived.articles) - len(new.articles)
    _keep_aside(target, aside)
    retold = retell(target, aside.former, aside.redirects, settings)
    filling.end(target)
    return Filled(added, there, retold)


@tried
def _keep_terms(target: Store, terms: bytes) -> None:
    with target.writing():
        if target.term_counts() != terms:
            target.keep_term_counts(terms)


@tried
def _missing(target: Store, arrived: Arrived) -> Arrived:
    """Those that the target does not have yet."""
    with target.reading():
        there = target.runs([each.id for each in arrived.articles])
    new = [each for each in arrived.articles if each.id not in there]
    return arrived._replace(
        articles=new,
        revised={each.id: arrived.revised[each.id] for each in new if each.id in arrived.revised},
    )


@tried
def _keep_aside(target: Store, aside: Aside) -> None:
    with target.writing():
        keep_told(target, aside.told)
        keep_acts(target, aside.acts)
        keep_times(target, aside.times)


def begin(target: Store, settings: Settings, what: str) -> None:
    """Have a store ready to be filled with articles; one that holds other things is refused."""
    tried(target.bind)(settings.recipe, VERSION, settings.policy.window)
    if not filling.begin(target, what):
        raise StoreError(
            f"{target.address} holds other things already: give a store or a pool that is empty"
        )


@tried
def _with_texts(source: Store, names: list[str]) -> Arrived:
    """These articles as they came, where the store has their texts."""
    with source.reading():
        found = arrived_of(source, names)
        silent = [each.id for each in found.articles if not each.text]
        lost = [each.id for each in source.fingerprints(silent).values() if each.words]
    if lost:
        raise StoreError(f"{source.address} keeps no texts: it can be copied, but not rebuilt")
    return found


@tried
def add_arrived(target: Store, arrived: Arrived, settings: Settings) -> None:
    """File articles and what they are to those before them, as one step."""
    made = list(fingerprints(arrived.articles, settings.recipe, threads=settings.threads))
    entries = list(map(Entry, arrived.articles, made, keys(made, settings.recipe)))
    with target.writing():
        put_arrived(target, arrived, entries)
        refuse_lossy(target, arrived.articles[:1])
        found = matches(target, entries, settings.recipe, settings.policy)
        target.link(remembered(entries, found))


def _learn(target: Store, settings: Settings, watch: Watch) -> None:
    """Count how often terms stand in the articles, and judge all by it."""
    names = all_ids(target)
    _count(target, names)
    for each in some(watch(names, "judging", total=len(names))):
        _link_anew(target, each, settings)


@tried
def _count(target: Store, names: list[str]) -> None:
    with target.writing():
        counted(target, some(names))


@tried
def _link_anew(target: Store, names: list[str], settings: Settings) -> None:
    with target.writing():
        linked_anew(target, names, settings.recipe, settings.policy)


@tried
def _redirects(source: Store) -> dict[str, str]:
    with source.reading():
        return source.redirects()


def _former(source: Store, ids: list[str]) -> dict[str, str]:
    """The stories that articles are remembered to be in."""
    found: dict[str, str] = {}
    for names in some(ids):
        found |= _stories_of(source, names)
    return found


@tried
def _stories_of(source: Store, names: list[str]) -> dict[str, str]:
    with source.reading():
        return {name: story for name, (story, _) in source.members(names).items()}


def retell(
    target: Store, former: Mapping[str, str], redirects: Mapping[str, str], settings: Settings
) -> Retold:
    """Tell all stories, under the ids that they had where articles were in one before."""
    braked = _settle(target, former, redirects, settings)
    sizes = tried(target.tally)(None).sizes
    return Retold(sum(count for size, count in sizes.items() if size > 1), braked)


@tried
def _settle(
    target: Store, former: Mapping[str, str], redirects: Mapping[str, str], settings: Settings
) -> tuple[Brake, ...]:
    judge = partial(between, target, recipe=settings.recipe, policy=settings.policy)
    with target.writing():
        ids = list(target.ids())
        target.tell(_as_before(ids, former), [], redirects)
        return settle(target, {*ids}, settings.policy, judge, were={}, whole=True).braked


def _as_before(ids: list[str], former: Mapping[str, str]) -> list[Story]:
    """Stories of the articles that were in one, to be told anew under the same id."""
    together: dict[str, list[str]] = {}
    for name in ids:
        if name in former:
            together.setdefault(former[name], []).append(name)
    return [
        Story(story, names[0], "", tuple(Member(each, None, 1.0, "kept") for each in names))
        for story, names in together.items()
    ]
