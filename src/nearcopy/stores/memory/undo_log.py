"""A journal: changes to dictionaries that can be taken back."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

ABSENT: Final = object()


class Journal:
    """What stood in dictionaries before the changes of one step."""

    def __init__(self) -> None:
        self._before: list[tuple[dict[Any, Any], Any, Any]] = []

    @contextmanager
    def step(self) -> Iterator[None]:
        """All changes made inside stay or, after an exception, none."""
        try:
            yield
        except BaseException:
            self._take_back()
            raise
        finally:
            self._before.clear()

    def put(self, table: dict[Any, Any], key: Any, value: Any) -> None:
        """The value under the key from now on."""
        self._before.append((table, key, table.get(key, ABSENT)))
        table[key] = value

    def drop(self, table: dict[Any, Any], key: Any) -> Any:
        """What stood under the key, where it stands no more; None where there was nothing."""
        self._before.append((table, key, table.get(key, ABSENT)))
        return table.pop(key, None)

    def _take_back(self) -> None:
        for table, key, value in reversed(self._before):
            if value is ABSENT:
                table.pop(key, None)
            else:
                table[key] = value
