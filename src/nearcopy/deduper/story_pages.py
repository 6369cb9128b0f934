"""Listings: pages of stories, and where the next one begins."""

from dataclasses import dataclass
from datetime import datetime
from typing import get_args

from nearcopy.config import Policy
from nearcopy.deduper.recluster import alone
from nearcopy.errors import BadPolicy
from nearcopy.models.model import Story
from nearcopy.stores import Store
from nearcopy.stores.pagination import After, Listed, Order, Wanted

MOST = 1 << 62


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of stories; `after` is where the next begins, None at the end."""

    stories: tuple[Story, ...]
    after: str | None


def listing(
    store: Store, policy: Policy, wanted: Wanted, *, order: str, after: str | None, limit: int
) -> Listing:
    """The stories that fit, in order, after a place."""
    kind, place = _checked(wanted, order, limit), _read(after)
    places = store.listed(wanted, kind, place, limit + 1)
    shown = places[:limit]
    told = store.stories([each.story for each in shown if each.story is not None])
    made = store.fingerprints([each.article for each in shown if each.article is not None])
    single = {name: alone(each, policy) for name, each in made.items()}
    found = (told[each.story] if each.story else single[each.article or ""] for each in shown)
    return Listing(tuple(found), _written(shown[-1]) if len(places) > limit else None)


def wanted_stories(
    *,
    since: datetime | None,
    until: datetime | None,
    least: int,
    source: str | None,
    text: str | None,
) -> Wanted:
    """What is asked for; outlets are known by name or site in any case."""
    for name, moment in (("since", since), ("until", until)):
        if moment is not None and moment.utcoffset() is None:
            raise BadPolicy(f"{name} is {moment.isoformat()} without a time zone: make it aware")
    outlet = None if source is None else source.casefold().strip()
    return Wanted(least, since, until, outlet, text or None)


def _checked(wanted: Wanted, order: str, limit: int) -> Order:
    for name, value in (("least", wanted.least), ("limit", limit)):
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value < MOST:
            raise BadPolicy(f"{name} is {value!r:.60}: give a whole number above zero")
    for each in get_args(Order):
        if order == each:
            return each  # type: ignore[no-any-return]
    raise BadPolicy(f"order is {order!r:.60}: choose newest or largest")


def _written(place: Listed) -> str:
    return f"{place.size}-{place.latest}"


def _read(after: str | None) -> After | None:
    if after is None:
        return None
    size, mark, latest = after.partition("-")
    if not (mark and _number(size) and _number(latest)):
        raise BadPolicy(f"no page begins at {after!r:.60}: give what a page named last")
    return After(int(size), int(latest))


def _number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 18
