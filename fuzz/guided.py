"""Runs one of the targets in targets.py under atheris, which looks for new ways through the code.

.venv/bin/python fuzz/guided.py feeds [options of libFuzzer] [folders of inputs]
"""

import gc
import sys
from types import FunctionType

import atheris
import targets

WATCHED = ("nearcopy", "feedparser", "targets")


def main() -> None:
    """Fuzz until a finding or the end of the time."""
    name = sys.argv.pop(1)
    targets.TARGETS[name](b"")  # has all of it imported
    for value in gc.get_objects():  # an import hook misses a package installed as it is edited
        if isinstance(value, FunctionType) and str(value.__module__).split(".")[0] in WATCHED:
            atheris.instrument_func(value)
    atheris.Setup(sys.argv, targets.TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
