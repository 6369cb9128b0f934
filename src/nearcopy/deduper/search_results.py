"""Ranked lists, such as search results: each piece of news once, in the order they came."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from nearcopy.config import Policy, Recipe, checked_policy
from nearcopy.fingerprint.blocking_keys import keys
from nearcopy.fingerprint.fingerprint import fingerprints
from nearcopy.match.judge_pairs import Judgement, judged
from nearcopy.models.model import Article, Fingerprint

CANDIDATES = 64  # kept results that one is compared with; those with most keys in common


@dataclass(frozen=True, slots=True)
class Ranked:
    """A result: kept, with the ids it stands for, or a duplicate of one that is kept above it."""

    article: Article
    duplicate_of: str | None = None
    judgement: Judgement | None = None  # between it and the kept one
    duplicates: tuple[str, ...] = ()


def deduplicated(
    ranked: Sequence[Article], recipe: Recipe | None = None, policy: Policy | None = None
) -> list[Ranked]:
    """Every result in order; one is dropped where it is a duplicate of one kept above it.

    What was dropped drops nothing itself: A = B and B = C do not make C a copy of A. The list is
    all there is, so no window ends what is compared.

    >>> found = [Article(id=name, text="The quay was closed on Tuesday.") for name in "ab"]
    >>> [(each.article.id, each.duplicate_of, each.duplicates) for each in deduplicated(found)]
    [('a', None, ('b',)), ('b', 'a', ())]
    """
    kept = _Kept(ranked, recipe or Recipe(), checked_policy(policy))
    found = [kept.match(place) for place in range(len(ranked))]
    stands_for: dict[int, list[str]] = {}
    for article, match in zip(ranked, found, strict=True):
        if match:
            stands_for.setdefault(match[0], []).append(article.id)
    return [
        Ranked(article, ranked[match[0]].id, match[1])
        if match
        else Ranked(article, duplicates=tuple(stands_for.get(place, ())))
        for place, (article, match) in enumerate(zip(ranked, found, strict=True))
    ]


class _Kept:
    """The results kept so far, filed under their keys; all go by their place in the list."""

    def __init__(self, ranked: Sequence[Article], recipe: Recipe, policy: Policy) -> None:
        self._recipe, self._policy = recipe, policy
        self._articles = {str(p): replace(each, id=str(p)) for p, each in enumerate(ranked)}
        self._made: list[Fingerprint] = list(fingerprints(self._articles.values(), recipe))
        self._keys = [found.tolist() for found in keys(self._made, recipe)]
        self._filed: dict[int, list[int]] = {}

    def match(self, place: int) -> tuple[int, Judgement] | None:
        """The kept result that this one is surest a duplicate of; None where it is kept now."""
        shared = Counter(p for key in self._keys[place] for p in self._filed.get(key, ()))
        likely = sorted(shared, key=lambda p: (-shared[p], p))[:CANDIDATES]
        pairs = [(self._made[p], self._made[place]) for p in likely]
        judgements = judged(pairs, self._recipe, self._policy, self._at_hand)
        matches = [
            (-found.decision.confidence, p, found)
            for p, found in zip(likely, judgements, strict=True)
            if found.decision.duplicate
        ]
        if matches:
            _, kept, found = min(matches)
            return kept, found
        for key in self._keys[place]:
            self._filed.setdefault(key, []).append(place)
        return None

    def _at_hand(self, ids: Iterable[str]) -> Mapping[str, Article]:
        return {name: self._articles[name] for name in sorted(ids)}
