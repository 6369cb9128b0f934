"""Values and checksums of files that last."""

import json
from pathlib import Path
from typing import Any

from nearcopy.kernels import xxh3_64
from nearcopy.replacing import write_whole

PIECE = 1 << 20


def write_json(path: Path, value: Any) -> None:
    """Writes a value as JSON."""
    write_whole(path, json.dumps(value, indent=1, sort_keys=True) + "\n")


def read_json(path: Path) -> Any:
    """The value in a file, None where there is no such file."""
    return json.loads(path.read_bytes()) if path.exists() else None


def checksum(path: Path) -> int:
    """A number that stands for what is in a file."""
    found = 0
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            found = xxh3_64(found.to_bytes(8, "little") + piece)
    return found
