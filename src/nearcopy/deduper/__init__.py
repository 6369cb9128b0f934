"""The facade: check, add, stories, feedback, retention."""

from nearcopy.deduper.deduper import Deduper

__all__ = ["Deduper"]
