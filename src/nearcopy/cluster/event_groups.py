"""Event groups: duplicate groups about one event, clustered into one story by average linkage.

Duplicate groups connected by same-event edges are merged most similar first, by the mean event
score between them (`average_linkage`), so that a single edge merges nothing. Two guards separate
look-alikes: the mean must be close to the means within, and the groups must not each have
distinctive terms. Groups whose kept copies have clashing facts are never merged. User feedback
takes precedence over all of it: must-link pairs are merged first, cannot-link pairs never.

A settled group leads others already. It takes part as one node that stands for all of them. How it
relates to other articles from before is not known, so only groups of new articles may join it.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

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
MAX_TERM_GROUPS = 64  # whose terms are counted of a settled group


def merge_events(
    groups: Sequence[DuplicateGroup], graph: LinkGraph, policy: Policy, old: Collection[str] = ()
) -> tuple[list[DuplicateGroup], list[OversizedGroup]]:
    """The groups that lead a story, with those they lead; and the stories that became too large.

    `old` are the articles from before, which join no settled group.
    """
    if not graph.events:
        return list(groups), []
    network = _Network(groups, graph)
    leading = [group for node, group in enumerate(groups) if node not in network.links]
    oversized: list[OversizedGroup] = []
    for nodes in connected_components(network.links):
        event = _EventClustering(nodes, network, graph, policy, old)
        leading += event.stories(UNREACHABLE if policy.story_score is None else policy.story_score)
        oversized += event.oversized()
    return leading, oversized


class _Network:
    """The duplicate groups, those led by settled ones too, and what was measured between them.

    Edges and scores go by the places of all these groups, links by those of the leading ones.
    """

    def __init__(self, groups: Sequence[DuplicateGroup], graph: LinkGraph) -> None:
        self.leading = groups
        self.places: list[range] = []  # of the parts of each leading group
        self.parts: list[DuplicateGroup] = []
        self.node_of: list[int] = []
        for node, group in enumerate(groups):
            self.parts += group.parts
            self.places.append(range(len(self.node_of), len(self.parts)))
            self.node_of += [node] * len(self.places[node])
        place_of = {copy.id: place for place, part in enumerate(self.parts) for copy in part.copies}
        self.edges = _event_edges(graph, place_of)
        self.scores = _event_scores(graph, place_of)
        self.links: dict[int, set[int]] = {}
        self.must_link: list[tuple[int, int]] = []  # by feedback
        for place, near in self.edges.items():
            node = self.node_of[place]
            others = {self.node_of[other] for other in near} - {node}
            if others:
                self.links.setdefault(node, set()).update(others)
            self.must_link += (
                (node, self.node_of[other])
                for other, decision in near.items()
                if decision.rule == FEEDBACK_EVENT and self.node_of[other] in others
            )


def _event_edges(graph: LinkGraph, place_of: dict[str, int]) -> EventEdges:
    """The same-event edges between groups."""
    edges: EventEdges = {}
    for article, neighbours in graph.events.items():
        for other, decision in neighbours.items():
            if article < other and place_of[article] != place_of[other]:
                add_edge(edges, place_of[article], place_of[other], decision)
    return edges


def _event_scores(graph: LinkGraph, place_of: dict[str, int]) -> Scores:
    """The event scores between groups: the mean over their members, as far as measured."""
    sums: dict[tuple[int, int], tuple[int, int]] = {}
    for (a, b), score in graph.event_scores.items():
        one, other = place_of.get(a), place_of.get(b)
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

    def __init__(
        self,
        nodes: Sequence[int],
        network: _Network,
        graph: LinkGraph,
        policy: Policy,
        old: Collection[str],
    ) -> None:
        by_kept = {network.leading[node].kept.copy.id: node for node in nodes}
        ranked = rank_copies(
            [network.leading[node].kept.copy for node in nodes], policy, graph.preferred
        )
        self.nodes = [by_kept[copy.copy.id] for copy in ranked]  # best first, as in the network
        self.groups = [network.leading[node] for node in self.nodes]
        self.rank = {node: rank for rank, node in enumerate(self.nodes)}
        self.network = network
        self.graph = graph
        self.old = old
        self.largest = max(1, policy.max_story_size)
        self.terms: dict[int, tuple[TermFrequencies, int]] = {}  # of a cluster, by its first node
        self.too_large: list[tuple[int, int]] = []  # clusters too large to be merged
        self.leader_of: list[int] = []

    def _scores(self) -> Iterator[tuple[int, int, GroupLink]]:
        """What was measured between two nodes."""
        links: dict[tuple[int, int], GroupLink] = {}
        node_of, parts, edges = self.network.node_of, self.network.parts, self.network.edges
        for one in (place for node in self.nodes for place in self.network.places[node]):
            linked = edges.get(one, {})
            rank, kept = self.rank[node_of[one]], parts[one].kept.copy.id
            for other, score in self.network.scores.get(one, {}).items():
                other_rank = self.rank.get(node_of[other], rank)
                if other_rank == rank:
                    continue
                link = links.setdefault((min(rank, other_rank), max(rank, other_rank)), GroupLink())
                link.total += score
                link.known += 1
                link.linked |= other in linked
                link.apart |= self.graph.facts_clash(kept, parts[other].kept.copy.id)
        return ((one, other, link) for (one, other), link in links.items())

    def _kept(self, node: int) -> str:
        return self.groups[node].kept.copy.id

    def stories(self, threshold: float) -> Iterator[DuplicateGroup]:
        """The groups that lead a story, with those that they lead."""
        sizes = [sum(part.size for part in group.parts) for group in self.groups]
        counts = {n: len(group.parts) for n, group in enumerate(self.groups) if group.is_settled}
        linkage = AverageLinkage(self._scores(), sizes, threshold, self._can_merge, counts)
        linkage.join(
            (self.rank[one], self.rank[other])
            for one, other in self.network.must_link
            if one in self.rank
        )
        clusters = linkage.run()
        leaders = {node: cluster.first for cluster in clusters for node in cluster.nodes}
        self.leader_of = [leaders[node] for node in range(len(sizes))]
        for cluster in clusters:
            leader = self.groups[cluster.first]
            others = [node for node in cluster.nodes if node != cluster.first]
            led = [entry for node in others for entry in self._led(node, leader)]
            leader.led = [*leader.led, *led]
            yield leader

    def _can_merge(self, one: Group, other: Group) -> bool:
        kept, other_kept = self._kept(one.first), self._kept(other.first)
        if not self.graph.constraints.can_link(kept, other_kept):
            return False
        if None in (one.total, other.total) and self._has_old(one) and self._has_old(other):
            return False
        if min(one.count, other.count) >= MIN_GROUP and are_distinguishable(
            self._terms(one), self._terms(other)
        ):
            return False
        if one.size + other.size > self.largest:
            self.too_large.append((one.first, other.first))
            return False
        self.graph.constraints.merge(kept, other_kept)
        return True

    def _has_old(self, cluster: Group) -> bool:
        """Whether it has articles from before."""
        if cluster.total is None:
            return True
        groups = (self.groups[node] for node in cluster.nodes)
        return any(copy.id in self.old for group in groups for copy in group.copies)

    def _terms(self, cluster: Group) -> TermFrequencies:
        """The terms of a cluster; those counted when it was smaller are reused."""
        terms, counted = self.terms.get(cluster.nodes[0], (TermFrequencies([]), 0))
        if counted < len(cluster.nodes):
            groups = (self.groups[node].parts for node in cluster.nodes[counted:])
            parts = (part for group in groups for part in group[:MAX_TERM_GROUPS])
            terms.add(TermFrequencies(part.kept.copy for part in parts))
            self.terms[cluster.nodes[0]] = terms, len(cluster.nodes)
        return terms

    def _led(self, node: int, leader: DuplicateGroup) -> Iterator[tuple[DuplicateGroup, Decision]]:
        """A group under its leader, and after it those that it led before."""
        group = self.groups[node]
        former, group.led = group.led, ()
        decision = self._event_decision(node, leader, former)
        yield group, decision
        for other, other_decision in former:
            yield other, relabel_leader(other_decision, group.kept.copy.id, leader.kept.copy.id)

    def _event_decision(
        self, node: int, leader: DuplicateGroup, led: Sequence[tuple[DuplicateGroup, Decision]]
    ) -> Decision:
        """The decision that a group is about the event of its leader, directly or by another."""
        network, first = self.network, self.leader_of[node]
        places = network.places[self.nodes[node]]
        near = self._near(places[0], first)
        leader_place = network.places[self.nodes[first]][0]
        if leader_place in near:
            return near[leader_place]
        if not near and led:  # it joined by one of those that it led
            near = {o: d for place in places for o, d in self._near(place, first).items()}
        through = min(
            near,
            key=lambda place: (-near[place].confidence, self.rank[network.node_of[place]], place),
        )
        via = network.parts[through].kept.copy.id
        return indirect(near[through], leader.kept.copy.id, via)

    def _near(self, place: int, leader: int) -> dict[int, Decision]:
        """The same-event edges of a group within its story."""
        node_of, edges = self.network.node_of, self.network.edges.get(place, {})
        return {
            other: decision
            for other, decision in edges.items()
            if node_of[other] != node_of[place]
            and self.leader_of[self.rank[node_of[other]]] == leader
        }

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


REPORTS = "reports the event of {}, as {} does: "


def indirect(decision: Decision, leader: str, via: str) -> Decision:
    """The decision that an article reports the event of a leader, as it does that of another."""
    return decision._replace(reason=REPORTS.format(leader, via) + decision.reason)


def relabel_leader(decision: Decision, former: str, leader: str) -> Decision:
    """A decision about the event of a former leader, now that another one leads the two."""
    about_former = REPORTS.format(former, "\0").partition("\0")[0]
    if decision.reason.startswith(about_former):
        about = REPORTS.format(leader, "\0").partition("\0")[0]
        return decision._replace(reason=about + decision.reason.removeprefix(about_former))
    return indirect(decision, leader, former)
