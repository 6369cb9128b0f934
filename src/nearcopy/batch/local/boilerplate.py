"""Site boilerplate: lines that many pages of one host share.

Lines are compared normalised and with digits masked, so that "Updated 3 hours ago" is one line. A
page counts once for each line. Boilerplate is stripped from texts before fingerprinting.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from nearcopy.errors import BadCorpus
from nearcopy.extract.text import normalised, plain_text
from nearcopy.fingerprint.fingerprint import outlet_of
from nearcopy.io.files.write import open_writer
from nearcopy.kernels import xxh3_64
from nearcopy.models import Article

MIN_PAGES = 3  # of one host that share a line
LONGEST = 2000  # characters of a line that are compared
FIGURES = re.compile(r"\d+")
ENDS = re.compile(r"\r\n|[\n\r\v\f\x85\u2028\u2029]")
Hashes = NDArray[np.uint64]


class Repeated(NamedTuple):
    """A line as it first occurred on a host, and the number of pages that have it."""

    host: str
    line: str
    pages: int


def line_key(host: str, line: str) -> int | None:
    """The hash of a line of a host; None for a line without words."""
    folded = FIGURES.sub("0", normalised(line[:LONGEST]))
    return xxh3_64(f"{host}\n{folded}".encode("utf-8", "surrogatepass")) if folded else None


def lines_of(article: Article) -> list[str]:
    """The lines of an article's text."""
    return ENDS.split(plain_text(article.text, html=article.html))


def line_counts(articles: Iterable[Article]) -> tuple[Hashes, Hashes]:
    """The keys of the lines of all hosts, and the number of pages that have each."""
    parts: list[Hashes] = []
    for article in articles:
        host = outlet_of(article)
        if host is not None:
            keys = {line_key(host, line) for line in lines_of(article)} - {None}
            parts.append(np.array(list(keys), np.uint64))
    ordered = np.sort(np.concatenate([np.zeros(0, np.uint64), *parts]))
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(ordered)])
    counts = np.diff(np.append(starts, len(ordered))).astype(np.uint64)
    return ordered[starts], counts


def repeated(
    articles: Iterable[Article], counts: tuple[Hashes, Hashes], min_pages: int = MIN_PAGES
) -> Iterator[Repeated]:
    """The lines that at least `min_pages` pages of their host have, in reading order."""
    keys, pages = counts
    frequent = pages >= min_pages
    remaining = dict(zip(keys[frequent].tolist(), pages[frequent].tolist(), strict=True))
    for article in articles:
        host = outlet_of(article)
        for line in lines_of(article) if host is not None and remaining else ():
            key = line_key(host or "", line)
            if key in remaining:
                yield Repeated(host or "", line.strip(), remaining.pop(key))


class Boilerplate:
    """Boilerplate lines by host."""

    def __init__(self, lines: Iterable[Repeated]) -> None:
        self._keys = {line_key(line.host, line.line) for line in lines}

    def __len__(self) -> int:
        return len(self._keys)

    def strip_from(self, article: Article) -> str:
        """The text of an article without the boilerplate of its host, and without HTML."""
        host = outlet_of(article)
        lines = lines_of(article)
        if host is None or not self._keys:
            return "\n".join(lines)
        return "\n".join(line for line in lines if line_key(host, line) not in self._keys)


def write_lines(path: Path, lines: Iterable[Repeated]) -> int:
    """Write lines to a file that `read_lines` reads; their number."""
    count = 0
    with open_writer(path, "jsonl") as out:
        for count, line in enumerate(lines, start=1):  # noqa: B007
            out.write(line._asdict())
    return count


def read_lines(path: Path) -> Boilerplate:
    """The boilerplate in a file that `nearcopy boilerplate` wrote."""
    return Boilerplate(_read(path))


def _read(path: Path) -> Iterator[Repeated]:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                row: Mapping[str, object] = orjson.loads(line)
                yield Repeated(str(row["host"]), str(row["line"]), int(str(row["pages"])))
            except (ValueError, KeyError, TypeError) as exc:
                raise BadCorpus(
                    f"{path}:{number}: not a boilerplate line: {exc!r:.60}; "
                    "give a file that `nearcopy boilerplate` wrote"
                ) from exc
