"""Duplicate groups: star clustering of duplicate edges around the copy that is kept.

Star clustering (Aslam, Pelekhov and Rus, 2004) makes no chains: every copy is a duplicate of the
kept copy itself. The articles of a connected component are ranked once; the best takes its
duplicates, then the best of those left takes its own, until none is left. So A = B and B = C do not
make C a copy of A unless the two are decided to be; but an exact duplicate of B goes where B goes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from nearcopy.cluster.kept_copy import RankedCopy, rank_copies
from nearcopy.cluster.link_graph import LinkGraph
from nearcopy.config import Policy
from nearcopy.models import Decision, Fingerprint, Relation

Judge = Callable[[str, str], Decision]


@dataclass(frozen=True, slots=True)
class OversizedGroup:
    """A group that grew beyond `policy.max_story_size`, and what the guard did."""

    size: int
    kept: str
    left_out: int
    why: str


@dataclass(slots=True)
class DuplicateGroup:
    """A kept copy with its duplicates, and the groups of the same event that it leads."""

    kept: RankedCopy
    others: list[tuple[RankedCopy, Decision]]
    full: str | None = None  # the kept copy of the full story that this one was left out of
    led: Sequence[tuple["DuplicateGroup", Decision]] = ()
    is_settled: bool = False  # from before: its articles are not clustered again
    why: str | None = None  # why the copy of a settled group is kept

    @property
    def size(self) -> int:
        """The number of copies, the kept one included."""
        return 1 + len(self.others)

    @property
    def copies(self) -> list[Fingerprint]:
        """The kept copy and its duplicates."""
        return [self.kept.copy, *(ranked.copy for ranked, _ in self.others)]

    @property
    def parts(self) -> list["DuplicateGroup"]:
        """The group itself, and those it leads."""
        return [self, *(group for group, _ in self.led)]

    @property
    def articles(self) -> list[Fingerprint]:
        """The copies, and those of the groups it leads."""
        return [copy for group in self.parts for copy in group.copies]


class StarClustering:
    """A connected component of duplicate edges, ranked once and broken into groups best first."""

    def __init__(
        self,
        members: list[Fingerprint],
        graph: LinkGraph,
        policy: Policy,
        judge: Judge | None,
    ) -> None:
        self.ranked = rank_copies(members, policy, graph.preferred)
        self.free = {ranked.copy.id: rank for rank, ranked in enumerate(self.ranked)}
        self.group_of: dict[str, str] = {}  # the kept copy of the group that an article is in
        self.graph = graph
        self.judge = judge
        self.largest = max(1, policy.max_story_size)
        self.left_out = 0

    def groups(self) -> Iterator[DuplicateGroup]:
        """The groups; a duplicate that finds its group full makes one of its own."""
        for kept in self.ranked:
            if kept.copy.id not in self.free:
                continue
            group = self._new_group(kept.copy.id)
            overflow = self._add_duplicates(group)
            self._add_exact_duplicates(group)
            if self.judge is not None:
                self._add_judged(self.judge, group)
            yield group
            self.left_out += sum(spare.size for spare in overflow)
            yield from overflow

    def _new_group(self, article: str, full: str | None = None) -> DuplicateGroup:
        """A group of the article and those labelled the same."""
        group = DuplicateGroup(self._take(article, article), [], full)
        self._add_labelled_same(group, article)
        return group

    def _take(self, article: str, kept: str) -> RankedCopy:
        self.group_of[article] = kept
        return self.ranked[self.free.pop(article)]

    def _add(self, group: DuplicateGroup, article: str, decision: Decision) -> None:
        kept = group.kept.copy.id
        group.others.append((self._take(article, kept), decision))
        self.graph.constraints.merge(kept, article)
        self._add_labelled_same(group, article)

    def _add_labelled_same(self, group: DuplicateGroup, article: str) -> None:
        """Add the articles labelled the same as this one; the size limit does not apply to them."""
        constraints, kept = self.graph.constraints, group.kept.copy.id
        for same in constraints.same_articles(article):
            for other, decision in sorted(constraints.same.get(same, {}).items()):
                if other in self.free:
                    reason = decision.reason
                    if same != kept:
                        reason = f"the same as {same}, {reason}"
                    copy = self._take(other, kept)
                    group.others.append((copy, decision._replace(reason=reason)))

    def _can_join(self, group: DuplicateGroup, article: str) -> bool:
        """Whether feedback lets the article, and those labelled the same, into the group."""
        constraints, kept = self.graph.constraints, group.kept.copy.id
        return not constraints or constraints.can_join(
            kept, article, lambda other: self.group_of.get(other) == kept
        )

    def _free_duplicates(self, article: str) -> list[tuple[str, Decision]]:
        """The duplicates of an article that are in no group yet, surest first."""
        edges = self.graph.duplicates[article].items()
        duplicates = [(other, decision) for other, decision in edges if other in self.free]
        return sorted(duplicates, key=lambda edge: (-edge[1].confidence, self.free[edge[0]]))

    def _add_duplicates(self, group: DuplicateGroup) -> list[DuplicateGroup]:
        """Add the duplicates of the kept copy; those beyond the limit as groups of their own."""
        overflow: list[DuplicateGroup] = []
        kept = group.kept.copy.id
        for other, decision in self._free_duplicates(kept):
            if other not in self.free or not self._can_join(group, other):
                continue
            if group.size < self.largest:
                self._add(group, other, decision)
            else:
                overflow.append(self._new_group(other, full=kept))
        return overflow

    def _add_exact_duplicates(self, group: DuplicateGroup) -> None:
        """Add exact duplicates of members, with the member's relation to the kept copy."""
        kept = group.kept.copy.id
        for member, decision in group.others:  # grows while it is read
            for other, edge in self._free_duplicates(member.copy.id):
                if group.size >= self.largest:
                    return
                if edge.relation is not Relation.SAME_TEXT or self.graph.are_distinct(kept, other):
                    continue
                if other in self.free and self._can_join(group, other):
                    self._add(group, other, same_text_as(member.copy.id, decision))

    def _add_judged(self, judge: Judge, group: DuplicateGroup) -> None:
        """Add duplicates of members that the judge decides to be duplicates of the kept copy."""
        kept, judged = group.kept.copy.id, set[str]()
        for member, _ in group.others:  # grows while it is read
            for other, _ in self._free_duplicates(member.copy.id):
                if group.size >= self.largest:
                    return
                if other in judged or self.graph.are_no_duplicates(kept, other):
                    continue
                judged.add(other)
                if other not in self.free or not self._can_join(group, other):
                    continue
                decision = judge(kept, other)
                if decision.duplicate:
                    self._add(group, other, decision)

    def oversized(self) -> list[OversizedGroup]:
        """The component as an oversized group, where it is beyond the limit."""
        if len(self.ranked) <= self.largest:
            return []
        size, kept = len(self.ranked), self.ranked[0].copy.id
        return [oversized_duplicates(size, kept, self.left_out, self.largest)]


def same_text_as(member: str, decision: Decision) -> Decision:
    """The decision on an exact duplicate of a member, from that on the member."""
    return decision._replace(reason=f"the same text as {member}: {decision.reason}")


def oversized_duplicates(size: int, kept: str, left_out: int, largest: int) -> OversizedGroup:
    """A group of more duplicates than a story may have."""
    why = (
        f"{size} articles are linked, more than the {largest} a story may have: "
        f"{left_out} duplicates were left out of a full story and stay on their own; "
        "look for a template or a block page, or raise max_story_size"
    )
    return OversizedGroup(size, kept, left_out, why)
