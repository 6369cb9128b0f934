"""A filter for any pipeline: JSON lines in, the new ones out. Run: python examples/lines.py"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

WIRE = Path(__file__).parent / "wire.jsonl"

with TemporaryDirectory() as folder, WIRE.open("rb") as lines:
    command = [sys.executable, "-m", "nearcopy", "consume", "-", "--new-only"]
    command += ["--store", f"{folder}/seen.db"]
    found = subprocess.run(command, stdin=lines, stdout=subprocess.PIPE, check=True)  # noqa: S603
given, passed = WIRE.read_bytes().splitlines(), found.stdout.splitlines()
print(f"{len(given)} lines in, {len(passed)} out")
