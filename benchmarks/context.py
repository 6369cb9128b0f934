"""The context of a benchmark run: sizes, peers, and a folder for their input."""

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
    pairs: int = 2000
    hostile: float = 1.0


QUICK = Sizes(
    rounds=3,
    articles=400,
    pairs=100,
    hostile=0.05,
)


@dataclass(frozen=True, slots=True)
class Context:
    """What a measurement needs. The worker is None if the peers are not installed."""

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
