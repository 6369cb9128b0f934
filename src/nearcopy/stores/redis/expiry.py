"""Expiry: articles go when they have been in a Redis store for the window."""

from datetime import timedelta

from nearcopy.models.timestamps import MICROSECOND

SLOTS = 30  # of time, in a window: articles expire by the slot in which they came
SHORTEST_SLOT = 1000  # microseconds


class Expiry:
    """How long articles stay: for the window, and up to two slots longer."""

    def __init__(self, window: timedelta | None) -> None:
        self.window = None if window is None else window // MICROSECOND
        self.slot = max((self.window or 0) // SLOTS, SHORTEST_SLOT)

    @property
    def milliseconds(self) -> int:
        """After which the server may drop a key that was written now; 0: never."""
        return 0 if self.window is None else (self.window + 4 * self.slot) // 1000 + 1

    def stale(self, slot: int, now: int) -> bool:
        """Whether what came in a slot has expired."""
        return self.window is not None and (slot + 2) * self.slot <= now - self.window

    def first(self, slots: dict[int, int], now: int, last: int) -> int:
        """The first number that has not expired."""
        if self.window is None:
            return 1
        return min((n for slot, n in slots.items() if not self.stale(slot, now)), default=last + 1)
