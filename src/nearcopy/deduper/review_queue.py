"""The review queue: undecided pairs close to a threshold, for users to label (active learning)."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from nearcopy.config import Policy
from nearcopy.deduper.matches import judge_fingerprints, judge_stored_pair
from nearcopy.deduper.session import Session
from nearcopy.errors import BadPolicy
from nearcopy.models import Edge, Evidence, Relation, ordered
from nearcopy.models.batches import batches
from nearcopy.models.feedback import Feedback
from nearcopy.stores import Store
from nearcopy.stores.retry import retry_transient

BLOCK_SIZE = 250  # articles whose pairs are sorted together, the latest first
MAX_BLOCKS = 4  # read for one page
MAX_MARGIN = 0.1  # from a threshold, of a pair that is worth a label
EVEN_ODDS = 0.5
ANSWERS: Mapping[str, Mapping[str, Any]] = {  # the labels of a pair, as arguments of `feedback`
    "same": {"same": True},
    "different": {"same": False},
    "update": {"same": True, "relation": "revision"},
}
THRESHOLDS = {
    "event_score": "how likely they report the same event",
    "overlap": "how much text they share",
    "confidence": "how sure the decision is",
}


class BorderlinePair(NamedTuple):
    """A pair close to a threshold: how close, and which threshold."""

    edge: Edge
    margin: float
    threshold: str


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """Pairs without feedback, closest first in each block; `after` is the cursor of the next."""

    pairs: tuple[BorderlinePair, ...]
    after: str | None


class _Cursor(NamedTuple):
    """The block below a sequence number, and the last pair of it."""

    before: int | None = None
    margin: float = -1.0
    a: str = ""
    b: str = ""


def review(session: Session, after: str | None, limit: int) -> ReviewPage:
    """A page of the review queue."""
    return session.read(lambda: _read_page(session, after, max(1, limit)))


@retry_transient
def changed_decisions(session: Session, policy: Policy, limit: int) -> list[tuple[Edge, Edge]]:
    """The first pairs of the queue that another policy decides otherwise: both edges of each."""
    with session.snapshot():
        edges = [pair.edge for pair in _read_page(session, None, max(1, limit)).pairs]
        pairs = [
            (edge, judge_stored_pair(session.store, *edge[:2], session.recipe, policy))
            for edge in edges
        ]
    return [(now, then) for now, then in pairs if _outcome(now) != _outcome(then)]


def _outcome(edge: Edge) -> tuple[bool, bool]:
    return edge.decision.duplicate, edge.same_story


def _read_page(session: Session, after: str | None, limit: int) -> ReviewPage:
    cursor: _Cursor | None = _parse_cursor(after)
    page: list[BorderlinePair] = []
    for _ in range(MAX_BLOCKS):
        if cursor is None:
            break
        block, next_block = _read_block(session.store, session.policy, cursor.before)
        left = [pair for pair in block if _sort_key(pair) > cursor[1:]]
        fitting = left[: limit - len(page)]
        page += fitting
        if len(fitting) < len(left):
            cursor = _Cursor(cursor.before, *_sort_key(fitting[-1])) if fitting else cursor
            break
        cursor = None if next_block is None else _Cursor(next_block)
    return ReviewPage(tuple(page), None if cursor is None else _format_cursor(cursor))


def margin(edge: Edge, policy: Policy) -> tuple[float, str]:
    """The distance of an edge from the nearest threshold, and which that is."""
    measures = [
        (edge.event_score, policy.event_score, "event_score"),
        (edge.overlap, policy.near_overlap, "overlap"),
    ]
    if edge.same_story:
        measures.append((edge.decision.confidence, EVEN_ODDS, "confidence"))
    margins = [
        (round(abs(value - threshold), 4), name)
        for value, threshold, name in measures
        if value is not None and threshold is not None
    ]
    return min(margins, default=(1.0, ""))


def _read_block(
    store: Store, policy: Policy, before: int | None
) -> tuple[list[BorderlinePair], int | None]:
    """The pairs of a block of articles with earlier ones, and where the next block begins."""
    latest = store.latest_ids(before, BLOCK_SIZE)
    if not latest:
        return [], None
    numbers = {id_: number for number, id_ in latest}
    pairs = sorted(_borderline_pairs(store, policy, numbers), key=_sort_key)
    return pairs, latest[-1][0] if len(latest) == BLOCK_SIZE else None


def _borderline_pairs(
    store: Store, policy: Policy, block: dict[str, int]
) -> Iterator[BorderlinePair]:
    labelled = {feedback.pair for feedback in store.feedback_about(block)}
    edges = [
        edge
        for edge in store.edges(block)
        if not edge.on_demand and ordered(edge.a, edge.b) not in labelled
    ]
    numbers = store.sequence_numbers({id_ for edge in edges for id_ in edge[:2]})
    first = min(block.values())
    for edge in edges:
        later = max(edge.a, edge.b, key=numbers.__getitem__)
        distance, threshold = margin(edge, policy)
        if later in block and numbers[later] >= first and distance <= MAX_MARGIN:
            yield BorderlinePair(edge, distance, threshold)


def _sort_key(pair: BorderlinePair) -> tuple[float, str, str]:
    return pair.margin, *ordered(pair.edge.a, pair.edge.b)


def _format_cursor(cursor: _Cursor) -> str:
    return urlsafe_b64encode(json.dumps(cursor).encode()).decode().rstrip("=")


def _parse_cursor(after: str | None) -> _Cursor:
    if after is None:
        return _Cursor()
    unknown = BadPolicy(f"unknown page {after!r:.60}: give the `after` of the page before")
    try:
        decoded = urlsafe_b64decode(after + "=" * (-len(after) % 4))
        before, distance, a, b = json.loads(decoded)
        number = before if before is None else int(before)
        cursor = _Cursor(number, float(distance), str(a), str(b))
    except (ValueError, TypeError, OverflowError, RecursionError):
        raise unknown from None
    if cursor.before is not None and abs(cursor.before) >= 1 << 62:
        raise unknown
    return cursor


BATCH_SIZE = 512


class Example(NamedTuple):
    """The evidence between two articles, and their labels; None where there is none."""

    a: str
    b: str
    evidence: Evidence
    duplicate: bool
    one_story: bool | None = None


def labelled_examples(session: Session) -> Iterator[Example]:
    """All feedback as examples; evidence is measured again where both articles are stored."""
    for batch in batches(session.store.all_feedback(), BATCH_SIZE):
        measured = _measure(session, batch)
        for label in batch:
            duplicate = label.same and label.relation is not Relation.SAME_EVENT
            evidence = measured.get(label.pair, label.prediction.evidence)
            yield Example(label.a, label.b, evidence, duplicate, label.same)


def _measure(session: Session, batch: Sequence[Feedback]) -> dict[tuple[str, str], Evidence]:
    prints = session.store.fingerprints({id_ for label in batch for id_ in label.pair})
    stored = [label.pair for label in batch if label.a in prints and label.b in prints]
    pairs = [(prints[a], prints[b]) for a, b in stored]
    judgements = judge_fingerprints(session.store, pairs, *session.settings)
    return {pair: judgement.evidence for pair, judgement in zip(stored, judgements, strict=True)}
