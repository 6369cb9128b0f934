"""Settled stories: large stories that new articles join as they stand.

Their articles are not clustered again, and the edges between these are not read: a settled story is
made from its members, whose relation to their kept copy was decided before. So what an article
costs does not grow with the story. The kept copies of a settled story stay.
"""

from collections.abc import Collection, Mapping

from nearcopy.cluster.duplicate_groups import (
    DuplicateGroup,
    Judge,
    OversizedGroup,
    oversized_duplicates,
    same_text_as,
)
from nearcopy.cluster.kept_copy import (
    RankedCopy,
    ScoreCard,
    explain_choice,
    rank_copies,
    score_single_copy,
)
from nearcopy.cluster.stories import BEST_OF
from nearcopy.config import Policy
from nearcopy.models import Decision, Edge, Fingerprint, Member, Relation, Story

KEPT_SO_FAR = "kept so far; reclustering may prefer another of its {} copies"


class SettledStories:
    """The groups that lead settled stories, with the new copies that join them."""

    def __init__(
        self, stories: Collection[Story], fingerprints: Mapping[str, Fingerprint], policy: Policy
    ) -> None:
        self.leaders: list[DuplicateGroup] = []
        self.left_out: list[DuplicateGroup] = []  # copies whose story is full
        self._policy, self._largest = policy, max(1, policy.max_story_size)
        self._stored_sizes = {story.kept: len(story.members) for story in stories}
        self._sizes = dict(self._stored_sizes)  # by the kept copies of the stories
        self._decisions: dict[str, Decision] = {}  # between a copy and its kept copy
        self._places: dict[str, tuple[DuplicateGroup, DuplicateGroup]] = {}  # leader and group
        self._grown: dict[str, DuplicateGroup] = {}  # groups that copies joined, by kept copy
        for story in stories:
            leader = settled_group(story, fingerprints)
            self.leaders.append(leader)
            for group in leader.parts:
                self._decisions |= {copy.copy.id: decision for copy, decision in group.others}
                for copy in group.copies:
                    self._places[copy.id] = leader, group

    def is_changed(self, group: DuplicateGroup) -> bool:
        """Whether the group is no settled one, or others joined it."""
        return not group.is_settled or len(group.articles) > self._stored_sizes[group.kept.copy.id]

    def add_copy(self, article: Fingerprint, edges: Mapping[str, Edge], judge: Judge) -> bool:
        """Add an article to the group that it is a copy of; whether there is one.

        `edges` are those of the article, by the article at the other end.
        """
        copies = [id_ for id_ in edges if id_ in self._places and edges[id_].decision.duplicate]
        copies.sort(key=lambda id_: (-edges[id_].decision.confidence, id_))
        kept = {id_: self._places[id_][1].kept.copy.id for id_ in copies}
        for id_ in copies:
            if kept[id_] == id_:
                return self._add(article, id_, edges[id_].decision)
        for id_ in copies:
            if edges[id_].decision.relation is Relation.SAME_TEXT and not _is_distinct(
                edges.get(kept[id_])
            ):
                return self._add(article, id_, same_text_as(id_, self._decisions[id_]))
        for id_ in copies:
            if kept[id_] not in edges:
                decision = judge(kept[id_], article.id)
                return decision.duplicate and self._add(article, id_, decision)
        return False

    def _add(self, article: Fingerprint, member: str, decision: Decision) -> bool:
        """Add a copy to the group of a member, or where the story is full leave it out."""
        leader, group = self._places[member]
        copy = RankedCopy((), article, score_single_copy(article, self._policy))
        if self._sizes[leader.kept.copy.id] >= self._largest:
            self.left_out.append(DuplicateGroup(copy, [], full=group.kept.copy.id))
            return True
        self._sizes[leader.kept.copy.id] += 1
        group.others.append((copy, decision))
        self._decisions[article.id] = decision
        self._places[article.id] = leader, group
        self._grown[group.kept.copy.id] = group
        return True

    def rank_grown(self) -> None:
        """Score the copies of groups that grew relative to each other."""
        for kept, group in self._grown.items():
            ranked = {copy.copy.id: copy for copy in rank_copies(group.copies, self._policy)}
            best = next(iter(ranked))
            group.kept = ranked[kept]
            group.others = [(ranked[copy.copy.id], decision) for copy, decision in group.others]
            group.why = KEPT_SO_FAR.format(len(ranked))
            if best == kept:
                group.why = explain_choice([*ranked.values()], self._policy)

    def oversized(self) -> list[OversizedGroup]:
        """The full stories that copies were left out of."""
        counts: dict[str, int] = {}
        for copy in self.left_out:
            kept = copy.full or ""
            counts[kept] = counts.get(kept, 0) + 1
        sizes = {kept: self._sizes[self._places[kept][0].kept.copy.id] for kept in counts}
        return [
            oversized_duplicates(sizes[kept] + count, kept, count, self._largest)
            for kept, count in counts.items()
        ]


def settled_group(story: Story, fingerprints: Mapping[str, Fingerprint]) -> DuplicateGroup:
    """The group that leads a stored story, with those that it leads."""
    groups: dict[str, DuplicateGroup] = {}
    for member in story.members:
        if member.duplicate_of is None:
            groups[member.id] = DuplicateGroup(_copy(member, fingerprints), [], is_settled=True)
    led: list[tuple[DuplicateGroup, Decision]] = []
    for member in story.members:
        if member.duplicate_of is not None:
            copy = _copy(member, fingerprints)
            groups[member.duplicate_of].others.append((copy, _decision(member)))
        elif member.id != story.kept:
            led.append((groups[member.id], _decision(member)))
    leader = groups[story.kept]
    leader.led = led
    leader.why = story.why.rpartition(BEST_OF)[0] or story.why
    return leader


def _is_distinct(edge: Edge | None) -> bool:
    return edge is not None and edge.decision.relation is Relation.DISTINCT


def _copy(member: Member, fingerprints: Mapping[str, Fingerprint]) -> RankedCopy:
    card = ScoreCard(0.0, 0.0, 0.0, 0.0, member.score, member.why)
    return RankedCopy((), fingerprints[member.id], card)


def _decision(member: Member) -> Decision:
    """The decision that made the article a member."""
    relation = member.relation or Relation.SAME_EVENT
    is_copy = member.duplicate_of is not None
    return Decision(relation, member.rule, member.confidence, is_copy, member.reason)
