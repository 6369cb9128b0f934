"""Edges of a Redis store: each is stored with the later of its two articles."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from nearcopy.models import Edge, StoryLink
from nearcopy.stores.edge_codec import EdgeCodec
from nearcopy.stores.record_format import Reader, Writer
from nearcopy.stores.redis.binary_format import article_name
from nearcopy.stores.redis.transactions import Session

CACHED_DECODED = 20_000  # articles whose edges are cached unpacked
NO_EARLIER = b"\0"  # how a record begins that has no edge to an earlier article


class ArticleEdges(NamedTuple):
    """The edges of an article: to earlier articles packed, to later ones only what they join."""

    earlier: bytes
    later: dict[int, bool]  # whether the edge puts both into one story
    record: bytes | None  # with the later articles at its end


class Edges:
    """Saves and reads edges."""

    def __init__(self, session: Session) -> None:
        self._session, self._records, self._headers = session, session.records, session.headers
        self._codec = EdgeCodec()
        self._unpacked: dict[int, ArticleEdges] = {}

    # Writing.

    def save_edges(self, edges: Iterable[Edge]) -> None:
        listed = list(edges)
        numbers = self._headers.numbers({name for edge in listed for name in edge[:2]})
        present = [edge for edge in listed if edge.a in numbers and edge.b in numbers]
        stored = self._read({numbers[name] for edge in present for name in edge[:2]})
        earlier: dict[int, dict[int, Edge]] = {number: {} for number in stored}
        later: dict[int, dict[int, bool]] = {number: {} for number in stored}
        for edge in present:
            low, high = sorted((numbers[edge.a], numbers[edge.b]))
            earlier[high][low] = edge
            later[low][high] = edge.same_story
        for number, own in stored.items():
            self._write(number, self._extend(number, own, earlier[number], later[number]))

    def _extend(
        self, number: int, own: ArticleEdges, earlier: dict[int, Edge], later: dict[int, bool]
    ) -> ArticleEdges:
        """The edges of an article and more; later articles are appended to the record."""
        all_later = own.later | later
        if earlier or own.later.keys() & later.keys():
            all_earlier = self._all_earlier(number, own) | earlier
            return self._pack(number, all_earlier, all_later)
        record = (own.record or NO_EARLIER) + _pack_later(number, later)
        return ArticleEdges(own.earlier, all_later, record)

    def _pack(self, number: int, earlier: dict[int, Edge], later: dict[int, bool]) -> ArticleEdges:
        packed = self._codec.encode(number, earlier) if earlier else b""
        out = Writer()
        out.string(packed)
        record = bytes(out.bytes) + _pack_later(number, later)
        return ArticleEdges(packed, later, record if earlier or later else None)

    def _write(self, number: int, edges: ArticleEdges) -> None:
        self._records.write(article_name("e", number), edges.record)
        self._unpacked[number] = edges

    def remove_edges(self, numbers: Collection[int]) -> None:
        """Remove all edges of these articles."""
        edges = self._read(numbers)
        removed = set(numbers)
        neighbours = {
            other
            for number, own in edges.items()
            for other in (*self._earlier(number, own), *own.later)
        } - removed
        remaining = self._read([number for number in neighbours if self._headers.id(number)])
        for number, own in remaining.items():
            all_earlier = self._all_earlier(number, own)
            earlier = {n: edge for n, edge in all_earlier.items() if n not in removed}
            later = {n: same for n, same in own.later.items() if n not in removed}
            self._write(number, self._pack(number, earlier, later))
        for number, own in edges.items():
            if own.record is not None:
                self._records.write(article_name("e", number), None)

    # Reading.

    def edges(self, ids: Collection[str]) -> list[Edge]:
        numbers = set(self._session.numbers(ids).values())
        own = self._read(numbers)
        later = {n for edges in own.values() for n in edges.later} - numbers
        edges = [edge for n, item in own.items() for edge in self._decode(n, item)]
        for number, item in self._read(later).items():
            edges += self._decode(number, item, numbers)
        return edges

    def edges_among(self, ids: Collection[str]) -> list[Edge]:
        numbers = set(self._session.numbers(ids).values())
        own = self._read(numbers)
        return [edge for n, item in own.items() for edge in self._decode(n, item, numbers)]

    def links(self, ids: Collection[str]) -> list[StoryLink]:
        numbers = set(self._session.numbers(ids).values())
        own = self._read(numbers)
        later = {n for edges in own.values() for n, same in edges.later.items() if same} - numbers
        links = (
            (self._headers.id(other), self._headers.id(number), duplicate, event_score)
            for number, edges in (own | self._read(later)).items()
            if edges.earlier
            for other, duplicate, event_score in self._codec.links(number, edges.earlier)
            if number in numbers or other in numbers
        )
        return [StoryLink(*link) for link in links if link[0] and link[1]]

    def connected_ids(self, ids: Collection[str], limit: int) -> list[str]:
        visited = dict.fromkeys(self._session.numbers(ids).values())
        frontier = list(visited)
        while frontier and len(visited) < limit:
            edges = self._read(frontier).items()
            linked = dict.fromkeys(
                n for number, own in edges for n in self._same_story(number, own)
            )
            new = [n for n in linked if self._headers.id(n) and n not in visited]
            frontier = new[: limit - len(visited)]
            visited |= dict.fromkeys(frontier)
        return [self._headers.id(number) for number in visited]

    def _same_story(self, number: int, own: ArticleEdges) -> list[int]:
        """The articles in the same story, in the order they were added."""
        ends = self._earlier(number, own) | own.later
        return sorted(n for n, same_story in ends.items() if same_story)

    def _earlier(self, number: int, own: ArticleEdges) -> dict[int, bool]:
        """The earlier articles, and whether each is of the same story."""
        return self._codec.others(number, own.earlier) if own.earlier else {}

    def _decode(
        self, number: int, own: ArticleEdges, chosen: Collection[int] | None = None
    ) -> Iterable[Edge]:
        """The edges to those of the earlier articles that exist, and are chosen."""
        id_ = self._headers.id(number)
        if not own.earlier or not id_:
            return ()
        others = self._earlier(number, own)
        ids = {n: self._headers.id(n) for n in others if chosen is None or n in chosen}
        existing = {n: name for n, name in ids.items() if name}
        return self._codec.decode(number, id_, own.earlier, existing).values()

    def _all_earlier(self, number: int, own: ArticleEdges) -> dict[int, Edge]:
        """All edges to earlier articles, without ids."""
        nameless = dict.fromkeys(self._earlier(number, own), "")
        return self._codec.decode(number, "", own.earlier, nameless) if own.earlier else {}

    def _read(self, numbers: Collection[int]) -> dict[int, ArticleEdges]:
        names = {number: article_name("e", number) for number in numbers}
        records = self._records.get(names.values())
        return {number: self._unpack_cached(number, records[n]) for number, n in names.items()}

    def _unpack_cached(self, number: int, record: bytes | None) -> ArticleEdges:
        """The edges of an article, unpacked once. They must not be changed."""
        cached = self._unpacked.get(number)
        if cached is not None and cached.record is record:
            return cached
        if len(self._unpacked) >= CACHED_DECODED:
            self._unpacked.clear()
        edges = self._unpacked[number] = _unpack(number, record)
        return edges


def _pack_later(number: int, later: dict[int, bool]) -> bytes:
    out = Writer()
    for other, same_story in later.items():
        out.number((other - number) << 1 | same_story)
    return bytes(out.bytes)


def _unpack(number: int, record: bytes | None) -> ArticleEdges:
    if record is None:
        return ArticleEdges(b"", {}, None)
    reader, later = Reader(record), {}
    earlier = reader.string()
    while reader:
        other = reader.number()
        later[number + (other >> 1)] = bool(other & 1)
    return ArticleEdges(earlier, later, record)
