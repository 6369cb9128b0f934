"""Reading: every row of a source, as an article or with the reason why it is none."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from nearcopy.errors import BadArticle, NearcopyError
from nearcopy.formats.columns import CONTENT, Columns, listed
from nearcopy.formats.jsons import Record, read_json, read_jsonl
from nearcopy.formats.parquet import read_parquet
from nearcopy.formats.rows import Rejected, Row, row
from nearcopy.formats.sources import Format, Source, opened
from nearcopy.formats.streams import Stream
from nearcopy.formats.tables import read_csv, read_tsv
from nearcopy.formats.warcs import read_warc
from nearcopy.model import Article

GUESSED = Columns()


def read(
    source: Source, columns: Columns = GUESSED, *, html: bool = False
) -> Iterator[Row | Rejected]:
    """Every row of the source in its order, with the id it has or is given."""
    checked = False
    for record in records(source):
        if isinstance(record, Rejected):
            yield record
            continue
        place, values = record
        names = tuple(values)
        if not checked:
            check_columns(source.name, source.format, columns, names)
            checked = True
        yield row(place, values, columns.places(names), html=html)


def read_articles(
    file: str | Path,
    columns: Columns = GUESSED,
    *,
    format: Format | None = None,  # noqa: A002
    html: bool = False,
) -> Iterator[Article]:
    """The articles of a file, each with an id of its own; raises at the first row that is none."""
    with opened([str(file)], format) as sources:
        for found in own_ids(read(sources[0], columns, html=html)):
            if isinstance(found, Rejected):
                raise BadArticle(f"{found.place.file}, line {found.place.line}: {found.why}")
            yield found.article


class OwnIds:
    """Gives every row an id of its own: one that comes again becomes "id#2", "id#3"."""

    def __init__(self) -> None:
        self.repeated = 0
        self._taken: set[str] = set()
        self._times: dict[str, int] = {}

    def __call__(self, found: Row) -> Row:
        """The row, under an id that none before it had."""
        wanted = found.article.id
        if wanted not in self._taken:
            self._taken.add(wanted)
            return found
        self.repeated += 1
        given = self._free(wanted)
        self._taken.add(given)
        return replace(found, article=replace(found.article, id=given))

    def _free(self, wanted: str) -> str:
        times = self._times.get(wanted, 1) + 1
        while f"{wanted}#{times}" in self._taken:
            times += 1
        self._times[wanted] = times
        return f"{wanted}#{times}"


def own_ids(
    rows: Iterable[Row | Rejected], names: OwnIds | None = None
) -> Iterator[Row | Rejected]:
    """The rows, each under an id of its own."""
    own = names or OwnIds()
    for found in rows:
        yield found if isinstance(found, Rejected) else own(found)


def records(source: Source) -> Iterator[Record]:
    """Every record of the source in its order, before anything is made of it."""
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
    """Raises where a column asked for is not there, or a table has none that says anything."""
    columns.check(names, file)
    places = columns.places(names)
    if format in ("csv", "tsv", "parquet") and not any(places[part] for part in CONTENT):
        raise NearcopyError(
            f"{file} has no column that looks like an id, title, text or url: its columns "
            f"are {listed(names)}; name them, for instance with --text-field"
        )
