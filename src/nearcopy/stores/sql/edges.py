"""The edges of an SQL store.

The edges of an article to earlier ones are one row, packed (`nearcopy.stores.edge_codec`). The
earlier end only lists which later articles have them, in rows that are never appended to: one for
each time that edges are saved.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from struct import pack, unpack

from nearcopy.models import Edge, StoryLink
from nearcopy.stores.edge_codec import EdgeCodec
from nearcopy.stores.sql.database import ArticleIds, Database, Row

SELECT_EDGES = "SELECT number, packed FROM edges WHERE number IN ({})"
# The later article has a higher sequence number: a lookup skips the partitions before.
SELECT_ENDS = "SELECT number, later, packed FROM edge_ends WHERE number IN ({}) AND later > ?"
END_COLUMNS = ("number", "later", "packed")
TRAVERSAL_BATCH = 32  # articles whose edges are followed at once
MAX_DISTANCE = 0x7FFF  # between the later articles in one row
MAX_CACHED = 50_000  # articles whose edges are kept packed, within a transaction

Packed = dict[int, bytes | None]  # the edges to earlier articles; None: there are none
Ends = dict[int, dict[int, bool]]  # by both sequence numbers: whether both are of one story


class SqlEdges:
    """Edges by the sequence numbers of their two articles."""

    def __init__(self, database: Database, ids: ArticleIds) -> None:
        self._database, self._ids = database, ids
        self._codec = EdgeCodec()
        self._cache: Packed | None = None

    def start_cache(self) -> None:
        """Cache what is read and written, for one transaction."""
        self._cache = {}

    def stop_cache(self) -> None:
        self._cache = None

    def add_articles(self, numbers: Iterable[int]) -> None:
        """Note that these articles are new, so that none has edges yet."""
        self._remember(dict.fromkeys(numbers))

    # Writing.

    def save_edges(self, edges: Iterable[Edge]) -> None:
        listed = list(edges)
        numbers = self._ids.numbers({name for edge in listed for name in edge[:2]})
        by_later: dict[int, dict[int, Edge]] = {}
        for edge in listed:
            if edge.a in numbers and edge.b in numbers:
                earlier, later = sorted((numbers[edge.a], numbers[edge.b]))
                by_later.setdefault(later, {})[earlier] = edge
        new_ends: Ends = {}
        changed_ends: Ends = {}
        stored = self._read(by_later)
        for later, own in by_later.items():
            before = self._others(later, stored[later])
            for earlier, edge in own.items():
                same_story = edge.same_story
                if same_story is not before.get(earlier):
                    ends = changed_ends if earlier in before else new_ends
                    ends.setdefault(earlier, {})[later] = same_story
        self._insert_ends(new_ends)
        self._change_ends(changed_ends)
        self._write(
            {later: self._all_edges(later, stored[later]) | own for later, own in by_later.items()}
        )

    def _write(self, edges: Mapping[int, Mapping[int, Edge]]) -> None:
        """Write the edges of articles to all earlier ones."""
        stored = self._read(edges)
        packed = {n: self._codec.encode(n, own) if own else None for n, own in edges.items()}
        new = [(n, own) for n, own in packed.items() if own and stored[n] is None]
        old = [(n, own) for n, own in packed.items() if own and stored[n] is not None]
        self._database.insert("edges", ("number", "packed"), new)
        self._database.replace("edges", ("number", "packed"), old, key=("number",))
        self._delete([n for n, own in packed.items() if own is None and stored[n] is not None])
        self._remember(packed)

    def _delete(self, numbers: Collection[int]) -> None:
        self._database.execute_in("DELETE FROM edges WHERE number IN ({})", numbers)

    def _insert_ends(self, ends: Ends) -> None:
        """List the later articles of new edges, in a row for each of the earlier ones."""
        rows = [
            (number, first, _pack_end(first, chunk))
            for number, later in sorted(ends.items())
            for first, chunk in _chunks(later)
        ]
        self._database.insert("edge_ends", END_COLUMNS, rows)

    def _change_ends(self, ends: Ends, removed: Collection[int] = ()) -> None:
        """Change or remove some of the listed later articles."""
        rows = []
        for number, first, packed in self._end_rows(ends):
            before = _end_of(first, packed)
            after = {n: ends[number].get(n, same) for n, same in before.items() if n not in removed}
            if after != before:
                rows.append((number, first, _pack_end(first, after)))
        self._database.replace("edge_ends", END_COLUMNS, rows, key=END_COLUMNS[:2])

    def erase(self, numbers: Collection[int]) -> None:
        """Delete all edges of these articles."""
        removed = set(numbers)
        packed = self._read(removed)
        later = {n for ends in self._later(removed).values() for n in ends} - removed
        remaining = {n: self._all_edges(n, own) for n, own in self._read(later).items()}
        self._write(
            {
                number: {other: edge for other, edge in own.items() if other not in removed}
                for number, own in remaining.items()
            }
        )
        earlier = {o for n, own in packed.items() for o in self._others(n, own)} - removed
        self._change_ends({number: {} for number in earlier}, removed)
        self._delete([number for number, own in packed.items() if own is not None])
        first = min(removed, default=0)
        self._database.execute_in(
            "DELETE FROM edge_ends WHERE number IN ({}) AND later > ?", removed, first
        )
        self._remember(dict.fromkeys(removed))

    # Reading.

    def edges(self, ids: Collection[str]) -> list[Edge]:
        own = self._ids.numbers(ids).values()
        chosen = self._ids.ids(own)
        packed = self._read(chosen)
        others = {n for number, edges in packed.items() for n in self._others(number, edges)}
        later = {n for ends in self._later(chosen).values() for n in ends}.difference(chosen)
        names = self._ids.ids({*others, *later}) | chosen
        edges = [self._decode(number, names, packed[number], names) for number in chosen]
        edges += [self._decode(n, names, own, chosen) for n, own in self._read(later).items()]
        return [edge for own_edges in edges for edge in own_edges]

    def edges_among(self, ids: Collection[str]) -> list[Edge]:
        names = {number: name for name, number in self._ids.numbers(ids).items()}
        packed = self._read(names)
        return [e for n, own in packed.items() for e in self._decode(n, names, own, names)]

    def links(self, ids: Collection[str]) -> list[StoryLink]:
        chosen = set(self._ids.numbers(ids).values())
        later = {n for ends in self._later(chosen).values() for n, same in ends.items() if same}
        links = [
            (other, number, duplicate, event_score)
            for number, packed in self._read(chosen | later).items()
            if packed
            for other, duplicate, event_score in self._codec.links(number, packed)
            if number in chosen or other in chosen
        ]
        names = self._ids.ids({number for link in links for number in link[:2]})
        return [StoryLink(names[a], names[b], copy, score) for a, b, copy, score in links]

    def connected_ids(self, ids: Collection[str], limit: int) -> list[str]:
        reached = dict.fromkeys(self._ids.numbers(ids).values())
        queue, done = list(reached), 0
        while done < len(queue) and len(reached) < limit:
            batch = queue[done : done + TRAVERSAL_BATCH]
            done += len(batch)
            neighbours = dict.fromkeys(self._neighbours(batch))
            fresh = [n for n in neighbours if n not in reached][: limit - len(reached)]
            reached |= dict.fromkeys(fresh)
            queue += fresh
        return list(self._ids.ids(reached).values())

    def _neighbours(self, numbers: list[int]) -> Iterator[int]:
        """The articles that an edge puts into one story with one of these."""
        for number, own in self._read(numbers).items():
            if own is not None:
                yield from self._codec.same_story(number, own)
        for _, first, packed in self._end_rows(numbers):
            for end in _unpack_end(packed):
                if end & 1:
                    yield first + (end >> 1)

    def _read(self, numbers: Iterable[int]) -> Packed:
        """The packed edges of these articles to earlier ones."""
        cache = {} if self._cache is None else self._cache
        listed = list(numbers)
        missing = [number for number in listed if number not in cache]
        stored: Packed = dict.fromkeys(missing)
        stored.update((n, bytes(own)) for n, own in self._database.select_in(SELECT_EDGES, missing))
        packed = {number: cache.get(number) for number in listed} | stored
        self._remember(stored)
        return packed

    def _remember(self, packed: Packed) -> None:
        if self._cache is not None:
            if len(self._cache) > MAX_CACHED:
                self._cache.clear()
            self._cache |= packed

    def _others(self, number: int, packed: bytes | None) -> dict[int, bool]:
        """The earlier articles, and whether each is of the same story."""
        return self._codec.others(number, packed) if packed else {}

    def _decode(
        self, number: int, names: Mapping[int, str], packed: bytes | None, others: Mapping[int, str]
    ) -> Collection[Edge]:
        if not packed:
            return ()
        return self._codec.decode(number, names[number], packed, others).values()

    def _all_edges(self, number: int, packed: bytes | None) -> dict[int, Edge]:
        """The edges to all earlier articles, without ids."""
        nameless = dict.fromkeys(self._others(number, packed), "")
        return self._codec.decode(number, "", packed, nameless) if packed else {}

    def _later(self, numbers: Collection[int]) -> Ends:
        """The later articles that have edges to each of these."""
        ends: Ends = {}
        for number, first, packed in self._end_rows(numbers):
            ends.setdefault(number, {}).update(_end_of(first, packed))
        return ends

    def _end_rows(self, numbers: Collection[int]) -> Iterator[Row]:
        return self._database.select_in(SELECT_ENDS, numbers, min(numbers, default=0))


def _pack_end(first: int, later: Mapping[int, bool]) -> bytes:
    """The later articles, relative to the first."""
    ends = [(number - first) << 1 | same_story for number, same_story in later.items()]
    return pack(f"<{len(ends)}H", *ends)


def _unpack_end(packed: bytes) -> tuple[int, ...]:
    """The distances from the first article, and whether each is of the same story."""
    return unpack(f"<{len(packed) // 2}H", packed)


def _end_of(first: int, packed: bytes) -> dict[int, bool]:
    """The inverse of `_pack_end`."""
    return {first + (end >> 1): bool(end & 1) for end in _unpack_end(packed)}


def _chunks(later: Mapping[int, bool]) -> Iterator[tuple[int, dict[int, bool]]]:
    """The later articles in parts that can be packed, each with its first."""
    first, chunk = -1, dict[int, bool]()
    for number, same_story in sorted(later.items()):
        if chunk and number - first > MAX_DISTANCE:
            yield first, chunk
            chunk = {}
        first = first if chunk else number
        chunk[number] = same_story
    if chunk:
        yield first, chunk
