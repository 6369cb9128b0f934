"""Average linkage: agglomerative clustering (UPGMA) of a sparse graph, best pair first.

The similarity of two groups is the mean over all pairs of their nodes; pairs without a score count
as nearly dissimilar. So no chains are made: A like B and B like C does not put C with A unless the
mean stays high enough. Scores are integers, whose sums do not depend on the order.

Means are not updated in the queue after every merge: a merged mean is never above the higher of the
two it came from, so that an outdated entry is met in time and queued again.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from math import sqrt
from types import MappingProxyType

ONE = 10**6  # a score of 1.0
MISSING = 14 * ONE // 100  # the score of a pair without one
# Two groups of several nodes whose mean is below this share of the means within them only look
# alike. Measured on labelled news, see docs/decisions/0014-stories.md.
COHESION = 0.55

QueueKey = tuple[float, int, int]  # the negative mean; the first nodes of the two groups


@dataclass(slots=True)
class GroupLink:
    """The scores between the nodes of two groups."""

    total: int = 0  # of the known scores
    known: int = 0  # the number of these
    linked: bool = False  # groups without a link stay apart until one of them grows
    apart: bool = False  # a cannot-link constraint
    queued: QueueKey | None = None

    def add(self, other: "GroupLink") -> None:
        """Add the scores between one of the groups and a part of the other."""
        self.total += other.total
        self.known += other.known
        self.linked |= other.linked
        self.apart |= other.apart
        if other.queued is not None:
            self.queued = other.queued if self.queued is None else min(self.queued, other.queued)


@dataclass(slots=True)
class Group:
    """A cluster of nodes."""

    first: int  # the smallest node
    nodes: list[int]  # those of a merged group come after its own
    size: int
    count: int = 1  # of what its nodes stand for: means are over pairs of these
    total: int | None = 0  # of the scores of all pairs within; None where they are unknown
    links: dict[int, GroupLink] = field(default_factory=dict)  # by the name of the other group
    refused: set[int] = field(default_factory=set)  # groups to try again when either grows

    @property
    def mean_within(self) -> float | None:
        """The mean score of all pairs within; None where it is unknown."""
        return None if self.total is None else self.total / (self.count * (self.count - 1) // 2)


class AverageLinkage:
    """Clusters of the nodes 0, 1, ... that have a score with another."""

    def __init__(
        self,
        scores: Iterable[tuple[int, int, GroupLink]],
        sizes: Sequence[int],
        threshold: float,
        can_merge: Callable[[Group, Group], bool],
        counts: Mapping[int, int] = MappingProxyType({}),
    ) -> None:
        """Groups are merged while their mean is at least `threshold` and `can_merge` agrees.

        It is asked again about a refused pair once either group has grown. `sizes` are the nodes',
        and `counts` of how many each of those stands that are settled groups of unknown scores.
        """
        self.threshold = round(threshold * ONE)
        self.can_merge = can_merge
        self.groups: dict[int, Group] = {}  # by the name of one of their nodes
        self.merged_into: dict[int, int] = {}  # by the name of a former group
        for one, other, link in scores:
            for node, neighbour in ((one, other), (other, one)):
                if node not in self.groups:
                    self.groups[node] = Group(node, [node], sizes[node])
                    if node in counts:
                        self.groups[node].count, self.groups[node].total = counts[node], None
                self.groups[node].links[neighbour] = link
        self.queue = list(self._initial_pairs())
        heapify(self.queue)

    def _initial_pairs(self) -> Iterator[QueueKey]:
        for node, group in self.groups.items():
            for other, link in group.links.items():
                if node < other and (key := self._key(group, self.groups[other], link)):
                    link.queued = key
                    yield key

    def join(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Merge the groups of pairs that have a score, whatever it is (must-link)."""
        for pair in pairs:
            one, other = map(self._find, pair)
            if one != other:
                self._merge(one, other)

    def run(self) -> list[Group]:
        """The final groups by their first nodes, each with its nodes in order."""
        while self.queue:
            key = heappop(self.queue)
            one, other = self._find(key[1]), self._find(key[2])
            if one != other and self.groups[one].links[other].queued == key:
                self._try_merge(one, other, key)
        groups = sorted(self.groups.values(), key=lambda group: group.first)
        for group in groups:
            group.nodes.sort()
        return groups

    def _try_merge(self, one: int, other: int, key: QueueKey) -> None:
        """Merge two groups, or queue them again where their mean is another by now."""
        a, b = self.groups[one], self.groups[other]
        link = a.links[other]
        link.queued = None
        current = self._key(a, b, link)
        if current != key:
            self._push(current, link)
        elif link.linked and _cohere(a, b, -key[0]) and self.can_merge(a, b):
            self._merge(*((one, other) if len(a.links) >= len(b.links) else (other, one)))
        else:
            a.refused.add(other)
            b.refused.add(one)

    def _find(self, node: int) -> int:
        """The name of the group that a node is in (union-find with path compression)."""
        path = []
        while node in self.merged_into:
            path.append(node)
            node = self.merged_into[node]
        for passed in path[:-1]:
            self.merged_into[passed] = node
        return node

    def _key(self, one: Group, other: Group, link: GroupLink) -> QueueKey | None:
        """The queue key of two groups; None where they are not to be merged."""
        if link.apart:
            return None
        pairs = one.count * other.count
        total = link.total + MISSING * (pairs - link.known)
        if total < self.threshold * pairs:
            return None
        first, second = sorted((one.first, other.first))
        return -total / pairs, first, second

    def _push(self, key: QueueKey | None, link: GroupLink) -> None:
        if key is not None:
            link.queued = key
            heappush(self.queue, key)

    def _merge(self, target: int, source: int) -> None:
        """Merge one group, that with fewer links, into the other."""
        group, absorbed = self.groups[target], self.groups.pop(source)
        between = group.links.pop(source)
        if group.total is None or absorbed.total is None:
            group.total = None
        else:
            missing = group.count * absorbed.count - between.known
            group.total += absorbed.total + between.total + MISSING * missing
        group.first = min(group.first, absorbed.first)
        group.nodes += absorbed.nodes
        group.size += absorbed.size
        group.count += absorbed.count
        self.merged_into[source] = target
        for name, link in absorbed.links.items():
            if name == target:
                continue
            neighbour_links = self.groups[name].links
            del neighbour_links[source]
            if name in group.links:
                group.links[name].add(link)
            else:
                group.links[name] = neighbour_links[target] = link
        self._retry_refused(target, group.refused | absorbed.refused)

    def _retry_refused(self, name: int, refused: set[int]) -> None:
        """Queue the groups again that were refused a merge with this one as it was."""
        group = self.groups[name]
        group.refused = set()
        for other in {self._find(node) for node in refused} - {name}:
            link = group.links[other]
            key = self._key(group, self.groups[other], link)
            # A refused pair has left the queue: the entry left by a merge may be of a lower mean.
            if key is not None and (link.queued is None or key < link.queued):
                self._push(key, link)


def _cohere(one: Group, other: Group, mean: float) -> bool:
    """Whether the mean between two groups is close to the means within them, as far as known."""
    if min(one.count, other.count) < 2:
        return True
    within = [known for known in (one.mean_within, other.mean_within) if known is not None]
    return not within or mean >= COHESION * sqrt(within[0] * within[-1])
