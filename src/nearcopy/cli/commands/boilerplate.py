"""`nearcopy boilerplate`: site boilerplate, the lines that many pages of one host share."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nearcopy.cli.inputs import refuse_overwrite
from nearcopy.cli.options import (
    OUT,
    DataOption,
    HtmlOption,
    IdField,
    InputsArgument,
    SourceField,
    TextField,
    UrlField,
    option,
)
from nearcopy.cli.tables import add_row, make_table
from nearcopy.cli.terminal import show, wants_json_lines, write_json_lines
from nearcopy.io.files import Columns, Row, Source, read
from nearcopy.models import Article

if TYPE_CHECKING:
    from nearcopy.batch.local import Repeated

MAX_LINE_CHARS = 200


def boilerplate(
    files: InputsArgument,
    output: str | None = option(
        "FILE", "File for `nearcopy corpus --boilerplate`.", OUT, names=("-o", "--output")
    ),
    min_pages: int = option("N", "Pages of a host that share it.", default=3, min=2),
    as_json: DataOption = False,
    html: HtmlOption = False,
    id_field: IdField = None,
    text_field: TextField = None,
    url_field: UrlField = None,
    source_field: SourceField = None,
) -> None:
    """List the lines that many pages of one host share."""
    from nearcopy.batch.local.boilerplate import line_counts, repeated
    from nearcopy.batch.local.boilerplate import write_lines as write_boilerplate
    from nearcopy.batch.local.corpus_job import find_inputs

    refuse_overwrite((file.path for file in find_inputs(files)), output)
    columns = Columns(id=id_field, text=text_field, url=url_field, source=source_field)
    counts = line_counts(_read_articles(files, columns, html=html))
    lines = repeated(_read_articles(files, columns, html=html), counts, min_pages)
    if output is not None:
        write_boilerplate(Path(output), lines)
    elif wants_json_lines(as_json):
        write_json_lines(line._asdict() for line in lines)
    else:
        _show(lines)


def _read_articles(files: Sequence[str], columns: Columns, *, html: bool) -> Iterator[Article]:
    """The articles of files, folders and patterns; rejected rows are skipped."""
    from nearcopy.batch.local.corpus_job import find_inputs

    for file in find_inputs(files):
        source = Source(file.name, Path(file.path), file.format)
        for row in read(source, columns, html=html):
            if isinstance(row, Row):
                yield row.article


def _show(lines: "Iterable[Repeated]") -> None:
    """Print the lines of each host, with the number of pages that share each."""
    table = make_table("host", "pages", "line", numbers=["pages"])
    for line in sorted(lines, key=lambda line: (line.host, -line.pages, line.line)):
        add_row(table, line.host, f"{line.pages:,}", line.line[:MAX_LINE_CHARS])
    show(table)
