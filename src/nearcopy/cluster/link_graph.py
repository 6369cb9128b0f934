"""The link graph: duplicate and same-event edges between articles, and pairs that exclude links.

Feedback by users gives must-link and cannot-link constraints, through other articles too. Articles
labelled the same, or of one event, form a must-link component, kept by union-find; so do articles
that clustering merged with one of them. Two components that hold articles labelled different are
never merged.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TypeVar

from nearcopy.cluster.kept_copy import NO_PREFERENCE, Preferred
from nearcopy.config import Policy
from nearcopy.match.vetoes import CLASH
from nearcopy.models import RELATION_RANK, Decision, Relation, ordered
from nearcopy.models.feedback import (
    FEEDBACK_DIFFERENT,
    FEEDBACK_EVENT,
    FEEDBACK_RULES,
    FEEDBACK_SAME,
)

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


def connected_components(table: Mapping[Node, Collection[Node]]) -> Iterator[list[Node]]:
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


class Constraints:
    """The must-link components and the cannot-link pairs, as they grow."""

    def __init__(self) -> None:
        self.same: dict[str, dict[str, Decision]] = {}  # the labels, by both articles
        self._not_duplicates: dict[str, set[str]] = {}  # labelled different, or of one event only
        self._parent: dict[str, str] = {}
        self._cannot_link: dict[str, set[str]] = {}  # by the root of each component

    def __bool__(self) -> bool:
        return bool(self.same or self._not_duplicates)

    def mentions(self, article: str) -> bool:
        """Whether there is feedback on the article."""
        return article in self.same or article in self._not_duplicates

    def add(self, a: str, b: str, decision: Decision) -> None:
        """Add a decision by feedback; any other is ignored."""
        if decision.rule not in FEEDBACK_RULES:
            return
        if decision.rule == FEEDBACK_SAME:
            self.same.setdefault(a, {})[b] = decision
            self.same.setdefault(b, {})[a] = decision
        else:
            self._not_duplicates.setdefault(a, set()).add(b)
            self._not_duplicates.setdefault(b, set()).add(a)
        if decision.rule != FEEDBACK_DIFFERENT:
            self.merge(a, b)
            return
        self._cannot_link.setdefault(self.component(a), set()).add(b)
        self._cannot_link.setdefault(self.component(b), set()).add(a)

    def component(self, article: str) -> str:
        """The root of the article's component (find, with path compression)."""
        root = article
        while (parent := self._parent.get(root, root)) != root:
            root = parent
        while article != root:
            parent = self._parent[article]
            self._parent[article] = root
            article = parent
        return root

    def merge(self, a: str, b: str) -> None:
        """Merge the components of two articles (union)."""
        root, other = sorted((self.component(a), self.component(b)))
        if root == other or not self:
            return
        self._parent[other] = root
        cannot_link = self._cannot_link.pop(other, None)
        if cannot_link:
            self._cannot_link.setdefault(root, set()).update(cannot_link)

    def can_link(self, a: str, b: str) -> bool:
        """Whether no article of the one component is labelled different from one of the other."""
        root, other = self.component(a), self.component(b)
        cannot_link = self._cannot_link.get(root)
        return not cannot_link or all(self.component(x) != other for x in cannot_link)

    def can_join(self, kept: str, article: str, in_group: Callable[[str], bool]) -> bool:
        """Whether the article, with those labelled the same, may be in the group of a kept copy."""
        excluded = self.not_duplicates_of(self.same_articles(article))
        return self.can_link(kept, article) and not any(map(in_group, excluded))

    def same_articles(self, article: str) -> list[str]:
        """The article and all that are labelled the same, through others too."""
        visited = {article}
        queue = [article]
        for current in queue:  # grows while it is read
            new = [other for other in sorted(self.same.get(current, ())) if other not in visited]
            visited.update(new)
            queue += new
        return queue

    def not_duplicates_of(self, articles: Iterable[str]) -> set[str]:
        """The articles labelled different from one of these, or of one event only."""
        return {other for article in articles for other in self._not_duplicates.get(article, ())}


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
