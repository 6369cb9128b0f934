"""`python -m nearcopy`."""

from nearcopy.cli import app

app(prog_name="nearcopy")
