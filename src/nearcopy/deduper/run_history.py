"""Standing: what articles are to each other as one run after the other has come."""

from collections.abc import Iterable, Iterator
from itertools import combinations

from nearcopy.cluster.constraints import Told
from nearcopy.deduper.find_matches import surest_first
from nearcopy.models.feedback import TOLD_APART, TOLD_EVENT
from nearcopy.models.model import Decision, Edge, Fingerprint, Member, Relation

Edges = dict[str, dict[str, Edge]]  # of each article, by the article at the other end
# What follows for two articles of one run from what people said of them and articles of others.
APART = Decision(Relation.DISTINCT, TOLD_APART, 1.0, False, "people keep them apart")
EVENT = Decision(Relation.SAME_EVENT, TOLD_EVENT, 1.0, False, "people said: no copies")


class Standing:
    """What the articles are as one run after the other has come."""

    def __init__(self, edges: Edges, found: Iterable[Edge]) -> None:
        self.members: dict[str, Member] = {}
        self._edges = edges
        self._copies: dict[str, set[str]] = {}  # of what is kept
        self._told = Told()
        for edge in found:
            self._told.add(edge.a, edge.b, edge.decision)

    def add(self, members: Iterable[Member]) -> None:
        """Take note of what articles are."""
        for member in members:
            self.members[member.id] = member
            if member.duplicate_of:
                self._copies.setdefault(member.duplicate_of, set()).update(
                    self._told.copies(member.id)
                )
                self._told.meet(member.duplicate_of, member.id)

    def add_copies(self, added: list[str]) -> None:
        """Take note of those of the added that are copies of what is kept, each of the surest."""
        kept = {name for name, member in self.members.items() if member.duplicate_of is None}
        new = set(added)
        for name in added:
            if name in self.members:  # brought by one before it
                continue
            of, how = self._told_copy(name) or self._surest(name, kept)
            if of and how:
                brought = [each for each in self._told.copies(name)[1:] if each in new]
                self.add([_copy_member(name, of, how)])
                self.add(_copy_member(each, of, self._told_how(each)) for each in brought)

    def _told_copy(self, name: str) -> tuple[str, Decision] | None:
        """The kept copy of an earlier one that people said is the same."""
        others = self._told.copies(name) if self._told else ()
        earlier = [each for each in others if each in self.members]
        if not earlier:
            return None
        return self.members[earlier[0]].duplicate_of or earlier[0], self._told_how(name)

    def _told_how(self, name: str) -> Decision:
        """The first of what people said an article is the same by."""
        return min(self._told.same[name].items())[1]

    def _surest(self, name: str, kept: set[str]) -> tuple[str | None, Decision | None]:
        links = {
            other: edge
            for other, edge in self._edges.get(name, {}).items()
            if other in kept and edge.decision.duplicate and self._may_join(other, name)
        }
        if not links:
            return None, None
        _, of = min((surest_first(e.decision, e.copy), other) for other, e in links.items())
        return of, links[of].decision

    def _may_join(self, kept: str, name: str) -> bool:
        if not self._told:
            return True
        strangers = self._told.no_copies(self._told.copies(name))
        there = {*self._told.copies(kept), *self._copies.get(kept, ())}
        return self._told.may_meet(kept, name) and strangers.isdisjoint(there)

    def implied(self, articles: Iterable[Fingerprint]) -> list[Edge]:
        """What people said of these articles through those of other runs."""
        spoken_of = [each.id for each in articles if self._told.mentions(each.id)]
        return list(self._implied(spoken_of))

    def _implied(self, ids: list[str]) -> Iterator[Edge]:
        for a, b in combinations(ids, 2):
            copies = self._told.copies(b)
            if a in copies:
                yield Edge(a, b, self._told_how(b))
            elif not self._told.may_meet(a, b):
                yield Edge(a, b, APART)
            elif not self._told.no_copies(self._told.copies(a)).isdisjoint(copies):
                yield Edge(a, b, EVENT)


def _copy_member(name: str, of: str, how: Decision) -> Member:
    return Member(name, how.relation, how.confidence, how.rule, how.reason, duplicate_of=of)
