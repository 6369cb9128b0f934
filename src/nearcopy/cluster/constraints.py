"""What people said of articles: who belongs together, and who stays apart, through others too.

Articles that belong together are a camp: those told to be the same or of one event, and whoever
joined one of them. Camps that hold two articles told to be different never meet.
"""

from collections.abc import Iterable

from nearcopy.models.feedback import TOLD, TOLD_APART, TOLD_SAME
from nearcopy.models.model import Decision

Table = dict[str, dict[str, Decision]]


class Told:
    """The camps, as they grow."""

    def __init__(self) -> None:
        self.same: Table = {}
        self._no_copies: dict[str, set[str]] = {}  # told to be different, or of one event only
        self._camp: dict[str, str] = {}  # an article of the same camp, in the end the first
        self._foes: dict[str, set[str]] = {}  # by the first of each camp

    def __bool__(self) -> bool:
        return bool(self.same or self._no_copies)

    def mentions(self, article: str) -> bool:
        """Whether anything was said of the article."""
        return article in self.same or article in self._no_copies

    def add(self, a: str, b: str, decision: Decision) -> None:
        """Take note of what was told of two articles; anything else is passed over."""
        if decision.rule not in TOLD:
            return
        if decision.rule == TOLD_SAME:
            self.same.setdefault(a, {})[b] = decision
            self.same.setdefault(b, {})[a] = decision
        else:
            self._no_copies.setdefault(a, set()).add(b)
            self._no_copies.setdefault(b, set()).add(a)
        if decision.rule != TOLD_APART:
            self.meet(a, b)
            return
        self._foes.setdefault(self.camp(a), set()).add(b)
        self._foes.setdefault(self.camp(b), set()).add(a)

    def camp(self, article: str) -> str:
        """The article that stands for all of its camp."""
        first = article
        while (before := self._camp.get(first, first)) != first:
            first = before
        while article != first:  # the next who asks goes there at once
            following = self._camp[article]
            self._camp[article] = first
            article = following
        return first

    def meet(self, a: str, b: str) -> None:
        """Make one camp of two."""
        one, other = sorted((self.camp(a), self.camp(b)))
        if one == other or not self:
            return
        self._camp[other] = one
        foes = self._foes.pop(other, None)
        if foes:
            self._foes.setdefault(one, set()).update(foes)

    def may_meet(self, a: str, b: str) -> bool:
        """Whether nobody said that one of the one camp is different from one of the other."""
        one, other = self.camp(a), self.camp(b)
        foes = self._foes.get(one)
        return not foes or all(self.camp(foe) != other for foe in foes)

    def copies(self, article: str) -> list[str]:
        """The article, and all that were told to be the same, through others too."""
        found = dict.fromkeys([article])
        queue = [article]
        for each in queue:  # grows as it goes
            new = [other for other in sorted(self.same.get(each, ())) if other not in found]
            found |= dict.fromkeys(new)
            queue += new
        return queue

    def no_copies(self, articles: Iterable[str]) -> set[str]:
        """Those that were told to be no copies of one of these."""
        return {other for each in articles for other in self._no_copies.get(each, ())}
