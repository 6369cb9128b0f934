"""Links: which articles the decisions put together, and which they keep apart."""

from collections.abc import Collection, Iterator
from typing import TypeVar

from nearcopy.cluster.constraints import Told
from nearcopy.cluster.kept_copy import NOBODY, Preferred
from nearcopy.config import Policy
from nearcopy.match.vetoes import FACTS
from nearcopy.models.feedback import TOLD, TOLD_EVENT
from nearcopy.models.model import SUREST, Decision, Relation, ordered

Place = TypeVar("Place", str, int)


def is_link(decision: Decision, policy: Policy) -> bool:
    """Whether a decision can put two articles into one story: as copies, or as one event."""
    return decision.duplicate or is_event(decision, policy)


def is_event(decision: Decision, policy: Policy) -> bool:
    """Whether two articles tell one event and are no copies."""
    if decision.duplicate or decision.relation is not Relation.SAME_EVENT:
        return False
    return policy.story_news is not None and Relation.SAME_EVENT not in policy.duplicates


def join(table: dict[Place, dict[Place, Decision]], a: Place, b: Place, decision: Decision) -> None:
    """Links the two in the table, by the surest of all decisions given for them."""
    for one, other in ((a, b), (b, a)):
        mine = table.setdefault(one, {})
        before = mine.get(other)
        if before is None or _surest_first(decision) < _surest_first(before):
            mine[other] = decision


def groups(table: dict[Place, dict[Place, Decision]]) -> Iterator[list[Place]]:
    """Those linked to each other in the table, directly or through others."""
    seen: set[Place] = set()
    for start in table:
        if start in seen:
            continue
        seen.add(start)
        group = [start]
        for each in group:  # grows as it goes
            new = [other for other in table[each] if other not in seen]
            seen.update(new)
            group += new
        yield group


class Links:
    """Who is a copy of whom, who tells the same event, and who was found to be neither."""

    def __init__(self, articles: Collection[str], policy: Policy, *, for_judge: bool) -> None:
        self.articles = articles
        self.policy = policy
        self.copies: dict[str, dict[str, Decision]] = {}
        self.events: dict[str, dict[str, Decision]] = {}
        self.news: dict[tuple[str, str], float] = {}  # of those that are no copies
        self.distinct: set[tuple[str, str]] = set()
        self.clashing: set[tuple[str, str]] = set()
        self.told = Told()
        self.preferred: Preferred = NOBODY
        self.refused: set[tuple[str, str]] | None = set() if for_judge else None

    def add(self, a: str, b: str, decision: Decision, news: float = 0.0) -> None:
        """Take note of a decision, unless it is about articles that are not here."""
        if a == b or a not in self.articles or b not in self.articles:
            return
        self.told.add(a, b, decision)
        if decision.duplicate:
            join(self.copies, a, b, decision)
            return
        if self.refused is not None:
            self.refused.add(ordered(a, b))
        if self.policy.story_news is not None or decision.rule == TOLD_EVENT:
            self.news[ordered(a, b)] = max(news, self.news.get(ordered(a, b), 0.0))
        if decision.relation is Relation.DISTINCT:
            self.distinct.add(ordered(a, b))
            if decision.reason.startswith(FACTS):
                self.clashing.add(ordered(a, b))
        elif decision.rule == TOLD_EVENT or is_event(decision, self.policy):
            join(self.events, a, b, decision)

    def touch(self, article: str) -> bool:
        """Whether the article is linked with any other."""
        return article in self.copies or article in self.events

    def were_refused(self, a: str, b: str) -> bool:
        """Whether the two were found to be no copies, as far as that is remembered."""
        return self.refused is not None and ordered(a, b) in self.refused

    def are_distinct(self, a: str, b: str) -> bool:
        """Whether the two were found to have nothing to do with each other."""
        return ordered(a, b) in self.distinct

    def hold_apart(self, a: str, b: str) -> bool:
        """Whether stories must not hold both, whatever else links them: their facts clash."""
        return ordered(a, b) in self.clashing

    def told_apart(self, a: str, b: str) -> bool:
        """Whether people keep the two apart, or others that they are in one story with."""
        return not self.told.may_meet(a, b)


def _surest_first(decision: Decision) -> tuple[object, ...]:
    sure = decision.rule not in TOLD, -decision.confidence, SUREST[decision.relation]
    return *sure, decision.rule, decision.reason, decision.flags
