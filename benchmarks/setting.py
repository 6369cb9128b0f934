"""The setting of a run: how much of everything, the peers, and a folder for what they are given."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from peers import Worker
from results import Bar


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured."""

    rounds: int = 5
    articles: int = 4000
    signatures: int = 100_000
    signature_queries: int = 20_000
    fingerprints: int = 1_000_000
    many_fingerprints: int = 10_000_000
    fingerprint_queries: int = 100_000
    pairs: int = 2000
    hostile: float = 1.0
    titles: int = 1_000_000


QUICK = Sizes(
    rounds=3,
    articles=400,
    signatures=10_000,
    signature_queries=2000,
    fingerprints=100_000,
    many_fingerprints=300_000,
    fingerprint_queries=5000,
    pairs=100,
    hostile=0.05,
    titles=50_000,
)


@dataclass(frozen=True, slots=True)
class Setting:
    """All that a measurement needs. The worker is None where the peers are absent."""

    sizes: Sizes
    worker: Worker | None
    folder: Path
    say: Callable[[str], None]

    def has(self, package: str) -> bool:
        """Whether this peer is there to be measured."""
        return self.worker is not None and package in self.worker.versions

    def sized_bar(self, limit: Literal[">=", "<="], value: float) -> Bar | None:
        """A bar that means something at full size only: memory and caches decide."""
        return None if self.sizes == QUICK else Bar(limit, value)

    def texts(self, name: str, texts: list[str]) -> str:
        """The path of a temporary file with these texts."""
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps(texts), encoding="utf-8")
        return str(path)

    def array(self, name: str, array: np.ndarray[Any, Any]) -> str:
        """The path of a temporary file with this array."""
        path = self.folder / f"{name}.npy"
        np.save(path, array)
        return str(path)
