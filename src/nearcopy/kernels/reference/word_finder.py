"""Which words of a text are in a table."""

from collections.abc import Iterable, Sequence


class WordFinder:
    """A table of words, and which of them texts hold."""

    def __init__(self, table: Iterable[str]) -> None:
        self._words = frozenset(table)

    def find(self, texts: Sequence[str], *, most: int) -> list[tuple[str, ...]]:
        """Of each text, its words parted by single spaces, those in the table, in order.

        Only the first `most` words are looked at.

        >>> WordFinder(["ferry", "port"]).find(["port of the ferry"], most=3)
        [('port',)]
        """
        return [
            tuple([word for word in text.split(" ", most)[:most] if word in self._words])
            for text in texts
        ]
