"""What a worker has in memory to find articles by: those of the days that it has looked at."""

from collections.abc import Callable, Sequence
from datetime import timedelta

from nearcopy.model import Fingerprint
from nearcopy.stores.base import Keys
from nearcopy.stores.shelves import Filed, Shelves, shelf_of


class Index:
    """Shelves, and which of them are here."""

    def __init__(self) -> None:
        self.shelves = Shelves()
        self.days: set[int] = set()

    def __len__(self) -> int:
        return len(self.shelves)

    def file_new(self, articles: Sequence[Filed]) -> None:
        """File those that belong on shelves that are here."""
        here = [a for a in articles if shelf_of(a.published, a.seen) in self.days]
        self.shelves.file(here)

    def find(
        self,
        probes: Sequence[tuple[Fingerprint, Keys]],
        window: timedelta | None,
        limit: int | None,
        there: Callable[[int], object],
    ) -> list[tuple[list[int], int]]:
        """For each probe the numbers of articles that share keys, and how many are left out."""
        found = self.shelves.find(probes, window, limit, lambda many: list(filter(there, many)))
        return [(list(filter(there, numbers)), left_out) for numbers, left_out in found]
