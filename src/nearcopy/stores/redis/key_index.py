"""What a worker has in memory to find articles by: those of the days that it has looked at."""

from collections.abc import Callable, Sequence
from datetime import timedelta

from nearcopy.fingerprint.blocking_keys import Keys
from nearcopy.match.candidate_index import Filed, Shelves, shelf_of
from nearcopy.models.model import Fingerprint


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
        exists: Callable[[int], object],
    ) -> list[tuple[list[int], int]]:
        """For each probe the numbers of articles that share keys, and how many are left out."""
        matches = self.shelves.find(probes, window, limit, lambda many: list(filter(exists, many)))
        return [(list(filter(exists, numbers)), left_out) for numbers, left_out in matches]
