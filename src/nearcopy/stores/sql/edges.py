"""The edges of an SQL store."""

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from nearcopy.models import Edge, StoryLink
from nearcopy.stores.row_codec import EdgeRow, edge_from_row, edge_to_row
from nearcopy.stores.sql.database import ArticleIds, Database, Row

EDGE_COLUMNS = ", ".join(EdgeRow._fields)
LINK_COLUMNS = "a, b, duplicate, event_score"
# Of two articles `a` was added first: a lookup skips the partitions before it.
ENDS = BY_A, BY_B = "a IN ({}) AND b > ?", "b IN ({}) AND b >= ?"
SAME_STORY = "same_story = 1"
TRAVERSAL_BATCH = 32  # articles whose edges are followed at once
NO_NUMBERS = range(0)


class SqlEdges:
    """Edges by the sequence numbers of their two articles."""

    def __init__(self, database: Database, ids: ArticleIds) -> None:
        self._database, self._ids = database, ids
        self.new_articles = NO_NUMBERS  # just inserted, so that no edges of theirs are saved yet

    def save_edges(self, edges: Iterable[Edge]) -> None:
        listed = list(edges)
        numbers = self._ids.numbers({name for edge in listed for name in (edge.a, edge.b)})
        rows = (
            edge_to_row(numbers[edge.a], numbers[edge.b], edge)
            for edge in listed
            if edge.a in numbers and edge.b in numbers
        )
        new_articles, self.new_articles = self.new_articles, NO_NUMBERS
        last = {(row.a, row.b): row for row in rows}.values()
        new = [row for row in last if row.b in new_articles]
        old = [row for row in last if row.b not in new_articles]
        self._database.insert("edges", EdgeRow._fields, new)
        self._database.replace("edges", EdgeRow._fields, old, key=("a", "b"))

    def edges(self, ids: Collection[str]) -> list[Edge]:
        numbers = set(self._ids.numbers(ids).values())
        return self._decode(self._select_ends(EDGE_COLUMNS, ENDS, numbers))

    def links(self, ids: Collection[str]) -> list[StoryLink]:
        numbers = set(self._ids.numbers(ids).values())
        ends = [f"{end} AND {SAME_STORY}" for end in ENDS]
        rows = list(self._select_ends(LINK_COLUMNS, ends, numbers))
        names = self._names(rows)
        return [StoryLink(names[a], names[b], bool(copy), score) for a, b, copy, score in rows]

    def edges_among(self, ids: Collection[str]) -> list[Edge]:
        numbers = set(self._ids.numbers(ids).values())
        rows = self._select(EDGE_COLUMNS, BY_A, numbers)
        return self._decode(row for row in rows if row[1] in numbers)

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

    def erase(self, numbers: Collection[int]) -> None:
        """Delete all edges of these articles."""
        first = min(numbers, default=0)
        for end in ENDS:
            self._database.execute_in(f"DELETE FROM edges WHERE {end}", numbers, first)

    def _select(self, columns: str, end: str, numbers: Collection[int]) -> Iterator[Row]:
        statement = f"SELECT {columns} FROM edges WHERE {end}"
        return self._database.select_in(statement, numbers, min(numbers, default=0))

    def _select_ends(
        self, columns: str, ends: Iterable[str], numbers: Collection[int]
    ) -> Collection[Row]:
        """The edges with either end among these numbers, each once."""
        rows = (row for end in ends for row in self._select(columns, end, numbers))
        return {row[:2]: row for row in rows}.values()

    def _neighbours(self, numbers: list[int]) -> Iterator[int]:
        for end, other in ((BY_A, "b"), (BY_B, "a")):
            for (number,) in self._select(other, f"{end} AND {SAME_STORY}", numbers):
                yield number

    def _decode(self, rows: Iterable[Row]) -> list[Edge]:
        edges = list(map(EdgeRow._make, rows))
        names = self._names(edges)
        return [edge_from_row(row, names) for row in edges]

    def _names(self, rows: Iterable[tuple[Any, ...]]) -> dict[int, str]:
        return self._ids.ids({number for row in rows for number in row[:2]})
