"""The matches that a query found, in columns, and as objects where somebody reads them."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from nearcopy.cluster.kept_copy import by_age
from nearcopy.fingerprint.fingerprint_table import RowPairs
from nearcopy.match.decide import RELATIONS
from nearcopy.match.evidence_table import Table
from nearcopy.match.judgement import Judgement, JudgementTable
from nearcopy.models import RELATION_RANK, Decision, Edge, Fingerprint, Relation
from nearcopy.models.feedback import FEEDBACK_SAME

Places = NDArray[np.int64]
RANK = {Relation.SAME_EVENT: 2, Relation.RELATED: 3, Relation.DISTINCT: 4}
RANK_OF = np.array([RANK.get(relation, 1) for relation in RELATIONS], np.int8)


class StoredMatch(NamedTuple):
    """A stored article, and the judgement between it and the article matched."""

    other: Fingerprint
    judgement: Judgement

    def edge(self, article: str) -> Edge:
        """The edge to store."""
        return self.judgement.edge(article, self.other.id)

    @property
    def sort_key(self) -> tuple[object, ...]:
        """Sorts duplicates first, then the same event, then related, then vetoed."""
        return (*decision_rank(self.judgement.decision, self.judgement.overlap), by_age(self.other))


def decision_rank(decision: Decision, overlap: float | None) -> tuple[float, ...]:
    """A sort key, surest first; duplicates by user feedback come before all."""
    if decision.duplicate:
        rank = -(decision.rule == FEEDBACK_SAME)
    else:
        rank = RANK.get(decision.relation, 1)
    return rank, -decision.confidence, -(overlap or 0.0), RELATION_RANK[decision.relation]


class MatchList(NamedTuple):
    """The matches of one article, surest first, and how many candidates the limit cut off."""

    matches: Sequence[StoredMatch]
    truncated: int = 0

    @property
    def best(self) -> StoredMatch | None:
        """The surest match."""
        return self.matches[0] if self.matches else None


def best_ids(lists: Iterable[MatchList]) -> list[str]:
    """The ids of the surest match of each article that has one."""
    return [match.other.id for listed in lists if (match := listed.best)]


class FoundMatches(Sequence[MatchList]):
    """The matches of each article of a query."""

    def __init__(
        self,
        pairs: RowPairs,
        judgements: JudgementTable,
        articles: Places,
        truncated: Sequence[int],
    ) -> None:
        """The matches among these pairs, each of an article and a stored one.

        `articles` has the number of the article of each pair; those with nothing in common are no
        matches.
        """
        self._pairs, self._judgements = pairs, judgements
        (related,) = np.nonzero(~judgements.decisions.nothing_in_common)
        self._order = related[self._surest_first(related, articles[related])]
        starts = np.searchsorted(articles[self._order], np.arange(len(truncated) + 1)).tolist()
        firsts = [start for start, stop in pairwise(starts) if start < stop]
        best = dict(zip(firsts, self.rows(firsts), strict=True))
        self._lists = [
            MatchList(_MatchesOfOne(self, range(start, stop), best.get(start)), cut)
            for (start, stop), cut in zip(pairwise(starts), truncated, strict=True)
        ]

    def __len__(self) -> int:
        return len(self._lists)

    @overload
    def __getitem__(self, place: int) -> MatchList: ...
    @overload
    def __getitem__(self, place: slice) -> list[MatchList]: ...
    def __getitem__(self, place: int | slice) -> MatchList | list[MatchList]:
        return self._lists[place]

    def rows(self, places: Sequence[int]) -> list[StoredMatch]:
        """The matches at these places of all."""
        chosen = self._order[np.array(places, np.int64)]
        judgements = self._judgements.rows(chosen.tolist())
        return list(map(StoredMatch, self._fingerprints(self._pairs.right[chosen]), judgements))

    def edges(self) -> list[Edge]:
        """The edge of each match."""
        chosen, judgements = self._order, self._judgements
        overlaps = judgements.overlap[chosen].tolist()
        return list(
            map(
                Edge,
                [article.id for article in self._fingerprints(self._pairs.left[chosen])],
                [other.id for other in self._fingerprints(self._pairs.right[chosen])],
                judgements.decisions.rows(chosen.tolist()),
                judgements.event_score[chosen].tolist(),
                [None if overlap != overlap else overlap for overlap in overlaps],
            )
        )

    def _fingerprints(self, rows: Places) -> list[Fingerprint]:
        return list(map(self._pairs.table.originals.__getitem__, rows.tolist()))

    def _surest_first(self, places: Places, articles: Places) -> Places:
        """The order of these pairs by article, then as `StoredMatch.sort_key` has it."""
        table, others = self._pairs.table, self._pairs.right[places]
        decisions, overlaps = self._judgements.decisions, self._judgements.overlap[places]
        relations = decisions.relation[places]
        keys = [
            articles,
            np.where(decisions.duplicate[places], 0, RANK_OF[relations]),
            -decisions.confidence[places],
            -np.nan_to_num(overlaps),
            relations,
            table.ages(others),
        ]
        order: Places = np.lexsort(keys[::-1])
        alike = np.all([np.diff(key[order]) == 0 for key in keys], axis=0)
        for start, stop in _runs(alike):  # ties are broken by id
            tied = sorted(
                order[start:stop].tolist(), key=lambda place: table.originals[others[place]].id
            )
            order[start:stop] = tied
        return order


class _MatchesOfOne(Table[StoredMatch]):
    """The matches of one article, the best at hand."""

    def __init__(self, found: FoundMatches, places: range, best: StoredMatch | None) -> None:
        self._found, self._places, self._best = found, places, best

    def __len__(self) -> int:
        return len(self._places)

    def rows(self, places: Sequence[int]) -> list[StoredMatch]:
        if self._best is not None and list(places) == [0]:
            return [self._best]
        return self._found.rows([self._places[place] for place in places])


def _runs(joined: NDArray[np.bool_]) -> Iterable[tuple[int, int]]:
    """The spans of neighbours of which each is joined to the next."""
    edges = np.diff(np.concatenate([[False], joined, [False]]).astype(np.int8))
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) + 1
    return zip(starts.tolist(), ends.tolist(), strict=True)
