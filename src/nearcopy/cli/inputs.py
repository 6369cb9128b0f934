"""The articles that commands name: files of many, two files of one each, or ids in a store."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from nearcopy.cli.options import environment_store, store_address
from nearcopy.cli.overwrite_guard import spare
from nearcopy.cli.terminal import noted
from nearcopy.config.policy_file import nearest
from nearcopy.errors import BadArticle

if TYPE_CHECKING:
    from nearcopy.config import Recipe
    from nearcopy.io.files import Rejected, Row, Source
    from nearcopy.models.model import Article

STDIN = "-"
IDS_SHOWN = 5  # of those that a file has
LISTED = 20  # rows that cannot be read are named up to this many
TITLE = re.compile(r"<title\b[^<>]{0,500}>([^<]{0,2000})", re.IGNORECASE)
HTML_STARTS = ("<!doctype", "<html", "<?xml", "<head", "<body", "<article", "<div", "<p>")

InOption = Annotated[
    Path | None,
    typer.Option("--in", metavar="FILE", help="A and B are ids in this file: any format, or -."),
]
RejectedOption = Annotated[
    Path | None,
    typer.Option(
        "--rejected", metavar="FILE", help="Write rows that cannot be read here, and go on."
    ),
]


# Files of many articles.


@contextmanager
def readable(files: Sequence[str], rejected: Path | None = None) -> Iterator[list["Source"]]:
    """The files, when all rows can be read; those that cannot go to `rejected`, or stop it here."""
    from nearcopy.io.files import Rejected, open_sources, read

    spare(files, rejected)
    with open_sources(files) as sources:
        every = watched((row for source in sources for row in read(source)), sources)
        refuse((row for row in every if isinstance(row, Rejected)), rejected)
        yield sources


def watched(
    found: Iterable["Row | Rejected"],
    sources: Iterable["Source"],
    tell: Callable[[str], None] = noted,
) -> Iterator["Row | Rejected"]:
    """The rows; warns at the end of sources without any, and where none has what to compare."""
    from nearcopy.io.files import Rejected

    seen = _Seen(source.name for source in sources)
    for row in found:
        seen.empty.pop(row.place.file, None)
        if not isinstance(row, Rejected):
            seen.take(row)
        yield row
    for warning in seen.warnings():
        tell(f"warning: {warning}")


class _Seen:
    """What was seen of some files: those without rows, the first row, what any row has."""

    def __init__(self, names: Iterable[str]) -> None:
        self.empty = dict.fromkeys(names)
        self._first: Row | None = None
        self._says = self._titled = False

    def take(self, row: "Row") -> None:
        """Takes note of a row."""
        self._first = self._first or row
        self._says = self._says or _says_something(row.article)
        self._titled = self._titled or _titled(row)

    def warnings(self) -> Iterator[str]:
        """What is worth a warning at the end."""
        from nearcopy.io.files.column_names import join_names

        yield from (f"{name} has no rows" for name in self.empty)
        if self._first and not self._says:
            yield (
                "no row has anything in a column that looks like a title, text or url, so "
                f"none is a duplicate: the columns are {join_names(self._first.values)}"
            )
        elif self._first and not self._titled and _left(self._first):
            yield (
                "no column was taken for the title: the columns are "
                f"{join_names(self._first.values)}; call one of them title, or name it to `dedupe` "
                "with --title-field"
            )


def _titled(row: "Row") -> bool:
    """Whether there is a title, or a column for one."""
    from nearcopy.io.files import Columns

    return bool(row.article.title or Columns().places(tuple(row.values))["title"])


def _left(row: "Row") -> list[str]:
    """The columns with words that are no part of the article, nor written by us."""
    from nearcopy.batch.row_columns import VERDICT_COLUMNS
    from nearcopy.io.files import Columns

    places, parts = Columns().places(tuple(row.values)), astuple(row.article)
    known = {*VERDICT_COLUMNS, *(name for names in places.values() for name in names)}
    texts = ((name, value) for name, value in row.values.items() if isinstance(value, str))
    return [
        name for name, value in texts if value.strip() and name not in known and value not in parts
    ]


def _says_something(article: "Article") -> bool:
    texts = (article.title, article.text, article.url, article.canonical_url)
    return any(text and not text.isspace() for text in texts)


def rows(sources: Iterable["Source"]) -> Iterator["Row"]:
    """The rows that can be read, each under an id of its own."""
    from nearcopy.io.files import Rejected, assign_unique_ids, read

    every = assign_unique_ids(row for source in sources for row in read(source))
    return (row for row in every if not isinstance(row, Rejected))


def refuse(found: Iterable["Rejected"], to: Path | None) -> None:
    """Writes what cannot be read to a file; without one it is an error that names the lines."""
    if to is not None:
        from nearcopy.io.files import open_writer

        with open_writer(to) as file:
            for each in found:
                file.write(rejected_row(each))
        return
    listed: list[str] = []
    count = 0
    for count, each in enumerate(found, start=1):
        if count <= LISTED:
            listed.append(f"  {each.place}: {each.why}")
    if count:
        more = [f"  and {count - LISTED} more"] if count > LISTED else []
        of = "1 row cannot be read" if count == 1 else f"{count} rows cannot be read"
        raise BadArticle(
            "\n".join([f"{of}; --rejected FILE sets such rows aside:", *listed, *more])
        )


def rejected_row(found: "Rejected") -> dict[str, object]:
    """What cannot be read, as data."""
    file, line = found.place
    return {"file": file, "line": line, "why": found.why, "raw": found.raw}


# Two articles.


class Two(NamedTuple):
    """Two articles, and the recipe of the store they are from, if any."""

    a: "Article"
    b: "Article"
    recipe: "Recipe | None" = None


def two(
    a: str,
    b: str,
    inside: Path | None = None,
    store: str | None = None,
    pool: str | None = None,
) -> Two:
    """The two articles: ids in the file or the store that is given, else a file each."""
    found = _two(a, b, inside, store, pool)
    if found.a.id == found.b.id and found.a != found.b:  # two files may well give one id
        return found._replace(b=replace(found.b, id=f"{found.b.id}#2"))
    return found


def _two(a: str, b: str, inside: Path | None, store: str | None, pool: str | None) -> Two:
    if inside is not None:
        return _among(inside, a, b)
    if store is None and a == b == STDIN:
        raise BadArticle("stdin holds one article here: give - for A or for B")
    if store is None and _is_file(a) and _is_file(b):
        return Two(one(a), one(b))
    address = store or environment_store()
    if address is None:
        missing = b if _is_file(a) else a
        raise BadArticle(
            f"no file {missing!r:.200}: give two files, or two ids and where they are, "
            "with --in FILE or --store ADDRESS"
        )
    return _stored(address, pool, a, b)


def _is_file(name: str) -> bool:
    return name == STDIN or Path(name).is_file()


def one(file: str) -> "Article":
    """The article in a file: a JSON object, an HTML page, or text with its title in line one."""
    data = sys.stdin.buffer.read() if file == STDIN else Path(file).read_bytes()
    name = "stdin" if file == STDIN else file
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        from nearcopy.io.files.decompress import not_utf8

        raise BadArticle(f"{name} is {not_utf8(wrong)}") from None
    kind, start = Path(file).suffix.lower(), text.lstrip()[:20].lower()
    if kind in (".json", ".jsonl") or (file == STDIN and start.startswith("{")):
        return _from_json(text, name)
    if kind in (".html", ".htm", ".xhtml") or (file == STDIN and start.startswith(HTML_STARTS)):
        return _from_html(text, name)
    return _from_text(text, name)


def _among(file: Path, *ids: str) -> Two:
    """The articles of these ids; the file is read until both are found."""
    from nearcopy.io.files import read_articles

    found: dict[str, Article] = {}
    seen: list[str] = []
    for article in read_articles(file):
        seen.append(article.id)
        if article.id in ids:
            found[article.id] = article
        if len(found) == len(set(ids)):
            break
    for each in ids:
        if each not in found:
            hint = nearest(each, seen[:10_000])
            raise BadArticle(f"no article {each!r:.200} in {file}{hint}: {_ids(seen)}")
    a, b = ids
    return Two(found[a], found[b])


def _ids(seen: list[str]) -> str:
    """What there is to be named."""
    if not seen:
        return "there is none in it"
    some = ", ".join(f"{each:.60}" for each in seen[:IDS_SHOWN])
    return f"its ids are {some}{', ...' if len(seen) > IDS_SHOWN else ''}"


def _stored(store: str, pool: str | None, a: str, b: str) -> Two:
    from nearcopy.cli.open_store import reading

    with reading(store_address(store), pool=pool) as deduper:
        return Two(deduper.article(a), deduper.article(b), deduper.recipe)


def _from_json(text: str, name: str) -> "Article":
    import json

    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as wrong:
        raise BadArticle(f"{name} is not one JSON object: {wrong}") from None
    if not isinstance(values, dict):
        raise BadArticle(f"{name} holds no JSON object; for ids in a list give --in {name}")
    return article_of(values, name)


def article_of(values: dict[str, Any], name: str) -> "Article":
    """The values as an article; one without id has this name."""
    from nearcopy.io.files import Columns, Place, Rejected
    from nearcopy.io.files.rows import read_row

    found = read_row(Place(name, 1), values, Columns().places(tuple(values)))
    if isinstance(found, Rejected):
        raise BadArticle(f"{name}: {found.why}")
    given = found.id_column is not None and values[found.id_column] not in (None, "")
    return found.article if given else replace(found.article, id=name)


def _from_html(text: str, name: str) -> "Article":
    from html import unescape

    from nearcopy.models.model import Article

    title = TITLE.search(text)
    return Article(id=name, title=unescape(title[1]).strip() if title else "", text=text, html=True)


def _from_text(text: str, name: str) -> "Article":
    from nearcopy.models.model import Article

    title, _, body = text.lstrip().partition("\n")
    return Article(id=name, title=title.strip(), text=body.strip())
