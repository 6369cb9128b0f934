"""Linkage: nodes put together into groups, those most alike on average first.

Two groups are as alike as their nodes are on average; nodes of which nothing is known are next to
unlike. So no chains are made: A like B and B like C does not put C beside A unless the two are
alike enough to bear the mean. Scores are whole numbers, whose sums are the same in any order.

What is found out about two groups is not worked out anew after every merge: a mean never rises
above the higher of those that it came of, so that an outdated one is looked at in time.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from math import sqrt

ONE = 10**6  # a score of 1.0
MISSING = 14 * ONE // 100  # of two nodes of which nothing is known
# Below this share of how alike the nodes within either group are, two groups of several nodes look
# alike and are not one. Measured on labelled news, see docs/decisions/0014-stories.md.
COHESION = 0.55

Key = tuple[float, int, int]  # how alike, negative; the first nodes of the two groups


@dataclass(slots=True)
class Between:
    """What is known between the nodes of two groups."""

    total: int = 0  # of the scores known
    known: int = 0  # how many these are
    linked: bool = False  # two groups that are not stay apart, until one has grown
    apart: bool = False  # whether they must never be
    queued: Key | None = None

    def add(self, other: "Between") -> None:
        """Take in what is known between one of the two groups and a part of the other."""
        self.total += other.total
        self.known += other.known
        self.linked |= other.linked
        self.apart |= other.apart
        if other.queued is not None:
            self.queued = other.queued if self.queued is None else min(self.queued, other.queued)


@dataclass(slots=True)
class Group:
    """Nodes that were put together."""

    first: int  # the smallest of them
    nodes: list[int]  # those of the group that it took in stand behind its own
    size: int
    total: int = 0  # of the scores of all its pairs
    near: dict[int, Between] = field(default_factory=dict)  # by the name of the other group
    refused: set[int] = field(default_factory=set)  # asked about again when one of the two grows

    @property
    def within(self) -> float:
        """How alike its nodes are on average."""
        return self.total / (len(self.nodes) * (len(self.nodes) - 1) // 2)


class Linkage:
    """Groups of the nodes 0, 1, ... of which pairs are known, made best first."""

    def __init__(
        self,
        known: Iterable[tuple[int, int, Between]],
        sizes: Sequence[int],
        least: float,
        may_join: Callable[[Group, Group], bool],
    ) -> None:
        """`least` is the mean score of two groups put together, if `may_join` agrees.

        It is asked again about two that it refused once either has grown. `sizes` are the nodes'.
        """
        self.least = round(least * ONE)
        self.may_join = may_join
        self.groups: dict[int, Group] = {}  # by the name of one of their nodes
        self.home: dict[int, int] = {}  # where a group went whose name is no more
        for one, other, between in known:
            for node, beside in ((one, other), (other, one)):
                if node not in self.groups:
                    self.groups[node] = Group(node, [node], sizes[node])
                self.groups[node].near[beside] = between
        self.queue = list(self._all_pairs())
        heapify(self.queue)

    def _all_pairs(self) -> Iterator[Key]:
        for node, group in self.groups.items():
            for other, between in group.near.items():
                if node < other and (key := self._key(group, self.groups[other], between)):
                    between.queued = key
                    yield key

    def join(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Put the groups of nodes together of which something is known, whatever that is."""
        for pair in pairs:
            one, other = map(self._name, pair)
            if one != other:
                self._merge(one, other)

    def run(self) -> list[Group]:
        """The groups in the end, each with its nodes in order, by their first nodes."""
        while self.queue:
            key = heappop(self.queue)
            one, other = self._name(key[1]), self._name(key[2])
            if one != other and self.groups[one].near[other].queued == key:
                self._look(one, other, key)
        made = sorted(self.groups.values(), key=lambda group: group.first)
        for group in made:
            group.nodes.sort()
        return made

    def _look(self, one: int, other: int, key: Key) -> None:
        """Put two groups together, unless what was said of them no longer holds."""
        a, b = self.groups[one], self.groups[other]
        between = a.near[other]
        between.queued = None
        now = self._key(a, b, between)
        if now != key:
            self._queue(now, between)
        elif between.linked and _cohere(a, b, -key[0]) and self.may_join(a, b):
            self._merge(*((one, other) if len(a.near) >= len(b.near) else (other, one)))
        else:
            a.refused.add(other)
            b.refused.add(one)

    def _name(self, node: int) -> int:
        """The name of the group that a node is in."""
        passed = []
        while node in self.home:
            passed.append(node)
            node = self.home[node]
        for each in passed[:-1]:  # the way is shorter next time
            self.home[each] = node
        return node

    def _key(self, one: Group, other: Group, between: Between) -> Key | None:
        """The place of two groups in the queue; None where they are not to be put together."""
        if between.apart:
            return None
        pairs = len(one.nodes) * len(other.nodes)
        total = between.total + MISSING * (pairs - between.known)
        if total < self.least * pairs:
            return None
        first, second = sorted((one.first, other.first))
        return -total / pairs, first, second

    def _queue(self, key: Key | None, between: Between) -> None:
        if key is not None:
            between.queued = key
            heappush(self.queue, key)

    def _merge(self, into: int, gone: int) -> None:
        """Put one group, that with fewer around it, into the other."""
        here, there = self.groups[into], self.groups.pop(gone)
        between = here.near.pop(gone)
        missing = len(here.nodes) * len(there.nodes) - between.known
        here.total += there.total + between.total + MISSING * missing
        here.first = min(here.first, there.first)
        here.nodes += there.nodes
        here.size += there.size
        self.home[gone] = into
        for name, known in there.near.items():
            if name == into:
                continue
            beside = self.groups[name].near
            del beside[gone]
            if name in here.near:
                here.near[name].add(known)
            else:
                here.near[name] = beside[into] = known
        self._ask_again(into, here.refused | there.refused)

    def _ask_again(self, name: int, refused: set[int]) -> None:
        """Look again at groups that were refused a place beside this one as it was."""
        group = self.groups[name]
        group.refused = set()
        for other in {self._name(each) for each in refused} - {name}:
            between = group.near[other]
            key = self._key(group, self.groups[other], between)
            # A refused pair has left the queue: the entry left by a merge may be of a lower mean.
            if key is not None and (between.queued is None or key < between.queued):
                self._queue(key, between)


def _cohere(one: Group, other: Group, mean: float) -> bool:
    """Whether two groups are about as alike as the nodes within each are."""
    if min(len(one.nodes), len(other.nodes)) < 2:
        return True
    return mean >= COHESION * sqrt(one.within * other.within)
