"""Edges of a Redis store: each is stored with the later of its two articles."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from nearcopy.models import Decision, Edge, StoryLink
from nearcopy.stores.redis.binary_format import Reader, Writer, article_name
from nearcopy.stores.redis.transactions import Session
from nearcopy.stores.row_codec import RELATIONS, replace_surrogates

CACHED_DECODED = 20_000  # articles whose edges are cached decoded
NO_EARLIER = b"\0"  # how a record begins that has no edge to an earlier article


class ArticleEdges(NamedTuple):
    """The edges of an article: to earlier articles whole, to later ones only what they join."""

    earlier: dict[int, Edge]  # by sequence number, without ids
    later: dict[int, bool]  # whether the edge puts both into one story
    packed: bytes | None  # the record, with the later articles at its end

    @property
    def same_story(self) -> list[int]:
        """The sequence numbers of the articles in the same story."""
        earlier = [number for number, edge in self.earlier.items() if edge.same_story]
        return sorted([*earlier, *(number for number, same in self.later.items() if same)])


class Edges:
    """Saves and reads edges."""

    def __init__(self, session: Session) -> None:
        self._session, self._records, self._headers = session, session.records, session.headers
        self._decoded: dict[int, ArticleEdges] = {}

    def save_edges(self, edges: Iterable[Edge]) -> None:
        listed = list(edges)
        numbers = self._headers.numbers({name for edge in listed for name in edge[:2]})
        present = [edge for edge in listed if edge.a in numbers and edge.b in numbers]
        stored = self._read({numbers[name] for edge in present for name in edge[:2]})
        earlier: dict[int, dict[int, Edge]] = {number: {} for number in stored}
        later: dict[int, dict[int, bool]] = {number: {} for number in stored}
        for edge in present:
            low, high = sorted((numbers[edge.a], numbers[edge.b]))
            earlier[high][low] = edge._replace(a="", b="")
            later[low][high] = edge.same_story
        for number, own in stored.items():
            self._write(number, self._extend(number, own, earlier[number], later[number]))

    def _extend(
        self, number: int, own: ArticleEdges, earlier: dict[int, Edge], later: dict[int, bool]
    ) -> ArticleEdges:
        """The edges of an article and more; later articles are appended to the record."""
        merged = own.earlier | earlier, own.later | later
        if earlier or own.later.keys() & later.keys():
            return ArticleEdges(*merged, self._encode(number, *merged))
        out = Writer()
        _write_later(number, later, out)
        return ArticleEdges(*merged, (own.packed or NO_EARLIER) + bytes(out.bytes))

    def _write(self, number: int, edges: ArticleEdges) -> None:
        self._records.write(article_name("e", number), edges.packed)
        self._decoded[number] = edges

    def edges(self, ids: Collection[str]) -> list[Edge]:
        numbers = set(self._session.numbers(ids).values())
        own = self._read(numbers)
        later = {n for edges in own.values() for n in edges.later} - numbers
        return list(self._with_ids(_edges_of(numbers, own | self._read(later))))

    def links(self, ids: Collection[str]) -> list[StoryLink]:
        numbers = set(self._session.numbers(ids).values())
        own = self._read(numbers)
        later = {n for edges in own.values() for n, same in edges.later.items() if same} - numbers
        edges = _edges_of(numbers, own | self._read(later))
        joining = {pair: edge for pair, edge in edges.items() if edge.same_story}
        return [edge.link for edge in self._with_ids(joining)]

    def edges_among(self, ids: Collection[str]) -> list[Edge]:
        numbers = set(self._session.numbers(ids).values())
        edges = _edges_of(numbers, self._read(numbers)).items()
        return list(self._with_ids({pair: edge for pair, edge in edges if pair[0] in numbers}))

    def connected_ids(self, ids: Collection[str], limit: int) -> list[str]:
        visited = dict.fromkeys(self._session.numbers(ids).values())
        frontier = list(visited)
        while frontier and len(visited) < limit:
            edges = self._read(frontier).values()
            linked = dict.fromkeys(n for own in edges for n in own.same_story)
            new = [n for n in linked if self._headers.id(n) and n not in visited]
            frontier = new[: limit - len(visited)]
            visited |= dict.fromkeys(frontier)
        return [self._headers.id(number) for number in visited]

    def _with_ids(self, edges: dict[tuple[int, int], Edge]) -> Iterator[Edge]:
        """The edges with the ids of their articles; without those of removed articles."""
        for (low, high), edge in edges.items():
            a, b = self._headers.id(low), self._headers.id(high)
            if a and b:
                yield edge._replace(a=a, b=b)

    def remove_edges(self, numbers: Collection[int]) -> None:
        """Remove all edges of these articles."""
        edges = self._read(numbers)
        removed = set(numbers)
        neighbours = {n for own in edges.values() for n in (*own.earlier, *own.later)} - removed
        remaining = self._read([number for number in neighbours if self._headers.id(number)])
        for number, own in remaining.items():
            earlier = {n: edge for n, edge in own.earlier.items() if n not in removed}
            later = {n: same for n, same in own.later.items() if n not in removed}
            packed = self._encode(number, earlier, later)
            self._write(number, ArticleEdges(earlier, later, packed))
        for number, own in edges.items():
            if own.earlier or own.later:
                self._records.write(article_name("e", number), None)

    def _read(self, numbers: Collection[int]) -> dict[int, ArticleEdges]:
        names = {number: article_name("e", number) for number in numbers}
        packed = self._records.get(names.values())
        return {number: self._decode_cached(number, packed[n]) for number, n in names.items()}

    def _decode_cached(self, number: int, packed: bytes | None) -> ArticleEdges:
        """The edges of an article, decoded once. They must not be changed."""
        cached = self._decoded.get(number)
        if cached is not None and cached.packed is packed:
            return cached
        if len(self._decoded) >= CACHED_DECODED:
            self._decoded.clear()
        edges = self._decode(number, packed)
        self._decoded[number] = edges
        return edges

    def _encode(
        self, number: int, earlier: dict[int, Edge], later: dict[int, bool]
    ) -> bytes | None:
        if not earlier and not later:
            return None
        out = Writer()
        out.number(len(earlier))
        for other, edge in earlier.items():
            decision = edge.decision
            out.number(number - other)
            interned = (
                decision.relation.value,
                decision.rule,
                decision.duplicate,
                replace_surrogates(decision.reason),
                decision.flags,
                edge.on_demand,
            )
            self._session.interned.write(interned, out)
            for share in (decision.confidence, edge.event_score, edge.overlap):
                out.real(share)
        _write_later(number, later, out)
        return bytes(out.bytes)

    def _decode(self, number: int, packed: bytes | None) -> ArticleEdges:
        edges = ArticleEdges({}, {}, packed)
        if packed is None:
            return edges
        reader = Reader(packed)
        for _ in range(reader.number()):
            other = number - reader.number()
            interned = self._session.interned.read(reader)
            relation, rule, duplicate, reason, flags, on_demand = interned
            confidence, event_score, overlap = reader.real(), reader.real(), reader.real()
            decision = Decision(
                RELATIONS[relation], rule, confidence or 0.0, duplicate, reason, flags
            )
            edges.earlier[other] = Edge("", "", decision, event_score or 0.0, overlap, on_demand)
        while reader:
            later = reader.number()
            edges.later[number + (later >> 1)] = bool(later & 1)
        return edges


def _edges_of(
    numbers: Collection[int], edges: Mapping[int, ArticleEdges]
) -> dict[tuple[int, int], Edge]:
    """The edges with an end in these articles, by the sequence numbers of both ends."""
    return {
        (low, high): edge
        for high, own in edges.items()
        for low, edge in own.earlier.items()
        if low in numbers or high in numbers
    }


def _write_later(number: int, later: dict[int, bool], out: Writer) -> None:
    for other, same_story in later.items():
        out.number((other - number) << 1 | same_story)
