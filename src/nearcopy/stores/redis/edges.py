"""What a Redis store remembers between articles: edges, each whole with the later of the two."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from nearcopy.models.model import Decision, Edge, Join, Relation
from nearcopy.stores.redis.binary_format import Reader, Writer
from nearcopy.stores.redis.connection import Link
from nearcopy.stores.redis.records import numbered
from nearcopy.stores.redis.transactions import RedisSteps
from nearcopy.stores.row_codec import whole

MOST_UNPACKED = 20_000  # articles whose edges are in memory unpacked
NONE_BEFORE = b"\0"  # what a record begins with where an article came before all others
RELATIONS = {relation.value: relation for relation in Relation}


class Ends(NamedTuple):
    """The edges of an article: to those before it whole, of those after it only their numbers."""

    before: dict[int, Edge]  # the ids in them are empty
    after: dict[int, bool]  # whether the edge joins
    packed: bytes | None  # all of it as it is stored, those after at the end

    @property
    def joined(self) -> list[int]:
        """Those that it is of one story with."""
        earlier = [number for number, edge in self.before.items() if edge.joins]
        return sorted([*earlier, *(number for number, joins in self.after.items() if joins)])


class RedisLinks(RedisSteps):
    """The part of the store that knows of edges."""

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self._unpacked_ends: dict[int, Ends] = {}

    def link(self, edges: Iterable[Edge]) -> None:
        """Remember what was found between articles."""
        listed = list(edges)
        numbers = self._heads.numbers({name for edge in listed for name in edge[:2]})
        present = [edge for edge in listed if edge.a in numbers and edge.b in numbers]
        ends_of = self._ends({numbers[name] for edge in present for name in edge[:2]})
        before: dict[int, dict[int, Edge]] = {number: {} for number in ends_of}
        after: dict[int, dict[int, bool]] = {number: {} for number in ends_of}
        for edge in present:
            early, late = sorted((numbers[edge.a], numbers[edge.b]))
            before[late][early] = edge._replace(a="", b="")
            after[early][late] = edge.joins
        for number, ends in ends_of.items():
            self._keep_ends(number, self._grown(number, ends, before[number], after[number]))

    def _grown(
        self, number: int, ends: Ends, before: dict[int, Edge], after: dict[int, bool]
    ) -> Ends:
        """The edges of an article and more; where all of these come after it, they are appended."""
        every = ends.before | before, ends.after | after
        if before or ends.after.keys() & after.keys():
            return Ends(*every, self._packed(number, *every))
        out = Writer()
        _write_after(number, after, out)
        return Ends(*every, (ends.packed or NONE_BEFORE) + bytes(out.bytes))

    def _keep_ends(self, number: int, ends: Ends) -> None:
        self._records.put(numbered("e", number), ends.packed)
        self._unpacked_ends[number] = ends

    def edges(self, ids: Collection[str]) -> list[Edge]:
        """All that was found between one of these articles and any other."""
        self._fresh()
        numbers = set(self._heads.numbers(ids).values())
        ends = self._ends(numbers)
        later = {after for own in ends.values() for after in own.after} - numbers
        return list(self._named(_between(numbers, ends | self._ends(later))))

    def joins(self, ids: Collection[str]) -> list[Join]:
        """What puts one of these articles and any other into one story."""
        self._fresh()
        numbers = set(self._heads.numbers(ids).values())
        ends = self._ends(numbers)
        later = {n for own in ends.values() for n, joins in own.after.items() if joins} - numbers
        between = _between(numbers, ends | self._ends(later))
        joining = {pair: edge for pair, edge in between.items() if edge.joins}
        return [edge.join for edge in self._named(joining)]

    def edges_among(self, ids: Collection[str]) -> list[Edge]:
        """All that was found between two of these articles."""
        self._fresh()
        numbers = set(self._heads.numbers(ids).values())
        between = {
            (early, late): edge
            for late, own in self._ends(numbers).items()
            for early, edge in own.before.items()
            if early in numbers
        }
        return list(self._named(between))

    def linked(self, ids: Collection[str], limit: int) -> list[str]:
        """These and all that duplicates and same events link them to."""
        self._fresh()
        seen = dict.fromkeys(self._heads.numbers(ids).values())
        fresh = list(seen)
        while fresh and len(seen) < limit:
            ends = self._ends(fresh).values()
            near = dict.fromkeys(n for own in ends for n in own.joined if self._heads.name(n))
            fresh = [number for number in near if number not in seen][: limit - len(seen)]
            seen |= dict.fromkeys(fresh)
        return [self._heads.name(number) for number in seen]

    def _named(self, edges: dict[tuple[int, int], Edge]) -> Iterator[Edge]:
        """The edges with their ids; where one is gone there is no edge."""
        for (early, late), edge in edges.items():
            a, b = self._heads.name(early), self._heads.name(late)
            if a and b:
                yield edge._replace(a=a, b=b)

    def _ends(self, numbers: Collection[int]) -> dict[int, Ends]:
        names = {number: numbered("e", number) for number in numbers}
        packed = self._records.get(names.values())
        return {number: self._ends_of(number, packed[name]) for number, name in names.items()}

    def _ends_of(self, number: int, packed: bytes | None) -> Ends:
        """The edges of an article, unpacked once. Not to be changed."""
        cached = self._unpacked_ends.get(number)
        if cached is not None and cached.packed is packed:
            return cached
        if len(self._unpacked_ends) >= MOST_UNPACKED:
            self._unpacked_ends.clear()
        ends = self._unpacked(number, packed)
        self._unpacked_ends[number] = ends
        return ends

    def _unlink(self, numbers: Collection[int]) -> None:
        """Forget all edges of these articles."""
        ends = self._ends(numbers)
        removed = set(numbers)
        neighbours = {n for own in ends.values() for n in (*own.before, *own.after)} - removed
        remaining = self._ends([number for number in neighbours if self._heads.name(number)])
        for number, own in remaining.items():
            before = {n: edge for n, edge in own.before.items() if n not in removed}
            after = {n: joins for n, joins in own.after.items() if n not in removed}
            self._keep_ends(number, Ends(before, after, self._packed(number, before, after)))
        for number, own in ends.items():
            if own.before or own.after:
                self._records.put(numbered("e", number), None)

    def _packed(self, number: int, before: dict[int, Edge], after: dict[int, bool]) -> bytes | None:
        if not before and not after:
            return None
        out = Writer()
        out.number(len(before))
        for other, edge in before.items():
            decision = edge.decision
            out.number(number - other)
            kind = (
                decision.relation.value,
                decision.rule,
                decision.duplicate,
                whole(decision.reason),
                decision.flags,
            )
            self._kinds.write((*kind, edge.asked), out)
            for share in (decision.confidence, edge.news, edge.copy):
                out.real(share)
        _write_after(number, after, out)
        return bytes(out.bytes)

    def _unpacked(self, number: int, packed: bytes | None) -> Ends:
        ends = Ends({}, {}, packed)
        if packed is None:
            return ends
        read = Reader(packed)
        for _ in range(read.number()):
            other = number - read.number()
            relation, rule, duplicate, reason, flags, requested = self._kinds.read(read)
            confidence, news, copy = read.real(), read.real(), read.real()
            kind = RELATIONS[relation]
            decision = Decision(kind, rule, confidence or 0.0, duplicate, reason, flags)
            ends.before[other] = Edge("", "", decision, news or 0.0, copy, requested)
        while read:
            later = read.number()
            ends.after[number + (later >> 1)] = bool(later & 1)
        return ends


def _between(numbers: Collection[int], ends: Mapping[int, Ends]) -> dict[tuple[int, int], Edge]:
    """What is between one of these and any other, by the numbers of the two."""
    return {
        (early, late): edge
        for late, own in ends.items()
        for early, edge in own.before.items()
        if early in numbers or late in numbers
    }


def _write_after(number: int, after: dict[int, bool], out: Writer) -> None:
    for other, joins in after.items():
        out.number((other - number) << 1 | joins)
