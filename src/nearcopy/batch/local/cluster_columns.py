"""What each row of a corpus turned out to be."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearcopy.batch.local.column_files import Pack, write_pack
from nearcopy.batch.local.text_relations import CODE
from nearcopy.models.model import Relation

NONE = 0xFFFFFFFF  # no row
FILE = "told.pack"


class ClusterColumns(NamedTuple):
    """A value a row."""

    of: NDArray[np.uint32]  # the kept copy, NONE for what is kept
    relation: NDArray[np.uint8]  # to it, or to what leads the story
    overlap: NDArray[np.float32]  # of the text with it; NaN where that is not known
    founder: NDArray[np.uint32]  # the row that the story is named after

    @classmethod
    def singletons(cls, count: int) -> "ClusterColumns":
        """So many rows with nothing in common."""
        return cls(
            np.full(count, NONE, np.uint32),
            np.full(count, CODE[Relation.DISTINCT], np.uint8),
            np.full(count, np.nan, np.float32),
            np.arange(count, dtype=np.uint32),
        )

    def write(self, path: Path) -> None:
        """Puts all into a pack."""
        write_pack(path, self._asdict())

    @classmethod
    def read(cls, path: Path, start: int = 0, stop: int | None = None) -> "ClusterColumns":
        """What a pack has of the rows from one up to another."""
        pack = Pack(path)
        return cls(*(pack.read(name, start, stop) for name in cls._fields))
