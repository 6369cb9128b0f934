"""`python -m nearcopy`, and what `spark-submit` is given."""

import sys
from pathlib import Path

# A file that is run has its folder come first, where modules of ours have names of others.
sys.path[:] = [each for each in sys.path if Path(each).resolve() != Path(__file__).parent]

from nearcopy.cli import app  # noqa: E402

app(prog_name="nearcopy")
