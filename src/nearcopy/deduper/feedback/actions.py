"""Acting: what people do to a story is told of its articles, journalled, and can be undone."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from nearcopy.config import Policy, Recipe
from nearcopy.deduper.feedback.record import Change, changes, feedback_on, said_of
from nearcopy.deduper.recluster import Settled
from nearcopy.errors import BadFeedback
from nearcopy.models.action import Act, Deed, Moved, Pair
from nearcopy.models.feedback import Feedback
from nearcopy.models.model import COPIES, Relation, Story
from nearcopy.stores import Store

Settle = Callable[[set[str], Mapping[str, str]], Settled]  # stories anew, under these names


@dataclass(frozen=True, slots=True)
class Done:
    """An act, done or undone, and what changed by it."""

    act: Act
    changes: tuple[Change, ...]


class Actor(NamedTuple):
    """Who acts, when, why, and by which settings what is told of articles is judged."""

    by: str
    note: str
    when: datetime
    settings: tuple[Recipe, Policy]


def keep(store: Store, story: Story, article: str, actor: Actor, settle: Settle) -> Done:
    """Have another copy of a story kept, for as long as it is there."""
    if article == story.kept:
        raise BadFeedback(f"{article!r:.60} is the kept copy already: choose another one")
    act = _act(store, Deed.KEEP, article, actor, other=story.kept)
    store.journal(act)
    return _settled(store, act, settle)


def split(store: Store, story: Story, article: str, actor: Actor, settle: Settle) -> Done:
    """Have an article be in a story of its own: it is different from all it was linked with."""
    others = [member.id for member in story.members if member.id != article]
    if not others:
        raise BadFeedback(f"{article!r:.60} is alone in its story: there is nothing to split off")
    linked = {name for edge in store.edges([article]) for name in edge[:2]} | {story.kept}
    pairs = [(article, each) for each in others if each in linked] or [(article, others[0])]
    act = _act(store, Deed.SPLIT, article, actor)
    return _told(store, act, pairs, actor, settle)


def merge(store: Store, one: Story, other: Story, actor: Actor, settle: Settle) -> Done:
    """Have two stories be one: their kept copies are what is measured, or of one event.

    Reports that each held in other words are told to be of it too: else some could stay behind.
    """
    if one.id == other.id:
        raise BadFeedback(f"both are the story {one.id}: name two stories")
    act = _act(store, Deed.MERGE, one.kept, actor, other=other.kept)
    pairs = [(one.kept, other.kept), *_reports(one), *_reports(other)]
    return _told(store, act, pairs, actor, settle)


def _reports(story: Story) -> list[Pair]:
    """The kept copy with each that tells its event and is no copy of any."""
    others = (each.id for each in story.members[1:] if each.duplicate_of is None)
    return [(story.kept, each) for each in others]


def undo(store: Store, number: int, *, by: str, when: datetime, settle: Settle) -> Done:
    """Take an act back: what it told, and where it put articles, as far as it still holds."""
    act = next((each for each in store.acts(number + 1, 1) if each.number == number), None)
    if act is None:
        raise BadFeedback(f"no act {number}: `nearcopy act list` lists them")
    if act.undone is not None:
        raise BadFeedback(f"act {number} was undone already, on {act.undone:%Y-%m-%d}")
    undone = replace(act, undone=when, undone_by=by)
    store.journal(undone)
    for a, b in _still_told(store, act):
        store.take_back(a, b)
    were = _were(store, act)
    done = _settled(store, undone, settle, were)
    back = {story for story in were.values() if store.stories([story])}
    store.tell([], [], {story: story for story in back})  # they lead nowhere else any more
    return done


def _act(store: Store, deed: Deed, article: str, actor: Actor, *, other: str | None = None) -> Act:
    last = store.acts(limit=1)
    return Act(
        number=last[0].number + 1 if last else 1,
        deed=deed,
        article=article,
        other=other,
        by=actor.by,
        note=actor.note,
        when=actor.when,
    )


def _told(store: Store, act: Act, pairs: Sequence[Pair], actor: Actor, settle: Settle) -> Done:
    """Tell this of the pairs of which nobody has spoken, and settle what follows."""
    before = {each.pair: each for each in store.told(_named(pairs))}
    fresh = [pair for pair in map(_sorted, pairs) if not _known(before.get(pair), act)]
    for pair in fresh:
        store.remember(_feedback(store, act, pair, actor))
    act = replace(act, pairs=tuple(fresh))
    store.journal(act)
    return _settled(store, act, settle)


def _known(said: Feedback | None, act: Act) -> bool:
    """Whether people said this already; a problem where they said otherwise."""
    if said is None:
        return False
    if said.same != (act.deed is Deed.MERGE):
        told = "the same" if said.same else "different"
        raise BadFeedback(
            f"{said.a!r:.60} and {said.b!r:.60} were told to be {told} on {said.when:%Y-%m-%d}: "
            f"undo that first, such as `nearcopy feedback {said.a} {said.b} --undo`"
        )
    return True


def _feedback(store: Store, act: Act, pair: Pair, actor: Actor) -> Feedback:
    same = act.deed is Deed.MERGE
    relation = None
    if same and not (
        _leads(act, pair) and said_of(store, pair, *actor.settings).relation in COPIES
    ):
        relation = Relation.SAME_EVENT  # one story, and nothing is dropped for it
    return feedback_on(
        store,
        pair,
        same=same,
        relation=relation,
        note=act.note,
        when=act.when,
        settings=actor.settings,
    )


def _leads(act: Act, pair: Pair) -> bool:
    """Whether these are the kept copies of the two stories."""
    return {*pair} == {act.article, act.other}


def _named(pairs: Iterable[Pair]) -> set[str]:
    return {name for pair in pairs for name in pair}


def _sorted(pair: Pair) -> Pair:
    return min(pair), max(pair)


def _settled(store: Store, act: Act, settle: Settle, were: Mapping[str, str] | None = None) -> Done:
    """Tell the stories anew, and note which articles moved."""
    touched = {act.article, *_named(act.pairs), *(were or ())}
    here = {*store.runs(touched)}
    found = tuple(changes(store, settle(here, were or {}).before))
    if act.undone is None:
        act = replace(act, moved=tuple(_moved(found)))
        store.journal(act)
    return Done(act, found)


def _moved(found: Iterable[Change]) -> Iterable[Moved]:
    return (
        Moved(each.id, each.story_id, each.story_before)
        for each in found
        if each.story_id != each.story_before
    )


def _still_told(store: Store, act: Act) -> list[Pair]:
    """The pairs of which nobody has said anything since the act."""
    told = {each.pair: each.when for each in store.told(_named(act.pairs))}
    return [pair for pair in act.pairs if told.get(pair) == act.when]


def _were(store: Store, act: Act) -> dict[str, str]:
    """The former stories of the articles that are still where the act put them."""
    now = store.members([each.id for each in act.moved])
    return {
        each.id: each.story_before
        for each in act.moved
        if each.id in now and now[each.id][0] == each.story_id
    }
