"""`nearcopy boilerplate`: site boilerplate, that is lines shared by many pages of one host."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nearcopy.cli.options import (
    OUT,
    DataOption,
    HtmlOption,
    IdField,
    InputsArgument,
    SourceField,
    TextField,
    UrlField,
    valued,
)
from nearcopy.cli.overwrite_guard import spare
from nearcopy.cli.terminal import add_row, as_lines, reported, show, table, write_lines
from nearcopy.io.files import Columns, Row, Source, read
from nearcopy.models.model import Article

if TYPE_CHECKING:
    from nearcopy.batch.local import Repeated

LONGEST_LINE = 200  # characters that are shown


@reported
def boilerplate(
    files: InputsArgument,
    output: Annotated[
        str | None,
        valued("--output", "FILE", "Where to, for `nearcopy corpus --without`.", OUT, "-o"),
    ] = None,
    least: Annotated[
        int, typer.Option("--least", metavar="PAGES", min=2, help="Of one host that have it.")
    ] = 3,
    as_json: DataOption = False,
    html: HtmlOption = False,
    id_field: IdField = None,
    text_field: TextField = None,
    url_field: UrlField = None,
    source_field: SourceField = None,
) -> None:
    """List the lines that many pages of one host have."""
    from nearcopy.batch.local.boilerplate import line_counts, repeated
    from nearcopy.batch.local.boilerplate import write_lines as write_boilerplate
    from nearcopy.batch.local.inputs import inputs_of

    spare((file.path for file in inputs_of(files)), output)
    columns = Columns(id=id_field, text=text_field, url=url_field, source=source_field)
    counts = line_counts(_read_articles(files, columns, html=html))
    lines = repeated(_read_articles(files, columns, html=html), counts, least)
    if output is not None:
        write_boilerplate(Path(output), lines)
    elif as_lines(as_json):
        write_lines(line._asdict() for line in lines)
    else:
        _show(lines)


def _read_articles(files: Sequence[str], columns: Columns, *, html: bool) -> Iterator[Article]:
    """The articles of files, folders and patterns; rejected rows are skipped."""
    from nearcopy.batch.local.inputs import inputs_of

    for file in inputs_of(files):
        source = Source(file.name, Path(file.path), file.format)
        for row in read(source, columns, html=html):
            if isinstance(row, Row):
                yield row.article


def _show(lines: "Iterable[Repeated]") -> None:
    """A table of the lines of each host, with how many pages have each."""
    shown = table("host", "pages", "line", numbers=["pages"])
    for line in sorted(lines, key=lambda line: (line.host, -line.pages, line.line)):
        add_row(shown, line.host, f"{line.pages:,}", line.line[:LONGEST_LINE])
    show(shown)
