"""A filter in a pipeline: JSON lines in, those of new articles out: python examples/lines.py"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

WIRE = Path(__file__).parent / "wire.jsonl"

with TemporaryDirectory() as folder, WIRE.open("rb") as lines:
    command = [sys.executable, "-m", "nearcopy", "consume", "-", "--new-only"]
    command += ["--store", f"{folder}/seen.db"]
    result = subprocess.run(command, stdin=lines, stdout=subprocess.PIPE, check=True)  # noqa: S603
read, written = WIRE.read_bytes().splitlines(), result.stdout.splitlines()
print(f"{len(read)} lines in, {len(written)} out")
