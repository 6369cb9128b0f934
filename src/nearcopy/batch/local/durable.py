"""Values and checksums of files that last."""

import json
from pathlib import Path
from typing import Any

from nearcopy.io.files.atomic_write import write_atomic
from nearcopy.kernels import xxh3_64

PIECE = 1 << 20


def write_json(path: Path, value: Any) -> None:
    """Writes a value as JSON."""
    write_atomic(path, json.dumps(value, indent=1, sort_keys=True) + "\n")


def read_json(path: Path) -> Any:
    """The value in a file, None where there is no such file."""
    return json.loads(path.read_bytes()) if path.exists() else None


def checksum(path: Path) -> int:
    """A number that stands for what is in a file."""
    digest = 0
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            digest = xxh3_64(digest.to_bytes(8, "little") + piece)
    return digest
