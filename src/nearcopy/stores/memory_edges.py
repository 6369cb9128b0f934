"""The edges of the in-memory store."""

from collections.abc import Collection, Iterable, Mapping

from nearcopy.models import Edge, StoryLink
from nearcopy.stores.undo_log import UndoLog


class MemoryEdges:
    """Each edge once, with the later of its two articles; the other end lists that article.

    Args:
        numbers: The sequence numbers of all articles.
        undo: Where changes are logged.
    """

    def __init__(self, numbers: Mapping[str, int], undo: UndoLog) -> None:
        self._numbers, self._undo = numbers, undo
        self._edges: dict[str, dict[str, Edge]] = {}  # by the later article, then the earlier one
        self._later: dict[str, list[str]] = {}  # the later ones of each earlier article
        self._same_story: dict[str, list[str]] = {}  # those that an edge puts into its story

    def save_edges(self, edges: Iterable[Edge]) -> None:
        by_later: dict[str, dict[str, Edge]] = {}
        for edge in edges:
            a, b = self._numbers.get(edge.a), self._numbers.get(edge.b)
            if a is not None and b is not None:
                earlier, later = (edge.a, edge.b) if a < b else (edge.b, edge.a)
                by_later.setdefault(later, {})[earlier] = edge
        for later, own in by_later.items():
            before = self._edges.get(later, {})
            for earlier, edge in own.items():
                self._list_ends(earlier, later, edge, before.get(earlier))
            by_later[later] = {**before, **own}
        self._undo.update(self._edges, by_later)

    def _list_ends(self, earlier: str, later: str, edge: Edge, before: Edge | None) -> None:
        if before is None:
            self._undo.append(self._later, earlier, later)
        was_joined = before is not None and before.same_story
        if edge.same_story == was_joined:
            return
        for one, other in ((earlier, later), (later, earlier)):
            if was_joined:
                self._unlist(self._same_story, [one], {other})
            else:
                self._undo.append(self._same_story, one, other)

    def _unlist(
        self, lists: dict[str, list[str]], names: Iterable[str], removed: Collection[str]
    ) -> None:
        for name in names:
            remaining = [other for other in lists[name] if other not in removed]
            self._undo.set(lists, name, remaining)

    def erase(self, names: Collection[str]) -> None:
        """Delete all edges of these articles."""
        removed = set(names)
        delete = self._undo.delete
        earlier = {other for name in removed for other in delete(self._edges, name) or ()}
        later = {other for name in removed for other in delete(self._later, name) or ()}
        joined = {other for name in removed for other in delete(self._same_story, name) or ()}
        self._unlist(self._later, earlier - removed, removed)
        self._unlist(self._same_story, joined - removed, removed)
        for name in later - removed:
            own = self._edges[name].items()
            remaining = {other: edge for other, edge in own if other not in removed}
            self._undo.set(self._edges, name, remaining)

    def edges(self, ids: Collection[str]) -> list[Edge]:
        chosen = dict.fromkeys(ids)
        edges = [edge for name in chosen for edge in self._edges.get(name, {}).values()]
        for name in chosen:
            later = (other for other in self._later.get(name, ()) if other not in chosen)
            edges += [self._edges[other][name] for other in later]
        return edges

    def edges_among(self, ids: Collection[str]) -> list[Edge]:
        chosen = set(ids)
        own = (self._edges.get(name, {}).items() for name in chosen)
        return [edge for edges in own for other, edge in edges if other in chosen]

    def links(self, ids: Collection[str]) -> list[StoryLink]:
        chosen = dict.fromkeys(ids)
        return [
            self._edge(name, other).link
            for name in chosen
            for other in self._same_story.get(name, ())
            if other not in chosen or self._numbers[other] < self._numbers[name]
        ]

    def _edge(self, a: str, b: str) -> Edge:
        edge = self._edges.get(a, {}).get(b)
        return edge if edge is not None else self._edges[b][a]

    def connected_ids(self, ids: Collection[str], limit: int) -> list[str]:
        reached = dict.fromkeys(name for name in ids if name in self._numbers)
        queue = list(reached)
        for name in queue:  # grows as it goes
            if len(reached) >= limit:
                break
            linked = self._same_story.get(name, ())
            fresh = [other for other in linked if other not in reached][: limit - len(reached)]
            reached |= dict.fromkeys(fresh)
            queue += fresh
        return list(reached)
