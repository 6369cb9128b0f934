"""Garbage collection tuned for processes that hold many long-lived objects.

A full collection traverses every object in memory and stops the process for a second or two with a
million articles. Hardly any of these are in reference cycles, which is all that it could free.
"""

import gc
from collections.abc import Mapping
from typing import Any

THRESHOLDS = 10_000, 5  # allocations per collection of generation 0, and of these per older one
MIDDLE, OLDEST = 1, 2  # generations
FREEZES = 10_000  # before everything is collected once


class _Freezer:
    """Freezes the objects that survive a collection; frozen cycles are freed now and then."""

    def __init__(self, freezes: int) -> None:
        self.freezes, self.remaining = freezes, freezes

    def __call__(self, phase: str, info: Mapping[str, Any]) -> None:
        if phase != "stop" or info["generation"] < MIDDLE:
            return
        if self.remaining:
            self.remaining -= 1
            gc.freeze()
        elif info["generation"] == OLDEST and not gc.get_freeze_count():
            self.remaining = self.freezes
        else:
            gc.unfreeze()  # so that the next full collection traverses everything


def reduce_gc_frequency(*, freezes: int = FREEZES) -> None:
    """Collect less often, and only objects allocated since the last full collection."""
    gc.set_threshold(*THRESHOLDS)
    if not any(isinstance(callback, _Freezer) for callback in gc.callbacks):
        gc.callbacks.append(_Freezer(freezes))
