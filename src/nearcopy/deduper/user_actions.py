"""People: what they say of articles, and do to stories."""

from nearcopy.deduper.feedback.actions import Actor, Done, keep, merge, split, undo
from nearcopy.deduper.feedback.labelled_examples import Example, feedback_examples
from nearcopy.deduper.feedback.record import (
    Correction,
    checked_relation,
    correct,
    feedback_on,
    take_back,
)
from nearcopy.deduper.read_stories import Telling
from nearcopy.deduper.recluster import Settled
from nearcopy.errors import BadFeedback
from nearcopy.models.action import Act
from nearcopy.models.feedback import Feedback
from nearcopy.stores.retry import tried


class People(Telling):
    """What people say and do."""

    @tried
    def feedback(
        self, a: str, b: str, *, same: bool, relation: str | None = None, note: str = ""
    ) -> Correction:
        """Remember that two stored articles are the same, or different; what changed by it.

        It holds whatever is measured and whoever comes, also when either is forgotten and added
        again, until something else is said of the two or it is taken back.
        """
        if a == b:
            raise BadFeedback(f"{a!r:.60} twice: name two articles")
        if not isinstance(same, bool) or not isinstance(note, str):
            raise BadFeedback(
                f"of {a!r:.60} and {b!r:.60}: give same as True or False, and the note as a text"
            )
        kind = checked_relation(same, relation)
        with self._lock, self._store.writing():
            self._require([a, b])
            made = feedback_on(
                self._store,
                (a, b),
                same=same,
                relation=kind,
                note=note,
                when=self._clock(),
                settings=(self.recipe, self.policy),
            )
            return correct(self._store, made, self._settle_anew)

    @tried
    def take_back(self, a: str, b: str) -> Correction:
        """Forget what was said of two articles; what changed by it."""
        with self._lock, self._store.writing():
            return take_back(self._store, a, b, self._settle_anew)

    @tried
    def told(self) -> list[Feedback]:
        """All that people said, first to last."""
        with self._lock, self._store.reading():
            return self._store.all_told()

    @tried
    def examples(self) -> list[Example]:
        """All that people said, beside what is measured of the two: what `tune` learns from."""
        with self._lock, self._store.reading():
            told = self._store.all_told()
            return list(feedback_examples(self._store, told, self.recipe, self.policy))

    @tried
    def keep(self, id: str, *, by: str = "", note: str = "") -> Done:  # noqa: A002
        """Have this copy be the one that its story keeps; what changed by it.

        It holds whatever comes and when stories are told anew, until it is undone.
        """
        with self._lock, self._store.writing():
            self._require([id])
            return keep(self._store, self._story(id), id, self._actor(by, note), self._settle)

    @tried
    def split(self, id: str, *, by: str = "", note: str = "") -> Done:  # noqa: A002
        """Have this article be in a story of its own; what changed by it."""
        with self._lock, self._store.writing():
            self._require([id])
            return split(self._store, self._story(id), id, self._actor(by, note), self._settle)

    @tried
    def merge(self, a: str, b: str, *, by: str = "", note: str = "") -> Done:
        """Make one of two stories, each named as for `story`; what changed by it."""
        with self._lock, self._store.writing():
            one, other = self._story(a), self._story(b)
            return merge(self._store, one, other, self._actor(by, note), self._settle)

    @tried
    def undo(self, number: int, *, by: str = "") -> Done:
        """Take an act on a story back; what changed by it."""
        with self._lock, self._store.writing():
            when = self._clock()
            return undo(self._store, number, by=by, when=when, settle=self._settle)

    @tried
    def acts(self, *, before: int | None = None, limit: int = 50) -> list[Act]:
        """The journal: what people did to stories, those before a number, the last first."""
        with self._lock, self._store.reading():
            return self._store.acts(before, limit)

    def _actor(self, by: str, note: str) -> Actor:
        if not isinstance(by, str) or not isinstance(note, str):
            raise BadFeedback("give by and note as texts")
        return Actor(by, note, self._clock(), (self.recipe, self.policy))

    def _settle_anew(self, ids: set[str]) -> Settled:
        return self._settle(ids, {})
