"""Known names: countries, cities, firms and what is traded, whatever the capitals of a title."""

from importlib.resources import files


def _listed() -> dict[str, int]:
    """The line of each form of a name."""
    lines = files(__package__).joinpath("known_names.txt").read_text("utf-8").splitlines()
    named = (line.split() for line in lines if not line.startswith("#"))
    return {form: number for number, forms in enumerate(named) for form in forms}


NAMES = _listed()


def are_known(x: str, y: str) -> bool:
    """Whether both words are known names, of different things or of one.

    >>> are_known("iran", "iraq"), are_known("iran", "talks")
    (True, False)
    """
    return x in NAMES and y in NAMES


def is_one(x: str, y: str) -> bool:
    """Whether two known names are of one thing.

    >>> is_one("france", "french"), is_one("france", "germany")
    (True, False)
    """
    return NAMES[x] == NAMES[y]
