"""Settling: the stories of a store kept as they would be if all had come at once."""

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import islice

from nearcopy.cluster import Brake, Clustering, stories
from nearcopy.config import Policy
from nearcopy.corrected import corrected, linked
from nearcopy.keeper import by_age
from nearcopy.lineage import own_story_id, story_names
from nearcopy.model import Decision, Edge, Fingerprint, Story
from nearcopy.stores import Store

Judge = Callable[[str, str], Edge]
LINKED = 10_000  # articles clustered together; a larger group is a template at work
NAMES_AT_ONCE = 64


def settle(
    store: Store,
    ids: Collection[str],
    policy: Policy,
    judge: Judge,
    *,
    new: Collection[str] = (),
    were: Mapping[str, str],
) -> tuple[Brake, ...]:
    """Tell the store the stories of these articles and of all they are linked to.

    `new` are those that were in no story before, `were` tells the stories of those that came again.
    """
    group = linked(store, ids, LINKED)
    if len(group) >= LINKED:
        group = _in_whole_stories(store, group, ids, were)
    made = store.fingerprints(group)
    before = {name: story for name, (story, _) in store.members(group).items()}
    own = {name: own_story_id(name) for name in made if name not in new}
    known = own | before | {name: story for name, story in were.items() if name in made}
    edges = store.edges_among(group)
    found = corrected((edge for edge in edges if not edge.asked), store.told(group), made)
    ask = _Answers(judge, edges)

    def told_beside(taken: Collection[str]) -> Clustering:
        itself = dict(zip(taken, taken, strict=True))
        return stories(made.values(), found, policy, judge=ask, known=known, redirects=itself)

    clustering, taken = _named_apart(store, made, known, told_beside)
    store.link(ask.asked)
    told = {story.id for story in clustering.stories}
    gone = {*before.values(), *were.values()} - told
    moved = {old: new for old, new in clustering.redirects.items() if old not in taken}
    store.tell(clustering.stories, gone, moved)
    return clustering.braked


def _in_whole_stories(
    store: Store, linked: Collection[str], ids: Collection[str], were: Mapping[str, str]
) -> list[str]:
    """Of too many linked articles those whose stories are all among them; that of `ids` whole.

    A story of which only a part were told anew would lose the others.
    """
    story_of = {name: story for name, (story, _) in store.members(linked).items()}
    wanted = {story_of[name] for name in ids if name in story_of} | {*were.values()}
    told = store.stories({*story_of.values(), *wanted})
    everyone = store.members({member.id for story in told.values() for member in story.members})
    inside = {*linked}
    missing = {name: story for name, (story, _) in everyone.items() if name not in inside}
    cut = {*missing.values()} - wanted
    chosen = [name for name in linked if story_of.get(name) not in cut]
    return chosen + [name for name, story in missing.items() if story in wanted]


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
    told_beside: Callable[[Collection[str]], Clustering],
) -> tuple[Clustering, set[str]]:
    """The stories under names that no other story of the store has or had, and those names."""
    taken: set[str] = set()
    ours = {*known.values()}
    while True:
        clustering = told_beside(taken)
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
