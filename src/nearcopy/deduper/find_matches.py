"""Matching: what is in a store that an article is something to."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import compress, islice
from operator import ne
from typing import NamedTuple

from nearcopy.cluster.kept_copy import by_age
from nearcopy.config import Policy, Recipe
from nearcopy.fingerprint.blocking_keys import looked_by
from nearcopy.fingerprint.term_weights import kept_weights
from nearcopy.kernels import TermWeights
from nearcopy.match.judge_pairs import (
    NOT_COMPARED,
    Articles,
    Judgement,
    comparable,
    judged,
    promising,
    sources_fit,
)
from nearcopy.models.feedback import TOLD_SAME
from nearcopy.models.model import SUREST, Article, Decision, Edge, Fingerprint, Relation
from nearcopy.stores import Entry, Found, Store

THE_SAME = 32  # of these, whose text is the same word for word: each is a copy of the first
PAIRS_AT_ONCE = 4096
LONG_AGO = (0, -1)


class Matched(NamedTuple):
    """An article in the store, and what it is to the one looked at."""

    other: Fingerprint
    judgement: Judgement

    def edge(self, article: str) -> Edge:
        """The same, to be remembered."""
        found = self.judgement
        return Edge(article, self.other.id, found.decision, found.news, found.copy)

    @property
    def surest_first(self) -> tuple[object, ...]:
        """Sorts duplicates first, then the same event, then what is related, then the vetoed."""
        found = self.judgement
        return (*surest_first(found.decision, found.copy), by_age(self.other))


# What was made of two articles in a look at them, None where there is nothing between them.
Seen = dict[tuple[str, str], tuple[Fingerprint, Judgement | None]]
Pair = tuple[int, Fingerprint, Fingerprint]  # an article, its place, and one to compare it with


class Matches(NamedTuple):
    """All that an article is something to, surest first; candidates that were not looked at."""

    found: list[Matched]
    left_out: int


def surest_first(how: Decision, copy: float | None) -> tuple[float, ...]:
    """Sorts what is between articles: what people said to be the same comes first."""
    rank = -(how.rule == TOLD_SAME) if how.duplicate else RANK.get(how.relation, 1)
    return rank, -how.confidence, -(copy or 0.0), SUREST[how.relation]


RANK = {Relation.SAME_EVENT: 2, Relation.RELATED: 3, Relation.DISTINCT: 4}


def matches(
    store: Store,
    entries: Sequence[Entry],
    recipe: Recipe,
    policy: Policy,
    *,
    again: Collection[str] = (),
    apart: bool = False,
    by_all: bool = False,
    seen: Seen | None = None,
) -> list[Matches]:
    """For each article what came before it that it is something to.

    Those that come `again`, as they are in the store, came when they first did, and are compared
    with what was found then; all others come now, one after the other. Where they are looked at
    `apart`, each comes as if the others did not. They are looked for by the keys that the policy
    has a use for, or `by_all`. What was `seen` in an earlier look is not looked at again, and what
    is seen in this one is added to it.
    """
    seen = {} if seen is None else seen
    at_hand = {entry.article.id: entry.article for entry in entries}
    candidates = _candidates(store, entries, policy, again, by_all=by_all)
    names = (
        other.id
        for entry, found in zip(entries, candidates, strict=True)
        if entry.article.id in again
        for other in found.candidates
    )
    came_before = ne if apart else arrivals(store, list(at_hand), again, names)

    pairs = (
        (place, entry.fingerprint, other)
        for place, (entry, found) in enumerate(zip(entries, candidates, strict=True))
        for other in _compared(entry.fingerprint, found, policy, came_before)
    )

    def articles(ids: Collection[str]) -> Mapping[str, Article]:
        wanted = set(ids)
        return store.articles(wanted - at_hand.keys()) | {
            name: at_hand[name] for name in wanted & at_hand.keys()
        }

    weights = kept_weights(store.term_counts())
    found: list[list[Matched]] = [[] for _ in entries]
    for some in _batches(pairs):
        fresh = [pair for pair in some if not _is_seen(pair, seen)]
        judgements = _judgements(fresh, recipe, policy, articles, weights)
        for (_, made, other), judgement in zip(fresh, judgements, strict=True):
            seen[made.id, other.id] = other, judgement
        for place, made, other in some:
            if judgement := seen[made.id, other.id][1]:
                found[place].append(Matched(other, judgement))
    return [
        Matches(sorted(each, key=lambda match: match.surest_first), candidate.left_out)
        for each, candidate in zip(found, candidates, strict=True)
    ]


def _compared(
    made: Fingerprint, found: Found, policy: Policy, came_before: Callable[[str, str], bool]
) -> Iterator[Fingerprint]:
    """Those to be looked at, but of texts that are the same no more than the first few."""
    left = THE_SAME
    for other in found.candidates:
        if came_before(other.id, made.id) and comparable(made, other, policy):
            left -= made.digest is not None and made.digest == other.digest
            if left >= 0 or made.digest != other.digest:
                yield other


def _judgements(
    pairs: Sequence[Pair],
    recipe: Recipe,
    policy: Policy,
    articles: Articles,
    weights: TermWeights | None,
) -> Iterator[Judgement | None]:
    """What is between the two of each pair, if anything."""
    worth = promising([(a, b) for _, a, b in pairs], policy, weights)
    aged = ((a, b) if by_age(a) <= by_age(b) else (b, a) for _, a, b in compress(pairs, worth))
    made = iter(judged(list(aged), recipe, policy, articles, weights=weights))
    for each in worth:
        found = next(made) if each else None
        yield None if found and found.decision.rule == "nothing-in-common" else found


def _candidates(
    store: Store,
    entries: Sequence[Entry],
    policy: Policy,
    again: Collection[str],
    *,
    by_all: bool,
) -> list[Found]:
    """What each article is to be compared with."""
    fresh = [entry for entry in entries if entry.article.id not in again]
    made = [entry.keys for entry in fresh]
    asked = zip(fresh, made if by_all else looked_by(made, policy), strict=True)
    found = iter(store.find([(each.fingerprint, keys) for each, keys in asked], policy.window))
    known = _found_before(store, again)
    names = (entry.article.id for entry in entries)
    return [known[name] if name in known else next(found) for name in names]


def _found_before(store: Store, ids: Collection[str]) -> dict[str, Found]:
    """For each of these what it was found to be something to, or was found to be so later."""
    names: dict[str, list[str]] = {name: [] for name in ids}
    for edge in store.edges(ids) if ids else ():
        for one, other in (edge[:2], edge[1::-1]):
            if one in names and not edge.asked:
                names[one].append(other)
    made = store.fingerprints({other for each in names.values() for other in each})
    return {name: Found([made[other] for other in each], 0) for name, each in names.items()}


def remembered(entries: Sequence[Entry], found: Sequence[Matches]) -> list[Edge]:
    """Of what was found for articles, what a store remembers."""
    return [
        match.edge(entry.article.id)
        for entry, each in zip(entries, found, strict=True)
        for match in each.found
    ]


def between(store: Store, a: str, b: str, recipe: Recipe, policy: Policy) -> Edge:
    """What two stored articles are to each other, found or not."""
    made = sorted(store.fingerprints([a, b]).values(), key=by_age)
    pair = made[0], made[-1]
    if not sources_fit(*pair, policy):
        return Edge(a, b, NOT_COMPARED, 0.0, None)
    weights = kept_weights(store.term_counts())
    (found,) = judged([pair], recipe, policy, store.articles, weights=weights)
    return Edge(a, b, found.decision, found.news, found.copy)


def arrivals(
    store: Store, names: Sequence[str], again: Collection[str], others: Iterable[str]
) -> Callable[[str, str], bool]:
    """Tells whether one article came before another of these names.

    `others` are those in the store to be compared with what comes `again`.
    """
    order = {name: (1, place) for place, name in enumerate(names) if name not in again}
    there = store.numbers({*again, *others} - order.keys()) if again else {}
    order |= {name: (0, number) for name, number in there.items()}
    return lambda one, other: order.get(one, LONG_AGO) < order[other]


def _is_seen(pair: Pair, seen: Seen) -> bool:
    """Whether the two were looked at as they are now."""
    _, made, other = pair
    return seen.get((made.id, other.id), (None, None))[0] is other


def _batches(pairs: Iterable[Pair]) -> Iterator[list[Pair]]:
    rest = iter(pairs)
    while some := list(islice(rest, PAIRS_AT_ONCE)):
        yield some
