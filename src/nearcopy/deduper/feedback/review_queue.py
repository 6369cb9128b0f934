"""Reviewing: the pairs that were nearly decided otherwise, for people to look at."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from nearcopy.config import Policy
from nearcopy.errors import BadPolicy
from nearcopy.models.model import Edge, ordered
from nearcopy.stores import Store

BLOCK = 250  # articles whose pairs are sorted together, the latest first
BLOCKS = 4  # looked at for one page
NEAR = 0.1  # how far from a line a pair is still worth a look
EVEN = 0.5  # as often right as wrong
ANSWERS: Mapping[str, Mapping[str, Any]] = {  # what people may say of a pair, as feedback has it
    "same": {"same": True},
    "different": {"same": False},
    "update": {"same": True, "relation": "revision"},
}
LINES = {  # what a pair is near a line by
    "news": "how likely they report the same news",
    "copy": "how much text they share",
    "confidence": "how sure the verdict is",
}


class Borderline(NamedTuple):
    """A pair near a line: how near, and which."""

    edge: Edge
    margin: float
    line: str


@dataclass(frozen=True, slots=True)
class Review:
    """Pairs, the nearest to a line first within every few hundred articles; where to go on."""

    pairs: tuple[Borderline, ...]
    after: str | None


class _Place(NamedTuple):
    """Where to go on: in the block below a number, behind a pair."""

    before: int | None = None
    margin: float = -1.0
    a: str = ""
    b: str = ""


def review(store: Store, policy: Policy, after: str | None, limit: int) -> Review:
    """A page of pairs about which nobody has said anything."""
    place: _Place | None = _read(after)
    found: list[Borderline] = []
    for _ in range(BLOCKS):
        if place is None:
            break
        pairs, older = _block(store, policy, place.before)
        left = [each for each in pairs if _key(each) > place[1:]]
        taken = left[: limit - len(found)]
        found += taken
        if len(taken) < len(left):
            place = _Place(place.before, *_key(taken[-1])) if taken else place
            break
        place = None if older is None else _Place(older)
    return Review(tuple(found), None if place is None else _written(place))


def margin(edge: Edge, policy: Policy) -> tuple[float, str]:
    """How near what was found is to what would be decided otherwise, and by which measure."""
    lines = [(edge.news, policy.event_news, "news"), (edge.copy, policy.near_overlap, "copy")]
    if edge.joins:
        lines.append((edge.decision.confidence, EVEN, "confidence"))
    known = [
        (round(abs(value - line), 4), name)
        for value, line, name in lines
        if value is not None and line is not None
    ]
    return min(known, default=(1.0, ""))


def otherwise(now: Edge, then: Edge) -> bool:
    """Whether two are no duplicates any more, or of one story no more, or the other way round."""
    return (now.decision.duplicate, now.joins) != (then.decision.duplicate, then.joins)


def _block(store: Store, policy: Policy, before: int | None) -> tuple[list[Borderline], int | None]:
    """The pairs of a block of articles with what came before them, and where the next begins."""
    latest = store.latest(before, BLOCK)
    if not latest:
        return [], None
    pairs = sorted(_pairs(store, policy, {name: n for n, name in latest}), key=_key)
    return pairs, latest[-1][0] if len(latest) == BLOCK else None


def _pairs(store: Store, policy: Policy, block: dict[str, int]) -> Iterator[Borderline]:
    told = {each.pair for each in store.told(block)}
    edges = [e for e in store.edges(block) if not e.asked and ordered(e.a, e.b) not in told]
    numbers = store.numbers({name for edge in edges for name in edge[:2]})
    first = min(block.values())
    for edge in edges:
        later = max(edge.a, edge.b, key=numbers.__getitem__)
        near, line = margin(edge, policy)
        if later in block and numbers[later] >= first and near <= NEAR:
            yield Borderline(edge, near, line)


def _key(found: Borderline) -> tuple[float, str, str]:
    return found.margin, *ordered(found.edge.a, found.edge.b)


def _written(place: _Place) -> str:
    return urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def _read(after: str | None) -> _Place:
    if after is None:
        return _Place()
    try:
        plain = urlsafe_b64decode(after + "=" * (-len(after) % 4))
        before, near, a, b = json.loads(plain)
        place = _Place(before if before is None else int(before), float(near), str(a), str(b))
    except (ValueError, TypeError, OverflowError, RecursionError):
        raise BadPolicy(f"no page begins at {after!r:.60}: give what a page named last") from None
    if place.before is not None and abs(place.before) >= 1 << 62:
        raise BadPolicy(f"no page begins at {after!r:.60}: give what a page named last")
    return place
