"""Inventory: all that a store holds, record by record, to be counted and compared.

A record is written alike whatever the store: times in microseconds, of two articles the first by
name before the other. So two stores that hold the same have the same digests.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice, zip_longest
from typing import Any, NamedTuple, Protocol, TypeVar

from nearcopy.models.action import Act, act_json
from nearcopy.models.feedback import Feedback, evidence_json
from nearcopy.models.model import Article, Edge, Member, Story
from nearcopy.models.timestamps import micros
from nearcopy.stores import Store
from nearcopy.stores.retry import tried
from nearcopy.stores.row_codec import fingerprint_row, whole, whole_or_none

AT_ONCE = 512
OF_ARTICLES = ("articles", "runs", "fingerprints", "keys", "revisions", "edges")
OF_STORIES = ("stories", "redirects")
KINDS = (*OF_ARTICLES, *OF_STORIES, "feedback", "acts", "times", "terms")
ONE = {"stories": "story", "feedback": "feedback", "keys": "keys", "terms": "terms"}
SHOWN = 60  # characters of a name
NOTHING = "nothing more"
Thing = TypeVar("Thing")


class Watch(Protocol):
    """What follows work as it goes, such as a bar on a terminal."""

    def __call__(
        self, things: Iterable[Thing], phase: str, *, total: int | None = None
    ) -> Iterator[Thing]:
        """The things, one by one."""


def unwatched(things: Iterable[Thing], phase: str, *, total: int | None = None) -> Iterator[Thing]:
    """The things, with nobody looking."""
    del phase, total
    return iter(things)


class Record(NamedTuple):
    """One thing that a store holds."""

    kind: str
    name: str
    value: str

    def __str__(self) -> str:
        one = ONE.get(self.kind, self.kind.removesuffix("s"))
        return f"{one} {whole(self.name)[:SHOWN]!r}"


@dataclass(slots=True)
class Held:
    """How much there is of a kind, and a digest of all of it."""

    count: int = 0
    _hash: Any = field(default_factory=sha256)

    def add(self, record: Record) -> None:
        """Take note of one."""
        self.count += 1
        self._hash.update(f"{record.name!r}:{record.value}\n".encode("utf-8", "backslashreplace"))

    @property
    def digest(self) -> str:
        """The digest of what there was so far."""
        return str(self._hash.hexdigest())


Inventory = dict[str, Held]


class Compared(NamedTuple):
    """What both stores hold, up to the first difference, which is told in one sentence."""

    held: Inventory
    difference: str | None


def some(things: Iterable[Thing], at_once: int = AT_ONCE) -> Iterator[list[Thing]]:
    """The things, so many at a time."""
    rest = iter(things)
    while taken := list(islice(rest, at_once)):
        yield taken


def compared(
    one: Store, other: Store, kinds: Sequence[str] = KINDS, *, watch: Watch = unwatched
) -> Compared:
    """What two stores hold of these kinds, all of it read and compared."""
    held = {kind: Held() for kind in kinds}
    total = len(all_ids(one))
    ours, theirs = records(one, kinds, watch=watch, total=total), records(other, kinds)
    for mine, its in zip_longest(ours, theirs):
        if mine != its:
            return Compared(held, _difference(mine, its))
        held[mine.kind].add(mine)
    return Compared(held, None)


def _difference(mine: Record | None, its: Record | None) -> str:
    if mine is None or its is None or mine[:2] != its[:2]:
        return f"the first has {mine or NOTHING} where the other has {its or NOTHING}"
    at = next((n for n, (a, b) in enumerate(zip(mine.value, its.value, strict=False)) if a != b), 0)
    start = max(0, at - SHOWN // 2)
    here, there = (each.value[start : start + SHOWN] for each in (mine, its))
    return f"{mine} differs: the first has ...{here}..., the other ...{there}..."


def records(
    store: Store,
    kinds: Sequence[str] = KINDS,
    *,
    watch: Watch = unwatched,
    total: int | None = None,
) -> Iterator[Record]:
    """All records of these kinds: those of articles in the order they came, then the rest."""
    wanted = frozenset(kinds)
    for names in some(watch(all_ids(store), "verifying", total=total)):
        yield from of_articles(store, names, wanted)
    for names in some(all_stories(store)) if "stories" in wanted else ():
        yield from told_stories(store, names).values()
    for kind, listed in REST.items():
        if kind in wanted:
            yield from listed(store)


@tried
def all_ids(store: Store) -> list[str]:
    """All articles, in the order they came."""
    with store.reading():
        return list(store.ids())


@tried
def all_stories(store: Store) -> list[str]:
    """All stories that are remembered, by name."""
    with store.reading():
        return sorted(store.story_ids())


@tried
def of_articles(store: Store, names: list[str], kinds: frozenset[str]) -> list[Record]:
    """What there is of these articles, in order."""
    with store.reading():
        columns = [PARTS[kind](store, names) for kind in OF_ARTICLES if kind in kinds]
    return [record for name in names for column in columns for record in column.get(name, ())]


@tried
def told_stories(store: Store, names: list[str]) -> dict[str, Record]:
    """These stories as records."""
    with store.reading():
        found = store.stories(names)
    return {name: _story(found[name]) for name in names if name in found}


# What goes by articles.

Column = dict[str, list[Record]]


def _articles(store: Store, names: list[str]) -> Column:
    found = store.articles(names)
    return {name: [Record("articles", name, written(each))] for name, each in found.items()}


def _runs(store: Store, names: list[str]) -> Column:
    return {name: [Record("runs", name, str(run))] for name, run in store.runs(names).items()}


def _fingerprints(store: Store, names: list[str]) -> Column:
    found = store.fingerprints(names)
    return {
        name: [Record("fingerprints", name, repr(tuple(fingerprint_row(each))))]
        for name, each in found.items()
    }


def _keys(store: Store, names: list[str]) -> Column:
    found = store.keys(names)
    return {
        name: [Record("keys", name, each.astype("<u8").tobytes().hex())]
        for name, each in found.items()
    }


def _revisions(store: Store, names: list[str]) -> Column:
    found = store.revised(names)
    return {
        name: [Record("revisions", name, written(each)) for each in before]
        for name, before in found.items()
    }


def _edges(store: Store, names: list[str]) -> Column:
    """What was found, each with that of the two whose name is the later."""
    found: Column = {}
    wanted = frozenset(names)
    for edge in sorted(map(_edge, store.edges(names))):
        if edge[1] in wanted:
            record = Record("edges", f"{edge[0]} / {edge[1]}", repr(edge))
            found.setdefault(edge[1], []).append(record)
    return found


PARTS: dict[str, Callable[[Store, list[str]], Column]] = {
    "articles": _articles,
    "runs": _runs,
    "fingerprints": _fingerprints,
    "keys": _keys,
    "revisions": _revisions,
    "edges": _edges,
}


def written(article: Article) -> str:
    """An article as every store gives it back."""
    texts = (article.url, article.canonical_url, article.source, article.language)
    times = (micros(article.published), micros(article.seen))
    rest = (*map(whole_or_none, texts), *times, article.tier, bool(article.html))
    return repr((article.id, whole(article.title), article.text, *rest))


def _edge(edge: Edge) -> tuple[Any, ...]:
    a, b = sorted(edge[:2])
    how = edge.decision
    said = (how.relation.value, how.rule, bool(how.duplicate), whole(how.reason), tuple(how.flags))
    return (a, b, *said, *_shares(how.confidence, edge.news, edge.copy), bool(edge.asked))


def _shares(*shares: float | None) -> Iterator[float | None]:
    return (None if each is None else float(each) for each in shares)


def edge_written(edge: Edge) -> str:
    """What was found between two articles as every store gives it back."""
    return repr(_edge(edge))


# The rest.


def _story(story: Story) -> Record:
    times = micros(story.first_seen), micros(story.last_seen)
    members = tuple(map(_member, story.members))
    return Record("stories", story.id, repr((story.kept, whole(story.why), *times, members)))


def _member(member: Member) -> tuple[Any, ...]:
    relation = member.relation.value if member.relation else None
    texts = (whole(member.reason), whole_or_none(member.source), whole(member.why))
    shares = _shares(member.confidence, member.score)
    when = micros(member.published)
    return (member.id, relation, member.rule, *texts, *shares, when, member.duplicate_of)


@tried
def _redirects(store: Store) -> list[Record]:
    with store.reading():
        found = store.redirects()
    return [Record("redirects", name, found[name]) for name in sorted(found)]


@tried
def _feedback(store: Store) -> list[Record]:
    with store.reading():
        return list(map(said_record, store.all_told()))


def said_record(told: Feedback) -> Record:
    """What people said of two articles as a record."""
    said = told.said
    shares = _shares(said.confidence, said.news, said.copy)
    judged = (said.relation.value, said.rule, said.duplicate, *shares, evidence_json(said.evidence))
    value = (told.same, told.relation.value, whole(told.note), micros(told.when), *judged)
    return Record("feedback", f"{told.a} / {told.b}", repr(value))


@tried
def _acts(store: Store) -> list[Record]:
    with store.reading():
        return list(map(act_record, reversed(store.acts())))


def act_record(act: Act) -> Record:
    """What people did to a story as a record."""
    return Record("acts", str(act.number), act_json(act))


@tried
def _times(store: Store) -> list[Record]:
    with store.reading():
        found = store.times(None)
    return [Record("times", str(key), str(found[key])) for key in sorted(found)]


@tried
def _terms(store: Store) -> list[Record]:
    with store.reading():
        counts = store.term_counts()
    return [Record("terms", "counts", sha256(counts).hexdigest())] if counts else []


REST: dict[str, Callable[[Store], list[Record]]] = {
    "redirects": _redirects,
    "feedback": _feedback,
    "acts": _acts,
    "times": _times,
    "terms": _terms,
}
