"""The normal form of a title: what titles are compared by."""

from collections.abc import Sequence

from nearcopy import kernels


def normal(title: str) -> str:
    """The folded words of a title with one space between.

    >>> normal("Café-Preis: +10 %"), normal("頭條 v0.40：AI")
    ('cafe preis 10', '头 条 v0 40 ai')
    """
    return str(kernels.normalised(title), "utf-8")


def normals(titles: Sequence[str]) -> list[str]:
    """The normal form of every title."""
    return [str(kernels.normalised(title), "utf-8") for title in titles]
