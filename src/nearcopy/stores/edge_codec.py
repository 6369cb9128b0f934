"""The edges of one article to earlier ones as bytes, the same in every database.

A record of fixed width for each edge comes first, in columns. What follows is JSON: the shares that
have more than four decimals, then the distinct kinds of these edges, to which the records refer.
All is compressed together: most edges of an article are of few kinds.
"""

import json
from collections.abc import Iterator, Mapping
from struct import Struct
from typing import Any

from nearcopy.models import Decision, Edge
from nearcopy.stores.record_format import DECIMALS, Compressor
from nearcopy.stores.row_codec import RELATIONS, replace_surrogates

COUNT = Struct("<I")
# How much earlier the other article was added, its kind and link, confidence, event score, overlap.
RECORD = Struct("<IIHHH")
UNKNOWN, EXACT = 0xFFFF, 0xFFFE  # in place of a share: there is none, or it follows in full
DUPLICATE, SAME_STORY, KIND_SHIFT = 2, 1, 2

Kind = tuple[str, str, bool, str, tuple[str, ...], bool]  # relation, rule, duplicate, reason, ...


class EdgeCodec:
    """Encodes and decodes edges. Not thread-safe."""

    def __init__(self) -> None:
        self._compressor = Compressor()

    def encode(self, number: int, edges: Mapping[int, Edge]) -> bytes:
        """The edges of an article, by the sequence numbers of the other ones."""
        codes: dict[Kind, int] = {}
        shares: list[float] = []
        records = []
        for other, edge in edges.items():
            decision = edge.decision
            relation = decision.relation.value
            kind = (relation, *decision[1:2], *decision[3:], edge.on_demand)
            code = codes.get(kind)
            if code is None:
                link = DUPLICATE * decision.duplicate + SAME_STORY * edge.same_story
                code = codes[kind] = len(codes) << KIND_SHIFT | link
            records.append(
                RECORD.pack(
                    number - other,
                    code,
                    _pack_share(decision.confidence, shares),
                    _pack_share(edge.event_score, shares),
                    _pack_share(edge.overlap, shares),
                )
            )
        tail = json.dumps([shares, *map(_storable, codes)], separators=(",", ":"))
        columns = _transpose(b"".join(records), RECORD.size)
        plain = b"".join([COUNT.pack(len(records)), columns, tail.encode()])
        return self._compressor.compress(plain)

    def others(self, number: int, packed: bytes) -> dict[int, bool]:
        """The sequence numbers of the other articles, and whether each is of the same story."""
        records, _ = self._unpack(packed)
        return {
            number - distance: bool(code & SAME_STORY)
            for distance, code, *_ in RECORD.iter_unpack(records)
        }

    def same_story(self, number: int, packed: bytes) -> list[int]:
        """The sequence numbers of the other articles of the same story."""
        plain = self._compressor.decompress(packed)
        (count,) = COUNT.unpack_from(plain)
        starts = range(COUNT.size, COUNT.size + 5 * count, count)  # the first columns of bytes
        columns = (plain[start : start + count] for start in starts)
        return [
            number - (first | second << 8 | third << 16 | fourth << 24)
            for first, second, third, fourth, link in zip(*columns, strict=True)
            if link & SAME_STORY
        ]

    def links(self, number: int, packed: bytes) -> Iterator[tuple[int, bool, float]]:
        """The articles of the same story: each with whether it is a duplicate, and event score."""
        records, tail = self._unpack(packed)
        shares = _exact_shares(tail)
        for distance, code, *packed_shares in RECORD.iter_unpack(records):
            _, event_score, _ = (_unpack_share(share, shares) for share in packed_shares)
            if code & SAME_STORY:
                yield number - distance, bool(code & DUPLICATE), event_score or 0.0

    def decode(
        self, number: int, id_: str, packed: bytes, others: Mapping[int, str]
    ) -> dict[int, Edge]:
        """The edges between an article and those of the others whose ids are given."""
        records, tail = self._unpack(packed)
        exact_shares, *kinds = json.loads(tail)
        shares, edges = iter(exact_shares), {}
        for distance, code, *packed_shares in RECORD.iter_unpack(records):
            confidence, event_score, overlap = (_unpack_share(s, shares) for s in packed_shares)
            if (other := others.get(number - distance)) is not None:
                relation, rule, duplicate, reason, flags, on_demand = kinds[code >> KIND_SHIFT]
                decision = Decision(
                    RELATIONS[relation], rule, confidence or 0.0, duplicate, reason, tuple(flags)
                )
                edges[number - distance] = Edge(
                    other, id_, decision, event_score or 0.0, overlap, on_demand
                )
        return edges

    def _unpack(self, packed: bytes) -> tuple[bytes, bytes]:
        """The records, and the JSON after them."""
        plain = self._compressor.decompress(packed)
        (count,) = COUNT.unpack_from(plain)
        end = COUNT.size + count * RECORD.size
        return _transpose(plain[COUNT.size : end], count), plain[end:]


def _transpose(table: bytes, width: int) -> bytes:
    """The bytes of a table column by column: these compress better, and this is its own inverse.

    >>> _transpose(b"abcabcabc", 3), _transpose(b"aaabbbccc", 3)
    (b'aaabbbccc', b'abcabcabc')
    """
    return b"".join(table[place::width] for place in range(width))


def _storable(kind: Kind) -> list[Any]:
    return [replace_surrogates(part) if isinstance(part, str) else part for part in kind]


def _pack_share(value: float | None, exact_shares: list[float]) -> int:
    """A share in two bytes; one that does not fit is added to the exact ones."""
    if value is None:
        return UNKNOWN
    if 0 <= value <= 1:
        parts = round(value * DECIMALS)
        if parts / DECIMALS == value:
            return parts
    exact_shares.append(value)
    return EXACT


def _unpack_share(packed: int, exact_shares: Iterator[float]) -> float | None:
    if packed == UNKNOWN:
        return None
    return next(exact_shares) if packed == EXACT else packed / DECIMALS


def _exact_shares(tail: bytes) -> Iterator[float]:
    """The shares that follow in full, parsed when the first is needed: most edges have none."""
    yield from json.loads(tail)[0]
