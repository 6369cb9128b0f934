"""The undo log of the in-memory store: what a transaction changes, as it was before."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

ABSENT: Final = object()
Table = dict[Any, Any]


class UndoLog:
    """The first old value of each key that a transaction changes, by table.

    Lists only grow, and are rolled back to their old lengths; to remove from one, set another one.
    """

    def __init__(self) -> None:
        self._before: dict[int, tuple[Table, Table]] = {}  # by the identity of the table
        self._lengths: dict[int, tuple[list[Any], int]] = {}

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Roll all changes back if what is inside fails."""
        try:
            yield
        except BaseException:
            self._roll_back()
            raise
        finally:
            self._before.clear()
            self._lengths.clear()

    def update(self, table: Table, values: Mapping[Any, Any]) -> None:
        """Set the values of some keys."""
        before = self._first_values(table)
        for key in values:
            if key not in before:
                before[key] = table.get(key, ABSENT)
        table.update(values)

    def set(self, table: Table, key: Any, value: Any) -> None:
        """Set the value of a key."""
        self.update(table, {key: value})

    def delete(self, table: Table, key: Any) -> Any:
        """Delete a key; its value, or None where there was none."""
        self._first_values(table).setdefault(key, table.get(key, ABSENT))
        return table.pop(key, None)

    def append(self, table: Table, key: Any, item: Any) -> None:
        """Append to the list of a key; where there is none it is begun."""
        items = table.get(key)
        if items is None:
            self.set(table, key, [item])
            return
        if id(items) not in self._lengths:
            self._lengths[id(items)] = items, len(items)
        items.append(item)

    def _first_values(self, table: Table) -> Table:
        if id(table) not in self._before:
            self._before[id(table)] = table, {}
        return self._before[id(table)][1]

    def _roll_back(self) -> None:
        for table, before in self._before.values():
            for key, value in before.items():
                if value is ABSENT:
                    table.pop(key, None)
                else:
                    table[key] = value
        for items, length in self._lengths.values():
            del items[length:]
