"""Settling: the stories of a store kept as they would be if all had come at once."""

from collections.abc import Callable, Collection, Iterable, Mapping
from heapq import nsmallest
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple

from nearcopy.cluster.kept_copy import by_age
from nearcopy.cluster.stories import Brake, Clustering, Grouped, grouped, named, stories
from nearcopy.cluster.story_ids import own_story_id, story_names
from nearcopy.config import Policy
from nearcopy.deduper.feedback.overlay import copies, corrected, corrected_joins, linked
from nearcopy.models.model import Decision, Edge, Fingerprint, Member, Story
from nearcopy.stores import Store

Judge = Callable[[str, str], Edge]
LINKED = 10_000  # copies clustered together; a larger group is a template at work
NEAR = 500  # where more articles are linked with some, only those around these are told anew
ALL = 1 << 62
NEAREST = 2  # articles whose stories one may join
NAMES_AT_ONCE = 64


class Settled(NamedTuple):
    """What was braked, whether all linked articles were told together, and where they were before.

    That is the story and the place in it of each article, None where it was in no story.
    """

    braked: tuple[Brake, ...] = ()
    whole: bool = True
    before: Mapping[str, tuple[str, Member] | None] = MappingProxyType({})


def settle(
    store: Store,
    ids: Collection[str],
    policy: Policy,
    judge: Judge,
    *,
    new: Collection[str] = (),
    were: Mapping[str, str],
    whole: bool = False,
) -> Settled:
    """Tell the store the stories of these articles and of all they are linked to.

    `new` are those that were in no story before, `were` tells the stories of those that came again.
    Reports link most of a large window, through others: where many articles are linked, those
    around these are told anew and the rest stays as it was, unless the `whole` is wanted.
    """
    most = ALL if whole else NEAR + len(ids)
    group = linked(store, ids, most)
    whole = len(group) < most
    group = with_whole_stories(store, group if whole else _around(store, ids), were)
    made = store.fingerprints(group)
    places = store.members(group)
    before = {name: story for name, (story, _) in places.items()}
    own = {name: own_story_id(name) for name in made if name not in new}
    known = own | before | {name: story for name, story in were.items() if name in made}
    edges = store.edges_among(group)
    found = corrected((edge for edge in edges if not edge.asked), store.told(group), made)
    ask = _Answers(judge, edges)

    preferred = store.preferred(made)
    together = grouped(made.values(), found, policy, judge=ask, preferred=preferred)
    clustering, taken = _named_apart(store, made, known, together)
    store.link(ask.asked)
    told = {story.id for story in clustering.stories}
    gone = {*before.values(), *were.values()} - told
    moved = {old: new for old, new in clustering.redirects.items() if old not in taken}
    store.tell(clustering.stories, gone, moved)
    return Settled(clustering.braked, whole, {name: places.get(name) for name in made})


def _around(store: Store, ids: Collection[str]) -> list[str]:
    """These articles, those most likely to tell their news, and all copies of either."""
    here = store.numbers(ids)
    likeliest: dict[str, list[tuple[float, str]]] = {name: [] for name in here}
    alike: list[str] = []
    for join in corrected_joins(store, here):
        alike += join[:2] if join.duplicate else ()
        for one, other in (join[:2], join[1::-1]):
            if one in here:
                likeliest[one].append((-join.news, other))
    beside = (name for each in likeliest.values() for _, name in nsmallest(NEAREST, each))
    others = [name for name in dict.fromkeys([*alike, *beside]) if name not in here]
    return list(dict.fromkeys([*here, *copies(store, others, LINKED)]))


def with_whole_stories(
    store: Store, near: Collection[str], were: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """These articles and all that are, or were, in a story with one of them.

    A story of which only a part were told anew would lose the others.
    """
    stories = {story for story, _ in store.members(near).values()} | {*were.values()}
    everyone = (each.id for story in store.stories(stories).values() for each in story.members)
    return list(dict.fromkeys([*near, *everyone]))


class _Answers:
    """What two articles are to each other that were not found together; each pair judged once.

    The answers are remembered apart from what was found: which pairs are asked about depends on the
    order of arrival, and what is known of the two must not.
    """

    def __init__(self, judge: Judge, edges: Iterable[Edge]) -> None:
        self.asked: list[Edge] = []
        self._judge = judge
        self._known = {frozenset(edge[:2]): edge.decision for edge in edges if edge.asked}

    def __call__(self, a: str, b: str) -> Decision:
        pair = frozenset((a, b))
        if pair not in self._known:
            self.asked.append(self._judge(a, b)._replace(asked=True))
            self._known[pair] = self.asked[-1].decision
        return self._known[pair]


def _named_apart(
    store: Store,
    made: Mapping[str, Fingerprint],
    known: Mapping[str, str],
    together: Grouped,
) -> tuple[Clustering, set[str]]:
    """The stories under names that no other story of the store has or had, and those names."""
    taken: set[str] = set()
    ours = {*known.values()}
    while True:
        itself = dict(zip(taken, taken, strict=True))
        clustering = named(together, known=known, redirects=itself)
        fresh = {story.id: story for story in clustering.stories if story.id not in ours}
        clashes = store.taken(fresh)
        if not clashes:
            return clustering, taken
        for name in clashes:
            founder = min((made[each.id] for each in fresh[name].members), key=by_age)
            taken |= {name, *_names_taken(store, founder.id)} - ours


def _names_taken(store: Store, founder: str) -> set[str]:
    """The names for a story of this founder that are taken, as far as there is none left."""
    taken: set[str] = set()
    names = story_names(founder)
    while True:
        some = list(islice(names, NAMES_AT_ONCE))
        found = store.taken(some)
        taken |= found
        if len(found) < len(some):
            return taken


def alone(article: Fingerprint, policy: Policy) -> Story:
    """The story of an article that is linked to none."""
    return stories([article], [], policy).stories[0]
