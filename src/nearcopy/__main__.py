"""`python -m nearcopy`, and the script for `spark-submit`."""

import sys
from pathlib import Path

# The folder of a script comes first in sys.path, where our modules would hide those of others.
sys.path[:] = [path for path in sys.path if Path(path).resolve() != Path(__file__).parent]

from nearcopy.cli import app  # noqa: E402

app(prog_name="nearcopy")
