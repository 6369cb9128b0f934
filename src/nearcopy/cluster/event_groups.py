"""Event groups: duplicate groups about one event, clustered into one story by average linkage.

Duplicate groups connected by same-event edges are merged most similar first, by the mean event
score between them (`average_linkage`), so that a single edge merges nothing. Two guards separate
look-alikes: the mean must be close to the means within, and the groups must not each have
distinctive terms. Groups whose kept copies have clashing facts are never merged. User feedback
takes precedence over all of it: must-link pairs are merged first, cannot-link pairs never.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

import nearcopy.kernels as kernels
from nearcopy.cluster.average_linkage import ONE, AverageLinkage, Group, GroupLink
from nearcopy.cluster.duplicate_groups import DuplicateGroup, OversizedGroup
from nearcopy.cluster.kept_copy import rank_copies
from nearcopy.cluster.link_graph import LinkGraph, add_edge, connected_components
from nearcopy.config import Policy
from nearcopy.models import Decision, Fingerprint
from nearcopy.models.feedback import FEEDBACK_EVENT

# Measured on the events of two labelled sets of news, see docs/decisions/0014-stories.md.
MIN_RARITY = 300  # hundredths: terms that fewer than about one article in twenty has
COMMON_SHARE = 3  # a common term is in at least one of this many articles of a group,
STRAY_SHARE = 10  # a stray one in at most one of this many of the other
MIN_DISTINCTIVE = 2  # terms that each of two groups must have to be distinguishable
MIN_GROUP = 4  # smaller groups share too few terms to judge

TERM = np.dtype([("hash", "<u4"), ("weight", "u1")])
FIGURE = np.dtype([("context", "<u2"), ("value", "<u2")])
FIGURES = 1 << 32  # figures are numbered beyond all hashes of terms


class TermFrequencies:
    """The rare terms and figures of a group of articles, and how many articles have each."""

    def __init__(self, articles: Iterable[Fingerprint]) -> None:
        listed = list(articles)
        self.size = len(listed)
        self.counts = Counter(term for article in listed for term in rare_terms(article))
        self.common = {term for term in self.counts if self._is_common(term)}

    def _is_common(self, term: int) -> bool:
        return COMMON_SHARE * self.counts[term] >= self.size

    def add(self, other: "TermFrequencies") -> None:
        """Add another group: a term common in both together is common in one of them."""
        self.size += other.size
        self.counts.update(other.counts)
        self.common = {term for term in self.common | other.common if self._is_common(term)}

    def count_distinctive(self, other: "TermFrequencies") -> int:
        """The number of terms that are common here and stray in the other group."""
        return sum(STRAY_SHARE * other.counts[term] <= other.size for term in self.common)


def are_distinguishable(one: TermFrequencies, other: TermFrequencies) -> bool:
    """Whether each of two groups has distinctive terms, as reports of two events have."""
    if min(one.size, other.size) < MIN_GROUP:
        return False
    return (
        one.count_distinctive(other) >= MIN_DISTINCTIVE
        and other.count_distinctive(one) >= MIN_DISTINCTIVE
    )


def rare_terms(article: Fingerprint) -> Iterator[int]:
    """The rare terms of an article and the values of its figures, each once."""
    hashes = np.ascontiguousarray(np.frombuffer(article.profile, TERM)["hash"])
    yield from hashes[kernels.term_rarities(hashes) >= MIN_RARITY].tolist()
    values = np.unique(np.frombuffer(article.numerals, FIGURE)["value"])
    yield from (FIGURES + value for value in values.tolist())


EventEdges = dict[int, dict[int, Decision]]  # the surest decision between members of two groups
Scores = dict[int, dict[int, int]]  # the mean event score of two groups
UNREACHABLE = 2.0  # a threshold above any mean: only feedback merges groups


def merge_events(
    groups: Sequence[DuplicateGroup], graph: LinkGraph, policy: Policy
) -> tuple[list[DuplicateGroup], list[OversizedGroup]]:
    """The groups that lead a story, with those they lead; and the stories that became too large."""
    if not graph.events:
        return list(groups), []
    threshold = UNREACHABLE if policy.story_score is None else policy.story_score
    group_of = {copy.id: place for place, group in enumerate(groups) for copy in group.copies}
    edges, scores = _event_edges(graph, group_of), _event_scores(graph, group_of)
    leading = [group for place, group in enumerate(groups) if place not in edges]
    oversized: list[OversizedGroup] = []
    for places in connected_components(edges):
        event = _EventClustering([groups[place] for place in places], graph, policy)
        event.set_scores(places, edges, scores)
        leading += event.stories(threshold)
        oversized += event.oversized()
    return leading, oversized


def _event_edges(graph: LinkGraph, group_of: dict[str, int]) -> EventEdges:
    """The same-event edges between groups."""
    edges: EventEdges = {}
    for article, neighbours in graph.events.items():
        for other, decision in neighbours.items():
            if article < other and group_of[article] != group_of[other]:
                add_edge(edges, group_of[article], group_of[other], decision)
    return edges


def _event_scores(graph: LinkGraph, group_of: dict[str, int]) -> Scores:
    """The event scores between groups: the mean over their members, as far as measured."""
    sums: dict[tuple[int, int], tuple[int, int]] = {}
    for (a, b), score in graph.event_scores.items():
        one, other = group_of.get(a), group_of.get(b)
        if one is None or other is None or one == other:
            continue
        pair = (one, other) if one < other else (other, one)
        total, count = sums.get(pair, (0, 0))
        sums[pair] = total + round(score * ONE), count + 1
    scores: Scores = {}
    for (one, other), (total, count) in sums.items():
        scores.setdefault(one, {})[other] = (2 * total + count) // (2 * count)
    return scores


class _EventClustering:
    """A connected component of same-event edges, ranked once by kept copies, then clustered."""

    def __init__(self, groups: Sequence[DuplicateGroup], graph: LinkGraph, policy: Policy) -> None:
        by_kept = {group.kept.copy.id: place for place, group in enumerate(groups)}
        ranked = rank_copies([group.kept.copy for group in groups], policy, graph.preferred)
        self.order = [by_kept[copy.copy.id] for copy in ranked]
        self.groups = [groups[place] for place in self.order]  # best first
        self.graph = graph
        self.largest = max(1, policy.max_story_size)
        self.scores: list[tuple[int, int, GroupLink]] = []
        self.edges: EventEdges = {}
        self.terms: dict[int, TermFrequencies] = {}  # of a cluster, by its original first node
        self.too_large: list[tuple[int, int]] = []  # clusters too large to be merged
        self.leader_of: list[int] = []

    def set_scores(self, places: Sequence[int], edges: EventEdges, scores: Scores) -> None:
        """Set edges and scores, which go by the places of groups outside."""
        rank = {places[place]: rank for rank, place in enumerate(self.order)}
        self.edges = {
            rank[one]: {rank[other]: decision for other, decision in edges[one].items()}
            for one in places
        }
        self.scores = [
            (rank[one], rank[other], self._link(rank[one], rank[other], score))
            for one in places
            for other, score in scores.get(one, {}).items()
            if other in rank
        ]

    def _link(self, one: int, other: int, score: int) -> GroupLink:
        apart = self.graph.facts_clash(self._kept(one), self._kept(other))
        return GroupLink(score, 1, other in self.edges[one], apart)

    def _kept(self, node: int) -> str:
        return self.groups[node].kept.copy.id

    def stories(self, threshold: float) -> Iterator[DuplicateGroup]:
        """The groups that lead a story, with those that they lead."""
        sizes = [group.size for group in self.groups]
        linkage = AverageLinkage(self.scores, sizes, threshold, self._can_merge)
        for one, near in self.edges.items():
            linkage.join((one, other) for other in near if near[other].rule == FEEDBACK_EVENT)
        clusters = linkage.run()
        leaders = {node: cluster.first for cluster in clusters for node in cluster.nodes}
        self.leader_of = [leaders[node] for node in range(len(sizes))]
        for cluster in clusters:
            leader = self.groups[cluster.first]
            leader.led = [
                (self.groups[node], self._event_decision(node, cluster))
                for node in cluster.nodes
                if node != cluster.first
            ]
            yield leader

    def _can_merge(self, one: Group, other: Group) -> bool:
        kept, other_kept = self._kept(one.first), self._kept(other.first)
        if not self.graph.constraints.can_link(kept, other_kept):
            return False
        if min(len(one.nodes), len(other.nodes)) >= MIN_GROUP and are_distinguishable(
            self._terms(one), self._terms(other)
        ):
            return False
        if one.size + other.size > self.largest:
            self.too_large.append((one.first, other.first))
            return False
        self.graph.constraints.merge(kept, other_kept)
        return True

    def _terms(self, cluster: Group) -> TermFrequencies:
        """The terms of a cluster; those counted when it was smaller are reused."""
        terms = self.terms.setdefault(cluster.nodes[0], TermFrequencies([]))
        if terms.size < len(cluster.nodes):
            new = cluster.nodes[terms.size :]
            terms.add(TermFrequencies(self.groups[node].kept.copy for node in new))
        return terms

    def _event_decision(self, node: int, cluster: Group) -> Decision:
        """The decision that a group is about the event of its leader, directly or by another."""
        near = self.edges[node]
        if cluster.first in near:
            return near[cluster.first]
        members = (other for other in cluster.nodes if other in near)
        through = min(members, key=lambda other: (-near[other].confidence, other))
        decision = near[through]
        leader, via = self._kept(cluster.first), self._kept(through)
        return decision._replace(
            reason=f"reports the event of {leader}, as {via} does: {decision.reason}"
        )

    def oversized(self) -> Iterator[OversizedGroup]:
        """The stories that others would have joined if they were not full."""
        left_out: dict[int, set[int]] = {}
        for one, other in self.too_large:
            full, left = sorted((self.leader_of[one], self.leader_of[other]))
            left_out.setdefault(full, set()).add(left)
        for full, others in left_out.items():
            kept = self._kept(full)
            for other in others:
                self.groups[other].full = self.groups[other].full or kept
            count = sum(len(self.groups[other].articles) for other in others)
            size = len(self.groups[full].articles) + count
            why = (
                f"{size} articles report the event of {kept}, more than the {self.largest} a story "
                f"may have: {count} of them were left out of the full story; "
                "look for a template or a block page, or raise max_story_size"
            )
            yield OversizedGroup(size, kept, count, why)
