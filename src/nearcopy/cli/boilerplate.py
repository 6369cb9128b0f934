"""`nearcopy boilerplate`: lines that many pages of one host have."""

from pathlib import Path
from typing import Annotated

import typer

from nearcopy.cli.dedupe import IN, column, flag, to
from nearcopy.cli.settings import DataOption
from nearcopy.cli.spared import spare
from nearcopy.cli.terminal import reported


@reported
def boilerplate(
    files: Annotated[list[str], typer.Argument(metavar="IN", help="Files, folders and patterns.")],
    output: Annotated[
        str | None, to("--output", "Where to, for `nearcopy corpus --without`.", "-o")
    ] = None,
    least: Annotated[
        int, typer.Option("--least", metavar="PAGES", min=2, help="Of one host that have it.")
    ] = 3,
    as_json: DataOption = False,
    html: Annotated[bool, flag("--html", "The texts are HTML.", IN)] = False,
    id_field: Annotated[str | None, column("id", "The id; else guessed, as all these.")] = None,
    text_field: Annotated[str | None, column("text", "The body.")] = None,
    url_field: Annotated[str | None, column("url", "The address.")] = None,
    source_field: Annotated[str | None, column("source", "The outlet.")] = None,
) -> None:
    """List the lines that many pages of one host have."""
    from nearcopy.cli.corpora import articles_in, show_lines
    from nearcopy.corpus.boilerplate import line_counts, repeated, write_lines
    from nearcopy.corpus.inputs import inputs_of
    from nearcopy.formats import Columns

    spare((each.path for each in inputs_of(files)), output)
    columns = Columns(id=id_field, text=text_field, url=url_field, source=source_field)
    counts = line_counts(articles_in(files, columns, html=html))
    found = repeated(articles_in(files, columns, html=html), counts, least)
    if output is None:
        show_lines(found, as_json=as_json)
    else:
        write_lines(Path(output), found)
