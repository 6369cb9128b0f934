"""Text: HTML to plain text, plain text to normalised words."""

from typing import NamedTuple

import nearcopy.kernels as kernels


class Word(NamedTuple):
    """A normalised word and its span in the source text."""

    word: str
    start: int
    end: int


def words(text: str, *, html: bool = False) -> list[str]:
    """The normalised words of a text, in every script.

    >>> words("Ｎｅｗ café: $10M")
    ['new', 'cafe', '10m']
    >>> words("頭條新聞") == words("头条新闻") == ["头", "条", "新", "闻"]
    True
    """
    folded: list[str] = kernels.words(text, html)
    return folded


def words_in_place(text: str, *, html: bool = False) -> list[Word]:
    """The normalised words with their spans in the source, HTML or not.

    >>> words_in_place("<p>Oil &amp; Gas", html=True)
    [Word(word='oil', start=3, end=6), Word(word='gas', start=13, end=16)]
    """
    folded, starts, ends = kernels.word_spans(text, html)
    return [Word(*row) for row in zip(folded, starts.tolist(), ends.tolist(), strict=True)]


def normalised(text: str, *, html: bool = False) -> str:
    """The normalised words separated by one space: the input of digests."""
    return str(kernels.normalised(text, html), "utf-8")


def strip_html(text: str) -> str:
    """The text of an HTML page, without tags, scripts, styles and comments."""
    return str(kernels.strip_html(text))
