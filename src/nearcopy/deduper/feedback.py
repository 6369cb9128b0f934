"""User feedback on pairs of articles: what it changes is reclustered in the same transaction."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from nearcopy.cluster.link_graph import Constraints
from nearcopy.cluster.stories import own_story_id
from nearcopy.deduper.matches import judge_fingerprints
from nearcopy.deduper.session import Session
from nearcopy.errors import BadFeedback
from nearcopy.match.eligibility import NOT_COMPARED, are_comparable
from nearcopy.models import Member, Relation
from nearcopy.models.feedback import (
    Feedback,
    Pair,
    Prediction,
    feedback_relation,
    is_consistent,
    without_quotes,
)
from nearcopy.stores import Store
from nearcopy.stores.retry import retry_transient

Membership = tuple[str, Member] | None


class Change(NamedTuple):
    """An article that is in another story now, or a duplicate of another article."""

    id: str
    story_id: str
    duplicate_of: str | None
    story_before: str
    duplicate_of_before: str | None


@dataclass(frozen=True, slots=True)
class FeedbackResult:
    """Feedback that was recorded or retracted, and the articles that changed."""

    feedback: Feedback
    retracted: bool
    changes: tuple[Change, ...]


@retry_transient
def record(
    session: Session, a: str, b: str, *, same: bool, relation: str | None, note: str
) -> FeedbackResult:
    """Save the feedback and recluster both articles."""
    if a == b:
        raise BadFeedback(f"{a!r:.60} twice: name two articles")
    if not isinstance(same, bool) or not isinstance(note, str):
        raise BadFeedback(
            f"of {a!r:.60} and {b!r:.60}: give same as True or False, and the note as a text"
        )
    known = _parse_relation(same, relation)
    with session.transaction():
        session.require([a, b])
        when = session.clock()
        feedback = make_feedback(session, (a, b), same=same, relation=known, note=note, when=when)
        session.store.save_feedback(feedback)
        return FeedbackResult(feedback, False, recluster(session, {a, b}, {}))


@retry_transient
def retract(session: Session, a: str, b: str) -> FeedbackResult:
    """Remove the feedback on two articles and recluster them."""
    with session.transaction():
        about = [f for f in session.store.feedback_about([a]) if {*f.pair} == {a, b}]
        if not about:
            raise BadFeedback(f"there is no feedback on {a!r} and {b!r}: nothing to retract")
        session.store.remove_feedback(a, b)
        return FeedbackResult(about[0], True, recluster(session, {a, b}, {}))


def recluster(session: Session, ids: set[str], former: Mapping[str, str]) -> tuple[Change, ...]:
    """Recluster these articles; those that changed."""
    before = session.cluster(ids, former).before
    after = session.store.members(before)
    places = (
        (id_, _place(id_, before[id_]), _place(id_, after.get(id_))) for id_ in sorted(before)
    )
    return tuple(Change(id_, *now, *was) for id_, was, now in places if was != now)


def make_feedback(
    session: Session,
    pair: Pair,
    *,
    same: bool,
    relation: Relation | None,
    note: str,
    when: datetime,
) -> Feedback:
    """The feedback with the policy's prediction; raises BadFeedback on a contradiction."""
    prediction = predict(session, pair)
    a, b = sorted(pair)
    feedback = Feedback(
        a=a,
        b=b,
        same=same,
        relation=feedback_relation(same, relation, prediction.relation),
        note=note,
        when=when,
        prediction=prediction,
    )
    _refuse_contradiction(session.store, feedback)
    return feedback


def _parse_relation(same: bool, relation: object) -> Relation | None:
    if relation is None:
        return None
    known = next((kind for kind in Relation if kind == relation), None)
    if known is None or not is_consistent(same, known):
        choices = ", ".join(kind for kind in Relation if is_consistent(same, kind))
        label = "the same" if same else "different"
        raise BadFeedback(
            f"relation is {relation!r:.60}: of articles that are {label} choose from {choices}"
        )
    return known


def _place(article: str, membership: Membership) -> tuple[str, str | None]:
    """The story id of an article, and the article that it is a copy of."""
    if membership is None:
        return own_story_id(article), None
    return membership[0], membership[1].duplicate_of


def predict(session: Session, pair: Pair) -> Prediction:
    """The decision of the policy between two stored articles, without feedback."""
    one, two = session.store.fingerprints(pair).values()
    (judgement,) = judge_fingerprints(session.store, [(one, two)], *session.settings)
    decision, event_score = judgement.decision, judgement.event_score
    if not are_comparable(one, two, session.policy):
        decision, event_score = NOT_COMPARED, 0.0
    evidence = without_quotes(judgement.evidence)
    return Prediction(*decision[:4], event_score, judgement.overlap, evidence)


def _refuse_contradiction(store: Store, new: Feedback) -> None:
    """Raises BadFeedback where other feedback implies the opposite."""
    others = [f for f in _connected_feedback(store, {*new.pair}) if f.pair != new.pair]
    constraints = Constraints()
    for feedback in others:
        constraints.add(feedback.a, feedback.b, feedback.decision)
    if not _contradicts(constraints, new):
        return
    a, b = new.pair
    near = next(feedback for feedback in others if {*feedback.pair} & {a, b})
    raise BadFeedback(
        f"feedback on other articles implies the opposite for {a!r} and {b!r}: retract that first, "
        f"such as `nearcopy feedback {near.a} {near.b} --undo`"
    )


def _contradicts(constraints: Constraints, new: Feedback) -> bool:
    a, b = new.pair
    same = constraints.same_articles(a)
    if not new.same:
        return constraints.component(a) == constraints.component(b)
    if not constraints.can_link(a, b):
        return True
    if new.relation is Relation.SAME_EVENT:
        return b in same
    return not constraints.not_duplicates_of(same).isdisjoint(constraints.same_articles(b))


def _connected_feedback(store: Store, ids: set[str]) -> list[Feedback]:
    """All feedback connected with these articles, through others too."""
    visited: set[str] = set()
    frontier = set(ids)
    by_pair: dict[Pair, Feedback] = {}
    while frontier:
        feedback = store.feedback_about(frontier)
        by_pair |= {f.pair: f for f in feedback}
        visited |= frontier
        frontier = {id_ for f in feedback for id_ in f.pair} - visited
    return list(by_pair.values())
