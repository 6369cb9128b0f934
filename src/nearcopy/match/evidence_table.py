"""The evidence of many pairs in columns, an array for each measurement."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from nearcopy.models import Evidence

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Details = dict[int, Any]  # by the row of a pair

# What the words or facts of a measurement are is kept apart: its column is whether there are any.
DETAILED = frozenset(name for name, none in Evidence._field_defaults.items() if none == ()) | {
    *("title_swap", "contrast", "column", "block_page")
}
FLAGS = frozenset({"exact", "name_swap", "refiled"})
COUNTS = frozenset({"words", "title_chars", "title_words", "distance", "numerals_changed"})
ALWAYS_KNOWN = frozenset({"words", "title_chars", "title_words"})
ANSWERS = frozenset({"same_url", "same_declared_url", "same_text", "same_source"})
# The evidence of the texts; a policy that compares texts only sees nothing else.
TEXTS = frozenset({"same_text", "distance", "overlap", "containment", "exact", "words"})


Row = TypeVar("Row")


class Table(Sequence[Row]):
    """Columns that can be read as rows, which are made when they are asked for."""

    @abstractmethod
    def rows(self, places: Sequence[int]) -> list[Row]:
        """The rows at these places."""

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        places = range(len(self))[place]
        return self.rows(places) if isinstance(places, range) else self.rows([places])[0]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows(range(len(self))))


class EvidenceTable(Table[Evidence]):
    """The evidence of pairs.

    A column has NaN where its measurement could not be taken, and 1 and 0 for yes and no.
    """

    exact: Mask
    name_swap: Mask
    refiled: Mask
    title_swap: Mask
    contrast: Mask
    column: Mask
    block_page: Mask
    agreements: Mask
    clashes: Mask
    moved: Mask

    def __init__(
        self, size: int, columns: Mapping[str, NDArray[Any]], details: Mapping[str, Details]
    ) -> None:
        """Columns that are not given were not measured."""
        self._size = size
        self.details = {**details}
        self.add(**columns)

    @classmethod
    def of(cls, rows: Sequence[Evidence]) -> Self:
        """The table of these rows."""
        by_name = dict(zip(Evidence._fields, zip(*rows, strict=True), strict=True)) if rows else {}
        columns = {name: _column(name, values) for name, values in by_name.items()}
        details = {
            name: {row: value for row, value in enumerate(by_name[name]) if value}
            for name in DETAILED.intersection(by_name)
        }
        return cls(len(rows), columns, details)

    def __len__(self) -> int:
        return self._size

    def add(self, **columns: NDArray[Any]) -> None:
        """Add columns, or replace them."""
        vars(self).update(columns)

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns that were measured or read."""
        return {name: vars(self)[name] for name in Evidence._fields if name in vars(self)}

    def __getattr__(self, name: str) -> Floats:
        """A column of numbers that was not measured."""
        if name not in Evidence._fields:
            raise AttributeError(name)
        kind = _type(name)
        unknown = np.nan if kind is np.float64 and name not in ALWAYS_KNOWN else 0
        self.add(**{name: np.full(self._size, unknown, kind)})
        column: Floats = vars(self)[name]
        return column

    def rows(self, places: Sequence[int]) -> list[Evidence]:
        chosen = np.array(places, np.int64)
        return list(map(Evidence, *(self._values(name, chosen) for name in Evidence._fields)))

    def _values(self, name: str, places: NDArray[np.int64]) -> Sequence[Any]:
        """The values of a column as `Evidence` has them."""
        none = Evidence._field_defaults[name]
        if name in DETAILED:
            return [self.details.get(name, {}).get(row, none) for row in places.tolist()]
        if name not in vars(self):
            return [none] * len(places)
        values: list[Any] = vars(self)[name][places].tolist()
        if _type(name) is not np.float64:
            return values
        convert = bool if name in ANSWERS else int if name in COUNTS else float
        return [convert(value) if value == value else None for value in values]

    def take(self, places: NDArray[np.int64]) -> "EvidenceTable":
        """The evidence of the pairs at these places."""
        place_of = np.full(self._size, -1, np.int64)
        place_of[places] = np.arange(len(places))
        moved = place_of.tolist()
        details = {
            name: {moved[place]: value for place, value in said.items() if moved[place] >= 0}
            for name, said in self.details.items()
        }
        columns = {name: column[places] for name, column in self.columns.items()}
        return EvidenceTable(len(places), columns, details)

    @classmethod
    def join(cls, tables: Sequence["EvidenceTable"]) -> "EvidenceTable":
        """The evidence of all pairs of some tables, one behind the other."""
        if len(tables) == 1:
            return tables[0]
        names = dict.fromkeys(name for table in tables for name in table.columns)
        columns = {name: np.concatenate([getattr(t, name) for t in tables]) for name in names}
        details: dict[str, Details] = {name: {} for name in DETAILED}
        start = 0
        for table in tables:
            for name, said in table.details.items():
                details[name] |= {start + place: value for place, value in said.items()}
            start += len(table)
        return cls(start, columns, details)

    def texts_only(self) -> "EvidenceTable":
        """The evidence of the texts alone."""
        columns = {name: column for name, column in self.columns.items() if name in TEXTS}
        return EvidenceTable(self._size, columns, {})


def _column(name: str, values: Sequence[Any]) -> NDArray[Any]:
    if name in DETAILED:
        return np.array([bool(value) for value in values], np.bool_)
    return np.array(values, _type(name))  # None becomes NaN


def _type(name: str) -> type[np.generic]:
    return np.bool_ if name in DETAILED or name in FLAGS else np.float64
