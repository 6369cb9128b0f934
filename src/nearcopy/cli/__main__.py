"""`python -m nearcopy.cli`."""

from nearcopy.cli import app

app(prog_name="nearcopy")
