"""The link graph: duplicate and same-event edges between articles, and pairs that exclude links."""

from collections.abc import Collection, Iterator
from typing import TypeVar

from nearcopy.cluster.constraints import Constraints
from nearcopy.cluster.kept_copy import NO_PREFERENCE, Preferred
from nearcopy.config import Policy
from nearcopy.match.conditions import CLASH
from nearcopy.models import RELATION_RANK, Decision, Relation, ordered
from nearcopy.models.feedback import FEEDBACK_EVENT, FEEDBACK_RULES

Node = TypeVar("Node", str, int)


def is_link(decision: Decision, policy: Policy) -> bool:
    """Whether a decision can put two articles into one story: as duplicates, or as one event."""
    return decision.duplicate or is_event_link(decision, policy)


def is_event_link(decision: Decision, policy: Policy) -> bool:
    """Whether two articles report the same event and are no duplicates."""
    if decision.duplicate or decision.relation is not Relation.SAME_EVENT:
        return False
    return policy.story_score is not None and Relation.SAME_EVENT not in policy.duplicates


def add_edge(table: dict[Node, dict[Node, Decision]], a: Node, b: Node, decision: Decision) -> None:
    """Link two nodes in the adjacency table; of several decisions the surest stays."""
    for one, other in ((a, b), (b, a)):
        neighbours = table.setdefault(one, {})
        before = neighbours.get(other)
        if before is None or _sort_key(decision) < _sort_key(before):
            neighbours[other] = decision


def connected_components(table: dict[Node, dict[Node, Decision]]) -> Iterator[list[Node]]:
    """The connected components of an adjacency table."""
    visited: set[Node] = set()
    for start in table:
        if start in visited:
            continue
        visited.add(start)
        component = [start]
        for node in component:  # grows while it is read
            new = [other for other in table[node] if other not in visited]
            visited.update(new)
            component += new
        yield component


class LinkGraph:
    """Duplicate edges, same-event edges, and the pairs decided to be neither."""

    def __init__(
        self,
        articles: Collection[str],
        policy: Policy,
        *,
        preferred: Preferred = NO_PREFERENCE,
        for_judge: bool,
    ) -> None:
        self.articles = articles
        self.policy = policy
        self.preferred = preferred
        self.duplicates: dict[str, dict[str, Decision]] = {}
        self.events: dict[str, dict[str, Decision]] = {}
        self.event_scores: dict[tuple[str, str], float] = {}  # of pairs that are no duplicates
        self.distinct: set[tuple[str, str]] = set()
        self.clashing: set[tuple[str, str]] = set()
        self.constraints = Constraints()
        self.not_duplicates: set[tuple[str, str]] | None = set() if for_judge else None

    def add(self, a: str, b: str, decision: Decision, event_score: float = 0.0) -> None:
        """Add a decision, unless it is about other articles."""
        if a == b or a not in self.articles or b not in self.articles:
            return
        self.constraints.add(a, b, decision)
        if decision.duplicate:
            add_edge(self.duplicates, a, b, decision)
            return
        pair = ordered(a, b)
        if self.not_duplicates is not None:
            self.not_duplicates.add(pair)
        if self.policy.story_score is not None or decision.rule == FEEDBACK_EVENT:
            self.event_scores[pair] = max(event_score, self.event_scores.get(pair, 0.0))
        if decision.relation is Relation.DISTINCT:
            self.distinct.add(pair)
            if decision.reason.startswith(CLASH):
                self.clashing.add(pair)
        elif decision.rule == FEEDBACK_EVENT or is_event_link(decision, self.policy):
            add_edge(self.events, a, b, decision)

    def has_links(self, article: str) -> bool:
        """Whether the article is linked with any other."""
        return article in self.duplicates or article in self.events

    def are_no_duplicates(self, a: str, b: str) -> bool:
        """Whether the two were decided to be no duplicates, as far as that is kept."""
        return self.not_duplicates is not None and ordered(a, b) in self.not_duplicates

    def are_distinct(self, a: str, b: str) -> bool:
        """Whether the two were decided to be unrelated."""
        return ordered(a, b) in self.distinct

    def facts_clash(self, a: str, b: str) -> bool:
        """Whether their facts clash, so that no story may hold both kept copies."""
        return ordered(a, b) in self.clashing


def _sort_key(decision: Decision) -> tuple[object, ...]:
    """Sorts feedback first, then the surest."""
    rank = RELATION_RANK[decision.relation]
    measured = decision.rule not in FEEDBACK_RULES
    confidence = -decision.confidence
    return measured, confidence, rank, decision.rule, decision.reason, decision.flags
