"""The sequence numbers of ids, and the ids of sequence numbers, cached for one transaction."""

from collections.abc import Collection, Iterable

from nearcopy.stores.sql.database import Database

IDS_BY_NUMBER = "SELECT number, id FROM articles WHERE number IN ({})"


class _Cache:
    def __init__(self) -> None:
        self.numbers: dict[str, int | None] = {}  # None: there is no such article
        self.ids: dict[int, str] = {}

    def add(self, pairs: Iterable[tuple[int, str]]) -> None:
        for number, name in pairs:
            self.numbers[name] = number
            self.ids[number] = name


class ArticleIds:
    """Lookups between ids and sequence numbers; the cache is valid within a transaction only."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._cache: _Cache | None = None

    def start_cache(self) -> None:
        self._cache = _Cache()

    def stop_cache(self) -> None:
        self._cache = None

    def forget(self) -> None:
        """Empty the cache, after articles were removed."""
        if self._cache is not None:
            self._cache = _Cache()

    def add(self, pairs: Iterable[tuple[int, str]]) -> None:
        """Cache sequence numbers with their ids."""
        if self._cache is not None:
            self._cache.add(pairs)

    def numbers(self, ids: Collection[str]) -> dict[str, int]:
        """The sequence numbers of the articles that are stored."""
        cache = self._cache or _Cache()
        unknown = [name for name in ids if name not in cache.numbers]
        cache.numbers.update(dict.fromkeys(unknown))
        cache.add(self._database.select_in(self._database.numbers_by_id, unknown))
        return {name: number for name in ids if (number := cache.numbers[name]) is not None}

    def ids(self, numbers: Collection[int]) -> dict[int, str]:
        """The ids of these sequence numbers."""
        cache = self._cache or _Cache()
        unknown = [number for number in numbers if number not in cache.ids]
        cache.add(self._database.select_in(IDS_BY_NUMBER, unknown))
        return {number: cache.ids[number] for number in numbers if number in cache.ids}
