"""Matching: what is in a store that an article is something to."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import compress, islice
from typing import NamedTuple

from nearcopy.config import Policy, Recipe
from nearcopy.feedback import TOLD_SAME
from nearcopy.judge import Judgement, judged, promising, within
from nearcopy.keeper import by_age
from nearcopy.model import Article, Edge, Fingerprint, Relation
from nearcopy.rarity import kept_weights
from nearcopy.stores import Entry, Store

CANDIDATES = 256  # looked at for one article; those with most keys in common
REMEMBERED = 64  # of what was found, for one article
PAIRS_AT_ONCE = 4096
SUREST = {relation: place for place, relation in enumerate(Relation)}


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
        return (*surest_first(self.edge("")), by_age(self.other))


class Matches(NamedTuple):
    """All that an article is something to, surest first; candidates that were not looked at."""

    found: list[Matched]
    left_out: int


def surest_first(edge: Edge) -> tuple[float, ...]:
    """Sorts what is between articles: what people said to be the same comes first."""
    how = edge.decision
    rank = -(how.rule == TOLD_SAME) if how.duplicate else RANK.get(how.relation, 1)
    return rank, -how.confidence, -(edge.copy or 0.0), SUREST[how.relation]


RANK = {Relation.SAME_EVENT: 2, Relation.RELATED: 3, Relation.DISTINCT: 4}


def matches(
    store: Store, entries: Sequence[Entry], recipe: Recipe, policy: Policy
) -> list[Matches]:
    """For each article what came before it that it is something to.

    Articles of the batch that are in the store already count as coming in the batch's order.
    """
    at_hand = {entry.article.id: entry.article for entry in entries}
    order = {name: place for place, name in enumerate(at_hand)}
    probes = [(entry.fingerprint, entry.keys) for entry in entries]
    candidates = store.find(probes, policy.window, CANDIDATES)
    pairs = (
        (place, entry.fingerprint, other)
        for place, (entry, found) in enumerate(zip(entries, candidates, strict=True))
        for other in found.candidates
        if order.get(other.id, -1) < place and within(entry.fingerprint, other, policy)
    )

    def articles(ids: Collection[str]) -> Mapping[str, Article]:
        wanted = set(ids)
        return store.articles(wanted - at_hand.keys()) | {
            name: at_hand[name] for name in wanted & at_hand.keys()
        }

    weights = kept_weights(store.term_counts())
    found: list[list[Matched]] = [[] for _ in entries]
    for candidates_of in _batches(pairs):
        worth = promising([(a, b) for _, a, b in candidates_of], policy)
        some = list(compress(candidates_of, worth))
        pairs_of = [(a, b) if by_age(a) <= by_age(b) else (b, a) for _, a, b in some]
        judgements = judged(pairs_of, recipe, policy, articles, weights=weights)
        for (place, _, other), judgement in zip(some, judgements, strict=True):
            if judgement.decision.rule != "nothing-in-common":
                found[place].append(Matched(other, judgement))
    return [
        Matches(sorted(each, key=lambda match: match.surest_first), candidate.left_out)
        for each, candidate in zip(found, candidates, strict=True)
    ]


def _batches(
    pairs: Iterable[tuple[int, Fingerprint, Fingerprint]],
) -> Iterator[list[tuple[int, Fingerprint, Fingerprint]]]:
    rest = iter(pairs)
    while some := list(islice(rest, PAIRS_AT_ONCE)):
        yield some
