"""Must-link and cannot-link constraints from user feedback, through other articles too.

Articles labelled the same, or of one event, form a must-link component, kept by union-find; so do
articles that clustering merged with one of them. Two components that hold articles labelled
different are never merged.
"""

from collections.abc import Iterable

from nearcopy.models import Decision
from nearcopy.models.feedback import FEEDBACK_DIFFERENT, FEEDBACK_RULES, FEEDBACK_SAME


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
