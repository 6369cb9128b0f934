"""Read the rows of a source: articles, or rejected rows with a reason."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from nearcopy.errors import BadArticle, NearcopyError
from nearcopy.io.files.column_names import CONTENT, Columns, join_names
from nearcopy.io.files.csv import read_csv, read_tsv
from nearcopy.io.files.decompress import Stream
from nearcopy.io.files.json import Record, read_json, read_jsonl
from nearcopy.io.files.parquet import read_parquet
from nearcopy.io.files.rows import Rejected, Row, read_row
from nearcopy.io.files.sources import Format, Source, open_sources
from nearcopy.io.files.warc import read_warc
from nearcopy.models import Article

GUESSED = Columns()


def read(
    source: Source, columns: Columns = GUESSED, *, html: bool = False
) -> Iterator[Row | Rejected]:
    """Every row of the source in order, with its own or a derived id."""
    checked = False
    for record in read_records(source):
        if isinstance(record, Rejected):
            yield record
            continue
        place, values = record
        names = tuple(values)
        if not checked:
            check_columns(source.name, source.format, columns, names)
            checked = True
        yield read_row(place, values, columns.places(names), html=html)


def read_articles(
    file: str | Path,
    columns: Columns = GUESSED,
    *,
    format: Format | None = None,  # noqa: A002
    html: bool = False,
) -> Iterator[Article]:
    """The articles of a file with unique ids; raises at the first rejected row."""
    with open_sources([str(file)], format) as sources:
        for row in assign_unique_ids(read(sources[0], columns, html=html)):
            if isinstance(row, Rejected):
                raise BadArticle(f"{row.place.file}, line {row.place.line}: {row.why}")
            yield row.article


def numbered_id(article_id: str, number: int) -> str:
    """The id of the n-th row with the same id: "id#2", "id#3"."""
    return f"{article_id}#{number}"


def first_free_number(article_id: str, number: int, is_taken: Callable[[str], bool]) -> int:
    """The first number from `number` on whose numbered id is not taken."""
    while is_taken(numbered_id(article_id, number)):
        number += 1
    return number


class UniqueIds:
    """Assigns a unique id to every row: a repeated one becomes "id#2", "id#3"."""

    def __init__(self) -> None:
        self.repeated = 0
        self._ids: set[str] = set()
        self._numbers: dict[str, int] = {}

    def __call__(self, row: Row) -> Row:
        """The row, under an id that no earlier row has."""
        unique_id = row.article.id
        if unique_id in self._ids:
            self.repeated += 1
            unique_id = self._number(unique_id)
            row = replace(row, article=replace(row.article, id=unique_id))
        self._ids.add(unique_id)
        return row

    def _number(self, article_id: str) -> str:
        number = self._numbers.get(article_id, 1) + 1
        number = first_free_number(article_id, number, self._ids.__contains__)
        self._numbers[article_id] = number
        return numbered_id(article_id, number)


def assign_unique_ids(
    rows: Iterable[Row | Rejected], unique_ids: UniqueIds | None = None
) -> Iterator[Row | Rejected]:
    """The rows, each under a unique id."""
    assign = unique_ids or UniqueIds()
    for row in rows:
        yield row if isinstance(row, Rejected) else assign(row)


def read_records(source: Source) -> Iterator[Record]:
    """Every record of the source in order, before it is read as an article."""
    with Stream(source.path) as stream:
        match source.format:
            case "jsonl":
                yield from read_jsonl(stream, source.name)
            case "json":
                yield from read_json(stream, source.name)
            case "csv":
                yield from read_csv(stream, source.name)
            case "tsv":
                yield from read_tsv(stream, source.name)
            case "parquet":
                yield from read_parquet(stream, source.name, source.path)
            case "warc":
                yield from read_warc(source.path, source.name)


def check_columns(file: str, format: Format, columns: Columns, names: tuple[str, ...]) -> None:  # noqa: A002
    """Raise where a named column does not exist, or a table has no column of an article."""
    columns.check(names, file)
    places = columns.places(names)
    if format in ("csv", "tsv", "parquet") and not any(places[part] for part in CONTENT):
        raise NearcopyError(
            f"{file} has no column that looks like an id, title, text or url: its columns "
            f"are {join_names(names)}; name them, for instance with --text-field"
        )
