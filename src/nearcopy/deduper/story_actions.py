"""Actions on stories (keep, split, merge): recorded as feedback and in the audit log, undoable."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from nearcopy.cluster.stories import NO_STORIES
from nearcopy.deduper.feedback import Change, make_feedback, predict, recluster
from nearcopy.deduper.session import Session
from nearcopy.deduper.stories import find_story
from nearcopy.errors import BadFeedback
from nearcopy.models import COPIES, Relation, Story, ordered
from nearcopy.models.feedback import (
    ActionKind,
    Feedback,
    MovedArticle,
    Pair,
    StoryAction,
)
from nearcopy.stores import Store
from nearcopy.stores.retry import retry_transient


@dataclass(frozen=True, slots=True)
class ActionResult:
    """An action that was done or undone, and the articles that changed."""

    action: StoryAction
    changes: tuple[Change, ...]


@retry_transient
def keep(session: Session, article: str, *, by: str, note: str) -> ActionResult:
    """Make an article the kept copy of its story."""
    with session.transaction():
        session.require([article])
        story = find_story(session, article)
        if article == story.kept:
            raise BadFeedback(f"{article!r:.60} is the kept copy already: choose another one")
        action = _new_action(session, ActionKind.KEEP, article, story.kept, by, note)
        session.store.save_action(action)
        return _recluster_action(session, action)


@retry_transient
def split(session: Session, article: str, *, by: str, note: str) -> ActionResult:
    """Move an article to a story of its own: it is different from all that it was linked with."""
    with session.transaction():
        session.require([article])
        story = find_story(session, article)
        others = [member.id for member in story.members if member.id != article]
        if not others:
            raise BadFeedback(f"{article!r:.60} is alone in its story: nothing to split off")
        linked = {id_ for edge in session.store.edges([article]) for id_ in edge[:2]}
        linked.add(story.kept)
        pairs = [(article, other) for other in others if other in linked]
        action = _new_action(session, ActionKind.SPLIT, article, None, by, note)
        return _record_pairs(session, action, pairs or [(article, others[0])])


@retry_transient
def merge(session: Session, a: str, b: str, *, by: str, note: str) -> ActionResult:
    """Merge two stories: their kept copies get the relation measured, or are of the same event.

    The other kept copies of each are recorded as the same event too, so that none stays behind.
    """
    with session.transaction():
        one, other = find_story(session, a), find_story(session, b)
        if one.id == other.id:
            raise BadFeedback(f"both are the story {one.id}: name two stories")
        action = _new_action(session, ActionKind.MERGE, one.kept, other.kept, by, note)
        pairs = [(one.kept, other.kept), *_event_pairs(one), *_event_pairs(other)]
        return _record_pairs(session, action, pairs)


def _event_pairs(story: Story) -> list[Pair]:
    """The kept copy with each article of the same event that is no copy of any."""
    others = (member.id for member in story.members[1:] if member.duplicate_of is None)
    return [(story.kept, other) for other in others]


@retry_transient
def undo(session: Session, number: int, *, by: str) -> ActionResult:
    """Undo an action: its feedback and moves, as far as nothing changed them since."""
    store = session.store
    with session.transaction():
        action = next((a for a in store.actions(number + 1, 1) if a.number == number), None)
        if action is None:
            raise BadFeedback(f"no action {number}: `nearcopy action list` lists them")
        if action.undone is not None:
            raise BadFeedback(f"action {number} was undone already, on {action.undone:%Y-%m-%d}")
        undone = replace(action, undone=session.clock(), undone_by=by)
        store.save_action(undone)
        for a, b in _unchanged_pairs(store, action):
            store.remove_feedback(a, b)
        former = _former_stories(store, action)
        result = _recluster_action(session, undone, former)
        restored = {story for story in former.values() if store.stories([story])}
        store.save_stories([], [], {story: story for story in restored})  # no redirect any more
        return result


def _new_action(
    session: Session, kind: ActionKind, article: str, other: str | None, by: str, note: str
) -> StoryAction:
    if not isinstance(by, str) or not isinstance(note, str):
        raise BadFeedback("give by and note as texts")
    last = session.store.actions(limit=1)
    return StoryAction(
        number=last[0].number + 1 if last else 1,
        kind=kind,
        article=article,
        other=other,
        by=by,
        note=note,
        when=session.clock(),
    )


def _record_pairs(session: Session, action: StoryAction, pairs: Sequence[Pair]) -> ActionResult:
    """Record feedback on the pairs that have none, and recluster."""
    by_pair = {f.pair: f for f in session.store.feedback_about(_ids_in(pairs))}
    new = [pair for pair in (ordered(*p) for p in pairs) if not _agrees(by_pair.get(pair), action)]
    for pair in new:
        session.store.save_feedback(_action_feedback(session, action, pair))
    action = replace(action, pairs=tuple(new))
    session.store.save_action(action)
    return _recluster_action(session, action)


def _agrees(feedback: Feedback | None, action: StoryAction) -> bool:
    """Whether earlier feedback says the same; raises BadFeedback where it says the opposite."""
    if feedback is None:
        return False
    if feedback.same != (action.kind is ActionKind.MERGE):
        label = "the same" if feedback.same else "different"
        raise BadFeedback(
            f"{feedback.a!r:.60} and {feedback.b!r:.60} were labelled {label} on "
            f"{feedback.when:%Y-%m-%d}: retract that first, such as "
            f"`nearcopy feedback {feedback.a} {feedback.b} --undo`"
        )
    return True


def _action_feedback(session: Session, action: StoryAction, pair: Pair) -> Feedback:
    same = action.kind is ActionKind.MERGE
    relation = None
    if same:
        kept_copies = {*pair} == {action.article, action.other}
        if not (kept_copies and predict(session, pair).relation in COPIES):
            relation = Relation.SAME_EVENT  # one story, and no article is dropped for it
    return make_feedback(
        session, pair, same=same, relation=relation, note=action.note, when=action.when
    )


def _ids_in(pairs: Iterable[Pair]) -> set[str]:
    return {id_ for pair in pairs for id_ in pair}


def _recluster_action(
    session: Session, action: StoryAction, former: Mapping[str, str] = NO_STORIES
) -> ActionResult:
    """Recluster the articles of an action, and log those that moved."""
    affected = {action.article, *_ids_in(action.pairs), *former}
    changes = recluster(session, {*session.store.runs(affected)}, former)
    if action.undone is None:
        moved = (
            MovedArticle(change.id, change.story_id, change.story_before)
            for change in changes
            if change.story_id != change.story_before
        )
        action = replace(action, moved=tuple(moved))
        session.store.save_action(action)
    return ActionResult(action, changes)


def _unchanged_pairs(store: Store, action: StoryAction) -> list[Pair]:
    """The pairs whose feedback is still that of the action."""
    times = {f.pair: f.when for f in store.feedback_about(_ids_in(action.pairs))}
    return [pair for pair in action.pairs if times.get(pair) == action.when]


def _former_stories(store: Store, action: StoryAction) -> dict[str, str]:
    """The former stories of the articles that are still where the action moved them."""
    members = store.members([moved.id for moved in action.moved])
    return {
        moved.id: moved.story_before
        for moved in action.moved
        if moved.id in members and members[moved.id][0] == moved.story_id
    }
