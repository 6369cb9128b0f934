"""De-duplication of ranked lists, such as search results: the first copy stays, in order."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from nearcopy.config import Policy, Recipe, check_policy
from nearcopy.fingerprint.blocking_keys import blocking_keys
from nearcopy.fingerprint.fingerprint import fingerprints
from nearcopy.fingerprint.fingerprint_table import RowPairs
from nearcopy.match.eligibility import sources_comparable
from nearcopy.match.judgement import Judgement, judge_pairs
from nearcopy.models import Article, Fingerprint

MAX_CANDIDATES = 64  # kept results to compare with: those with the most keys in common


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A kept result with the ids that it represents, or a duplicate of one kept above it."""

    article: Article
    duplicate_of: str | None = None
    judgement: Judgement | None = None  # between it and the kept one
    duplicates: tuple[str, ...] = ()


def deduplicate_results(
    ranked: Sequence[Article], recipe: Recipe | None = None, policy: Policy | None = None
) -> list[SearchResult]:
    """All results in order, each kept or a duplicate of one kept above it.

    A dropped result drops no other: A = B and B = C do not make C a copy of A. The sources
    of the policy apply, its window does not.

    >>> ranked = [Article(id=id_, text="The quay was closed on Tuesday.") for id_ in "ab"]
    >>> [(r.article.id, r.duplicate_of, r.duplicates) for r in deduplicate_results(ranked)]
    [('a', None, ('b',)), ('b', 'a', ())]
    """
    kept = _KeptResults(ranked, recipe or Recipe(), check_policy(policy))
    matches = [kept.match(position) for position in range(len(ranked))]
    duplicates: dict[int, list[str]] = {}
    for article, match in zip(ranked, matches, strict=True):
        if match:
            duplicates.setdefault(match[0], []).append(article.id)
    return [
        SearchResult(article, ranked[match[0]].id, match[1])
        if match
        else SearchResult(article, duplicates=tuple(duplicates.get(position, ())))
        for position, (article, match) in enumerate(zip(ranked, matches, strict=True))
    ]


class _KeptResults:
    """The results kept so far, indexed by blocking key; results go by their position."""

    def __init__(self, ranked: Sequence[Article], recipe: Recipe, policy: Policy) -> None:
        self._recipe, self._policy = recipe, policy
        self._articles = {str(p): replace(article, id=str(p)) for p, article in enumerate(ranked)}
        self._prints: list[Fingerprint] = list(fingerprints(self._articles.values(), recipe))
        self._keys = [row.tolist() for row in blocking_keys(self._prints, recipe)]
        self._index: dict[int, list[int]] = {}

    def match(self, position: int) -> tuple[int, Judgement] | None:
        """The kept result that this is surest a duplicate of; None where it is kept itself."""
        shared = Counter(p for key in self._keys[position] for p in self._index.get(key, ()))
        article = self._prints[position]
        eligible = (p for p in shared if sources_comparable(self._prints[p], article, self._policy))
        candidates = sorted(eligible, key=lambda p: (-shared[p], p))[:MAX_CANDIDATES]
        pairs = RowPairs.of((self._prints[p], article) for p in candidates)
        judgements = judge_pairs(pairs, self._recipe, self._policy, self._articles_by_id)
        duplicates = [
            (-judgement.decision.confidence, p, judgement)
            for p, judgement in zip(candidates, judgements, strict=True)
            if judgement.decision.duplicate
        ]
        if duplicates:
            _, kept, judgement = min(duplicates)
            return kept, judgement
        for key in self._keys[position]:
            self._index.setdefault(key, []).append(position)
        return None

    def _articles_by_id(self, ids: Iterable[str]) -> Mapping[str, Article]:
        return {id_: self._articles[id_] for id_ in sorted(ids)}
