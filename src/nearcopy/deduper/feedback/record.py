"""Correcting: what people say of two stored articles is remembered, and stories follow."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from nearcopy.cluster.constraints import Told
from nearcopy.cluster.kept_copy import by_age
from nearcopy.cluster.story_ids import own_story_id
from nearcopy.config import Policy, Recipe
from nearcopy.deduper.recluster import Settled
from nearcopy.errors import BadFeedback
from nearcopy.fingerprint.term_weights import kept_weights
from nearcopy.match.judge_pairs import NOT_COMPARED, comparable, judged
from nearcopy.models.feedback import Feedback, Said, fits, relation_told, without_words
from nearcopy.models.model import Member, Relation
from nearcopy.stores import Store

Settle = Callable[[set[str]], Settled]


class Change(NamedTuple):
    """An article that is now in another story, or a duplicate of another, and what it was."""

    id: str
    story_id: str
    duplicate_of: str | None
    story_before: str
    duplicate_of_before: str | None


@dataclass(frozen=True, slots=True)
class Correction:
    """What was said of two articles, or taken back, and what changed by it."""

    feedback: Feedback
    taken_back: bool
    changes: tuple[Change, ...]


def feedback_on(
    store: Store,
    pair: tuple[str, str],
    *,
    same: bool,
    relation: Relation | None,
    note: str,
    when: datetime,
    settings: tuple[Recipe, Policy],
) -> Feedback:
    """What people say of two stored articles, beside what the policy says of them."""
    said = said_of(store, pair, *settings)
    a, b = sorted(pair)
    made = Feedback(
        a=a,
        b=b,
        same=same,
        relation=relation_told(same, relation, said.relation),
        note=note,
        when=when,
        said=said,
    )
    _refuse_contradiction(store, made)
    return made


def checked_relation(same: bool, relation: object) -> Relation | None:
    """The relation, where two articles that are the same, or different, can have it."""
    if relation is None:
        return None
    named = next((each for each in Relation if each == relation), None)
    if named is None or not fits(same, named):
        allowed = ", ".join(each for each in Relation if fits(same, each))
        told = "the same" if same else "different"
        raise BadFeedback(f"relation is {relation!r:.60}: of what is {told} choose from {allowed}")
    return named


def correct(store: Store, feedback: Feedback, settle: Settle) -> Correction:
    """Remember what people said, and settle the stories of the two by it."""
    return _changed(store, feedback, lambda: store.remember(feedback), settle, taken_back=False)


def take_back(store: Store, a: str, b: str, settle: Settle) -> Correction:
    """Forget what people said of two articles, and settle their stories without it."""
    told = [each for each in store.told([a]) if {*each.pair} == {a, b}]
    if not told:
        raise BadFeedback(f"nothing was said of {a!r} and {b!r}: there is nothing to take back")

    def forget() -> None:
        store.take_back(a, b)

    return _changed(store, told[0], forget, settle, taken_back=True)


def _changed(
    store: Store,
    feedback: Feedback,
    change: Callable[[], None],
    settle: Settle,
    *,
    taken_back: bool,
) -> Correction:
    change()
    before = settle({*feedback.pair}).before
    return Correction(feedback, taken_back, tuple(changes(store, before)))


Place = tuple[str, Member] | None


def changes(store: Store, before: Mapping[str, Place]) -> Iterator[Change]:
    """The articles that are no more where they were."""
    after = store.members(before)
    for name in sorted(before):
        was, now = _place(name, before[name]), _place(name, after.get(name))
        if was != now:
            yield Change(name, *now, *was)


def _place(article: str, place: Place) -> tuple[str, str | None]:
    """The story of an article, and what it is a copy of."""
    return (own_story_id(article), None) if place is None else (place[0], place[1].duplicate_of)


def said_of(store: Store, pair: tuple[str, str], recipe: Recipe, policy: Policy) -> Said:
    """What the policy says of two articles, whatever people said."""
    one, two = sorted(store.fingerprints(pair).values(), key=by_age)
    weights = kept_weights(store.term_counts())
    (found,) = judged([(one, two)], recipe, policy, store.articles, weights=weights)
    how, evidence = found.decision, without_words(found.evidence)
    if not comparable(one, two, policy):  # they are never compared
        return Said(*NOT_COMPARED[:4], 0.0, found.copy, evidence)
    said = how.relation, how.rule, how.confidence, how.duplicate
    return Said(*said, found.news, found.copy, evidence)


def _refuse_contradiction(store: Store, new: Feedback) -> None:
    """Raises where other feedback says otherwise, through other articles."""
    others = [each for each in _all_around(store, {*new.pair}) if each.pair != new.pair]
    told = Told()
    for each in others:
        told.add(each.a, each.b, each.decision)
    if not _contradicts(told, new):
        return
    a, b = new.pair
    near = next(each for each in others if {*each.pair} & {a, b})
    raise BadFeedback(
        f"of {a!r} and {b!r} people said otherwise through other articles: take one of these back "
        f"first, such as `nearcopy feedback {near.a} {near.b} --undo`"
    )


def _contradicts(told: Told, new: Feedback) -> bool:
    a, b = new.pair
    copies = told.copies(a)
    if not new.same:
        return told.camp(a) == told.camp(b)
    if not told.may_meet(a, b):
        return True
    if new.relation is Relation.SAME_EVENT:
        return b in copies
    return not told.no_copies(copies).isdisjoint(told.copies(b))


def _all_around(store: Store, ids: set[str]) -> list[Feedback]:
    """All feedback that what was said links with these ids."""
    known: set[str] = set()
    fresh = set(ids)
    found: dict[tuple[str, str], Feedback] = {}
    while fresh:
        told = store.told(fresh)
        found |= {each.pair: each for each in told}
        known |= fresh
        fresh = {name for each in told for name in each.pair} - known
    return list(found.values())
