"""Text: HTML to plain text, plain text to words."""

from typing import NamedTuple

from nearcopy import kernels


class Word(NamedTuple):
    """A folded word and where it stands in the text it came from."""

    word: str
    start: int
    end: int


def words(text: str, *, html: bool = False) -> list[str]:
    """The folded words of a text, in every script.

    >>> words("Ｎｅｗ café: $10M")
    ['new', 'cafe', '10m']
    >>> words("頭條新聞") == words("头条新闻") == ["头", "条", "新", "闻"]
    True
    """
    folded: list[str] = kernels.words(text, html)
    return folded


def words_in_place(text: str, *, html: bool = False) -> list[Word]:
    """The folded words with their place in the original, HTML or not.

    >>> words_in_place("<p>Oil &amp; Gas", html=True)
    [Word(word='oil', start=3, end=6), Word(word='gas', start=13, end=16)]
    """
    folded, starts, ends = kernels.word_spans(text, html)
    return [Word(*row) for row in zip(folded, starts.tolist(), ends.tolist(), strict=True)]


def normalised(text: str, *, html: bool = False) -> str:
    """The folded words with one space between: what digests are made of."""
    return str(kernels.normalised(text, html), "utf-8")


def strip_html(text: str) -> str:
    """The text of an HTML page: tags, scripts, styles and comments gone, characters decoded."""
    return str(kernels.strip_html(text))
