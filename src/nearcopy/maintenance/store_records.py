"""Everything a store holds as records that can be counted and compared: its inventory.

A record does not depend on the kind of store: times are microseconds, and the two ends of an edge
are sorted by id. So two stores with the same contents have the same digests.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import zip_longest
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from nearcopy.config.units import to_micros
from nearcopy.models import Article, Edge, Fingerprint, Member, Story
from nearcopy.models.batches import Progress, batches, no_progress
from nearcopy.models.feedback import Feedback, action_to_json, evidence_to_json
from nearcopy.stores import Store
from nearcopy.stores.retry import retry_transient
from nearcopy.stores.row_codec import (
    fingerprint_to_row,
    replace_surrogates,
    replace_surrogates_or_none,
)

BATCH_SIZE = 512
ARTICLE_KINDS = ("articles", "runs", "fingerprints", "keys", "revisions", "edges")
STORE_KINDS = ("redirects", "feedback", "actions", "latencies", "terms")
KINDS = (*ARTICLE_KINDS, "stories", *STORE_KINDS)
SINGULAR = {
    "stories": "story",
    "feedback": "feedback",
    "keys": "keys",
    "terms": "terms",
    "latencies": "latency",
}
SHOWN = 60  # characters of a name
NOTHING = "nothing more"
Item = TypeVar("Item")
Answer = TypeVar("Answer")


@retry_transient
def read(store: Store, query: Callable[[Store], Answer]) -> Answer:
    """The answer to a query, from one snapshot."""
    with store.snapshot():
        return query(store)


@retry_transient
def write(store: Store, change: Callable[[], object]) -> None:
    """Make a change in one transaction."""
    with store.transaction():
        change()


class Record(NamedTuple):
    """One thing that a store holds."""

    kind: str
    name: str
    value: str

    def __str__(self) -> str:
        kind = SINGULAR.get(self.kind, self.kind.removesuffix("s"))
        return f"{kind} {replace_surrogates(self.name)[:SHOWN]!r}"


@dataclass(slots=True)
class KindSummary:
    """The number of records of a kind, and their digest."""

    count: int = 0
    _hash: Any = field(default_factory=sha256)

    def add(self, record: Record) -> None:
        """Count a record."""
        self.count += 1
        self._hash.update(f"{record.name!r}:{record.value}\n".encode("utf-8", "backslashreplace"))

    @property
    def digest(self) -> str:
        """The SHA-256 of the records counted so far."""
        return str(self._hash.hexdigest())


Inventory = dict[str, KindSummary]


class Comparison(NamedTuple):
    """The inventory of two stores up to the first difference, and that difference in words."""

    inventory: Inventory
    difference: str | None


def compare_stores(
    one: Store, other: Store, kinds: Sequence[str] = KINDS, *, progress: Progress = no_progress
) -> Comparison:
    """Read and compare all records of these kinds."""
    inventory = {kind: KindSummary() for kind in kinds}
    total = len(all_ids(one))
    left, right = records(one, kinds, progress=progress, total=total), records(other, kinds)
    for record, counterpart in zip_longest(left, right):
        if record != counterpart:
            return Comparison(inventory, _difference(record, counterpart))
        inventory[record.kind].add(record)
    return Comparison(inventory, None)


def _difference(left: Record | None, right: Record | None) -> str:
    if left is None or right is None or left[:2] != right[:2]:
        return f"the first has {left or NOTHING} where the other has {right or NOTHING}"
    pairs = enumerate(zip(left.value, right.value, strict=False))
    start = max(0, next((place for place, (a, b) in pairs if a != b), 0) - SHOWN // 2)
    excerpt, other_excerpt = (record.value[start : start + SHOWN] for record in (left, right))
    return f"{left} differs: the first has ...{excerpt}..., the other ...{other_excerpt}..."


def records(
    store: Store,
    kinds: Sequence[str] = KINDS,
    *,
    progress: Progress = no_progress,
    total: int | None = None,
) -> Iterator[Record]:
    """All records of these kinds: those of articles in the order they were added, then others."""
    selected = frozenset(kinds)
    for ids in batches(progress(all_ids(store), "verifying", total=total), BATCH_SIZE):
        yield from article_records(store, ids, selected)
    for story_ids in batches(all_story_ids(store), BATCH_SIZE) if "stories" in selected else ():
        yield from story_records(store, story_ids).values()
    for kind in STORE_KINDS:
        if kind in selected:
            values = read(store, STORE_READERS[kind])
            yield from (Record(kind, name, value) for name, value in values)


def all_ids(store: Store) -> list[str]:
    """The ids of all articles, in the order they were added."""
    return read(store, lambda snapshot: list(snapshot.ids()))


def all_story_ids(store: Store) -> list[str]:
    """The ids of all stories, sorted."""
    return read(store, lambda snapshot: sorted(snapshot.story_ids()))


def article_records(store: Store, ids: list[str], kinds: frozenset[str]) -> list[Record]:
    """The records of these articles, article by article."""
    selected = [kind for kind in ARTICLE_KINDS if kind in kinds]
    columns = read(store, lambda snapshot: [ARTICLE_READERS[k](snapshot, ids) for k in selected])
    by_kind = dict(zip(selected, columns, strict=True))
    return [
        Record(kind, name, value)
        for id_ in ids
        for kind, column in by_kind.items()
        for name, value in column.get(id_, ())
    ]


def story_records(store: Store, ids: list[str]) -> dict[str, Record]:
    """The records of these stories, by id."""
    stories = read(store, lambda snapshot: snapshot.stories(ids))
    return {
        id_: Record("stories", id_, _story_value(stories[id_])) for id_ in ids if id_ in stories
    }


# Records of articles: names and values by article id.

Column = dict[str, list[tuple[str, str]]]


def _values(items: Mapping[str, Item], value: Callable[[Item], str]) -> Column:
    """A record of each article, under its id."""
    return {id_: [(id_, value(item))] for id_, item in items.items()}


def _revisions(store: Store, ids: list[str]) -> Column:
    revisions = store.revisions(ids).items()
    return {id_: [(id_, article_value(old)) for old in earlier] for id_, earlier in revisions}


def _edges(store: Store, ids: list[str]) -> Column:
    """Edges, by the end whose id sorts last."""
    column: Column = {}
    selected = frozenset(ids)
    for values in sorted(map(_edge_values, store.edges(ids))):
        a, b = values[:2]
        if b in selected:
            column.setdefault(b, []).append((f"{a} / {b}", repr(values)))
    return column


ARTICLE_READERS: dict[str, Callable[[Store, list[str]], Column]] = {
    "articles": lambda store, ids: _values(store.articles(ids), article_value),
    "runs": lambda store, ids: _values(store.runs(ids), str),
    "fingerprints": lambda store, ids: _values(store.fingerprints(ids), _fingerprint_value),
    "keys": lambda store, ids: _values(store.keys(ids), _key_value),
    "revisions": _revisions,
    "edges": _edges,
}


def article_value(article: Article) -> str:
    """An article as every store returns it."""
    texts = (article.url, article.canonical_url, article.source, article.language)
    times = (to_micros(article.published), to_micros(article.seen))
    metadata = (*map(replace_surrogates_or_none, texts), *times, article.tier, bool(article.html))
    return repr((article.id, replace_surrogates(article.title), article.text, *metadata))


def _fingerprint_value(fingerprint: Fingerprint) -> str:
    return repr(tuple(fingerprint_to_row(fingerprint)))


def _key_value(keys: NDArray[np.uint64]) -> str:
    return keys.astype("<u8").tobytes().hex()


def edge_value(edge: Edge) -> str:
    """An edge as every store returns it."""
    return repr(_edge_values(edge))


def _edge_values(edge: Edge) -> tuple[Any, ...]:
    decision = edge.decision
    return (
        *sorted(edge[:2]),
        decision.relation.value,
        decision.rule,
        bool(decision.duplicate),
        replace_surrogates(decision.reason),
        tuple(decision.flags),
        *_floats(decision.confidence, edge.event_score, edge.overlap),
        bool(edge.on_demand),
    )


def _floats(*shares: float | None) -> Iterator[float | None]:
    return (None if share is None else float(share) for share in shares)


# Other records.


def _story_value(story: Story) -> str:
    times = to_micros(story.first_seen), to_micros(story.last_seen)
    members = tuple(map(_member_values, story.members))
    return repr((story.kept, replace_surrogates(story.why), *times, members))


def _member_values(member: Member) -> tuple[Any, ...]:
    return (
        member.id,
        member.relation.value if member.relation else None,
        member.rule,
        replace_surrogates(member.reason),
        replace_surrogates_or_none(member.source),
        replace_surrogates(member.why),
        *_floats(member.confidence, member.score),
        to_micros(member.published),
        member.duplicate_of,
    )


def feedback_value(feedback: Feedback) -> tuple[str, str]:
    """The name and value of the record of feedback."""
    prediction = feedback.prediction
    values = (
        feedback.same,
        feedback.relation.value,
        replace_surrogates(feedback.note),
        to_micros(feedback.when),
        prediction.relation.value,
        prediction.rule,
        prediction.duplicate,
        *_floats(prediction.confidence, prediction.event_score, prediction.overlap),
        evidence_to_json(prediction.evidence),
    )
    return f"{feedback.a} / {feedback.b}", repr(values)


def _terms(store: Store) -> list[tuple[str, str]]:
    counts = store.term_counts()
    return [("counts", sha256(counts).hexdigest())] if counts else []


STORE_READERS: dict[str, Callable[[Store], Iterable[tuple[str, str]]]] = {
    "redirects": lambda store: sorted(store.redirects().items()),
    "feedback": lambda store: [feedback_value(item) for item in store.all_feedback()],
    "actions": lambda store: [
        (str(action.number), action_to_json(action)) for action in reversed(store.actions())
    ],
    "latencies": lambda store: [
        (str(key), str(count)) for key, count in sorted(store.latencies(None).items())
    ],
    "terms": _terms,
}
