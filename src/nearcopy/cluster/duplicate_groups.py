"""Stars: copies around the copy that is kept.

A star is no chain: every copy is a duplicate of the kept one itself. Articles linked by duplicate
decisions, directly or through others, are ranked once by the keeper; the best takes those it is a
duplicate of, then the best of what is left does, until none is left. So A = B, B = C does not make
C a copy of A unless someone says so; but what is word for word B goes where B goes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from nearcopy.cluster.kept_copy import Standing, lone_card, standings
from nearcopy.cluster.link_graph import Links
from nearcopy.config import Policy
from nearcopy.models.model import Decision, Fingerprint, Relation

Judge = Callable[[str, str], Decision]


@dataclass(frozen=True, slots=True)
class Brake:
    """A group that grew beyond `policy.largest_story`, and what was done about it."""

    size: int
    kept: str
    left_out: int
    why: str


@dataclass(slots=True)
class Star:
    """A kept copy with its duplicates, and the stars it leads that tell the same event."""

    kept: Standing
    others: list[tuple[Standing, Decision]]
    full: str | None = None  # the kept copy of the full story that this one was left out of
    led: Sequence[tuple["Star", Decision]] = ()

    @property
    def size(self) -> int:
        """How many copies there are, the kept one among them."""
        return 1 + len(self.others)

    @property
    def copies(self) -> list[Fingerprint]:
        """The kept copy and its duplicates."""
        return [self.kept.copy, *(standing.copy for standing, _ in self.others)]

    @property
    def articles(self) -> list[Fingerprint]:
        """The copies, and those of the stars it leads."""
        return self.copies + [copy for star, _ in self.led for copy in star.copies]


def lone_star(copy: Fingerprint, policy: Policy) -> Star:
    """The star of an article without copies."""
    return Star(Standing((), copy, lone_card(copy, policy)), [])


class Copies:
    """Articles linked as copies, ranked once, and broken into stars best first."""

    def __init__(
        self, members: list[Fingerprint], links: Links, policy: Policy, judge: Judge | None
    ) -> None:
        self.ranked = standings(members, policy, links.preferred)
        self.free = {standing.copy.id: place for place, standing in enumerate(self.ranked)}
        self.home: dict[str, str] = {}  # the kept copy of the star that an article is in
        self.links = links
        self.judge = judge
        self.largest = max(1, policy.largest_story)
        self.left_out = 0

    def stars(self) -> Iterator[Star]:
        """The stars; who finds its star full is one of its own."""
        for kept in self.ranked:
            if kept.copy.id not in self.free:
                continue
            star = self._star(kept.copy.id)
            spare = self._take_linked(star)
            self._take_the_same(star)
            if self.judge is not None:
                self._ask(self.judge, star)
            yield star
            self.left_out += sum(each.size for each in spare)
            yield from spare

    def _star(self, article: str, full: str | None = None) -> Star:
        """A new star, with those that people said are the same."""
        star = Star(self._take(article, article), [], full)
        self._bring(star, article)
        return star

    def _take(self, article: str, kept: str) -> Standing:
        self.home[article] = kept
        return self.ranked[self.free.pop(article)]

    def _let_in(self, star: Star, article: str, how: Decision) -> None:
        kept = star.kept.copy.id
        star.others.append((self._take(article, kept), how))
        self.links.told.meet(kept, article)
        self._bring(star, article)

    def _bring(self, star: Star, article: str) -> None:
        """Let in those that people said are the same as this one; no limit parts them."""
        told, kept = self.links.told, star.kept.copy.id
        for each in told.copies(article):
            for other, how in sorted(told.same.get(each, {}).items()):
                if other in self.free:
                    why = how.reason if each == kept else f"the same as {each}, {how.reason}"
                    star.others.append((self._take(other, kept), how._replace(reason=why)))

    def _may_join(self, star: Star, article: str) -> bool:
        """Whether nobody said that this article, or one it brings, is no copy of one there."""
        told, kept = self.links.told, star.kept.copy.id
        if not told:
            return True
        strangers = told.no_copies(told.copies(article))
        return told.may_meet(kept, article) and all(self.home.get(x) != kept for x in strangers)

    def _linked(self, article: str) -> list[tuple[str, Decision]]:
        """The articles still free that are duplicates of this one, surest first."""
        linked = self.links.copies[article].items()
        found = [(other, how) for other, how in linked if other in self.free]
        return sorted(found, key=lambda each: (-each[1].confidence, self.free[each[0]]))

    def _take_linked(self, star: Star) -> list[Star]:
        """Let in the duplicates of the kept copy; those that find the star full come back."""
        spare: list[Star] = []
        kept = star.kept.copy.id
        for other, how in self._linked(kept):
            if other not in self.free or not self._may_join(star, other):
                continue
            if star.size < self.largest:
                self._let_in(star, other, how)
            else:
                spare.append(self._star(other, full=kept))
        return spare

    def _take_the_same(self, star: Star) -> None:
        """Let in what is word for word a member: it is to the kept copy what that member is."""
        kept = star.kept.copy.id
        for standing, how in star.others:  # grows as it goes
            for other, same in self._linked(standing.copy.id):
                if star.size >= self.largest:
                    return
                if same.relation is not Relation.SAME_TEXT or self.links.are_distinct(kept, other):
                    continue
                if other in self.free and self._may_join(star, other):
                    reason = f"the same text as {standing.copy.id}: {how.reason}"
                    self._let_in(star, other, how._replace(reason=reason))

    def _ask(self, judge: Judge, star: Star) -> None:
        """Let in those linked to the kept copy through its members, where the judge agrees."""
        kept, asked = star.kept.copy.id, set[str]()
        for standing, _ in star.others:  # grows as it goes
            for other, _ in self._linked(standing.copy.id):
                if star.size >= self.largest:
                    return
                if other in asked or self.links.were_refused(kept, other):
                    continue
                asked.add(other)
                if other not in self.free or not self._may_join(star, other):
                    continue
                decision = judge(kept, other)
                if decision.duplicate:
                    self._let_in(star, other, decision)

    def brake(self) -> Iterator[Brake]:
        """What to report of a group beyond the limit, and nothing of any other."""
        if len(self.ranked) <= self.largest:
            return
        size, kept = len(self.ranked), self.ranked[0].copy.id
        why = (
            f"{size} articles are linked, more than the {self.largest} a story may have: "
            f"{self.left_out} duplicates were left out of a full story and stay on their own; "
            "look whether a template or a block page is at work, or raise largest_story"
        )
        yield Brake(size, kept, self.left_out, why)
