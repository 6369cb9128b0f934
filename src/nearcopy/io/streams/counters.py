"""What is counted while a stream is consumed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from nearcopy.io.streams.messages import Kind, Outcome


@dataclass
class Counts:
    """Messages by what came of them, the seconds it took, and how many wait."""

    kinds: Counter[Kind] = field(default_factory=Counter)
    repeated: int = 0
    batches: int = 0
    busy_seconds: float = 0.0
    store_errors: int = 0
    lag: int | None = None

    @property
    def all(self) -> int:
        """All messages that were settled."""
        return self.kinds.total()

    def count(self, outcomes: Sequence[Outcome], seconds: float, lag: int | None) -> None:
        """Count a batch that is settled."""
        self.kinds.update(outcome.kind for outcome in outcomes)
        self.repeated += sum(outcome.repeated for outcome in outcomes)
        self.batches += 1
        self.busy_seconds += seconds
        self.lag = lag
