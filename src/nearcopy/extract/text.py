"""Text: HTML to plain text, plain text to normalised words."""

from collections.abc import Sequence

import nearcopy.kernels as kernels


def words(text: str, *, html: bool = False) -> list[str]:
    """The normalised words of a text, in every script.

    >>> words("Ｎｅｗ café: $10M")
    ['new', 'cafe', '10m']
    >>> words("頭條新聞") == words("头条新闻") == ["头", "条", "新", "闻"]
    True
    """
    folded: list[str] = kernels.words(text, html)
    return folded


def normalised(text: str, *, html: bool = False) -> str:
    """The normalised words separated by one space: the input of digests."""
    return str(kernels.normalised(text, html), "utf-8")


def normalised_texts(texts: Sequence[str]) -> list[str]:
    """The normalised words of each text, which is no HTML."""
    folded: list[str] = kernels.normalised_texts(texts)
    return folded


def plain_text(text: str, *, html: bool) -> str:
    """The text; of an HTML page without tags, scripts, styles and comments."""
    return str(kernels.strip_html(text)) if html else text
