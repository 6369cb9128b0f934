"""Boilerplate: lines that many pages of one host have, so that they say nothing of any of them.

A line is folded, and its figures are masked: "Updated 3 hours ago" is one line. A host's lines are
boilerplate when so many of its pages have them; a page has a line once, however often it stands
there. What is left out of texts is left out of fingerprints, of overlaps, of all there is to find.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from nearcopy.errors import BadCorpus
from nearcopy.extract.text import normalised, strip_html
from nearcopy.fingerprint.fingerprint import whose
from nearcopy.io.files.atomic_write import open_atomic
from nearcopy.io.files.cell_values import as_json
from nearcopy.kernels import xxh3_64
from nearcopy.models.model import Article

PAGES = 3  # of one host, at least
LONGEST = 2000  # characters of a line that are looked at
FIGURES = re.compile(r"\d+")
ENDS = re.compile(r"\r\n|[\n\r\v\f\x85\u2028\u2029]")
Hashes = NDArray[np.uint64]


class Repeated(NamedTuple):
    """A line of a host, as it first stood there, and how many of its pages have it."""

    host: str
    line: str
    pages: int


def line_key(host: str, line: str) -> int | None:
    """What stands for a line of a host; None where it has no words."""
    folded = FIGURES.sub("0", normalised(line[:LONGEST]))
    return xxh3_64(f"{host}\n{folded}".encode("utf-8", "surrogatepass")) if folded else None


def lines_of(article: Article) -> list[str]:
    """The lines of an article's text."""
    return ENDS.split(strip_html(article.text) if article.html else article.text)


def line_counts(articles: Iterable[Article]) -> tuple[Hashes, Hashes]:
    """The lines of all hosts by their keys, and how many pages have each."""
    parts: list[Hashes] = []
    for article in articles:
        host = whose(article)
        if host is not None:
            keys = {line_key(host, line) for line in lines_of(article)} - {None}
            parts.append(np.array(list(keys), np.uint64))
    ordered = np.sort(np.concatenate([np.zeros(0, np.uint64), *parts]))
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(ordered)])
    counts = np.diff(np.append(starts, len(ordered))).astype(np.uint64)
    return ordered[starts], counts


def repeated(
    articles: Iterable[Article], counts: tuple[Hashes, Hashes], least: int = PAGES
) -> Iterator[Repeated]:
    """The lines that so many pages of their host have, as they come."""
    keys, pages = counts
    many = pages >= least
    left = dict(zip(keys[many].tolist(), pages[many].tolist(), strict=True))
    for article in articles:
        host = whose(article)
        for line in lines_of(article) if host is not None and left else ():
            key = line_key(host or "", line)
            if key in left:
                yield Repeated(host or "", line.strip(), left.pop(key))


class Boilerplate:
    """Lines of hosts that are left out of texts."""

    def __init__(self, lines: Iterable[Repeated]) -> None:
        self._keys = {line_key(line.host, line.line) for line in lines}

    def __len__(self) -> int:
        return len(self._keys)

    def text_without(self, article: Article) -> str:
        """The text of an article but for what is boilerplate on its host; HTML is stripped."""
        host = whose(article)
        lines = lines_of(article)
        if host is None or not self._keys:
            return "\n".join(lines)
        return "\n".join(line for line in lines if line_key(host, line) not in self._keys)


def write_lines(path: Path, lines: Iterable[Repeated]) -> int:
    """Writes lines to a file that `read_lines` reads; how many there are."""
    count = 0
    with open_atomic(path) as out:
        for line in lines:
            out.write(as_json(line._asdict()) + b"\n")
            count += 1
    return count


def read_lines(path: Path) -> Boilerplate:
    """The lines of a file that `nearcopy boilerplate` wrote."""
    return Boilerplate(_read(path))


def _read(path: Path) -> Iterator[Repeated]:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                row: Mapping[str, object] = orjson.loads(line)
                yield Repeated(str(row["host"]), str(row["line"]), int(str(row["pages"])))
            except (ValueError, KeyError, TypeError) as exc:
                raise BadCorpus(
                    f"{path}:{number}: no line of boilerplate: {exc!r:.60}; "
                    "`nearcopy boilerplate` writes such files"
                ) from exc
