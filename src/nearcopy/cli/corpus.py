"""`nearcopy corpus`: whole corpora, file by file, without a store. The work is in `corpora`."""

from typing import Annotated

import typer

from nearcopy.cli.dedupe import IN, OUT, column, flag, to
from nearcopy.cli.settings import (
    KeepOption,
    PolicyOption,
    PresetOption,
    ThreadsOption,
    WindowOption,
    YesOption,
)
from nearcopy.cli.terminal import reported

WORK = "How it is done"


@reported
def corpus(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="IN",
            help="Files, folders and patterns: JSONL, JSON, CSV, TSV or Parquet, also packed.",
        ),
    ],
    output: Annotated[str, to("--output", "The folder to write to, or a file.", "-o")],
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORM",
            rich_help_panel=OUT,
            help="annotations: every row with what it is; clean: what is kept, as it was.",
        ),
    ] = "annotations",
    rejected: Annotated[
        str | None, to("--rejected", "Rows that are no articles; without it they stop the run.")
    ] = None,
    yes: YesOption = False,
    as_json: Annotated[bool, flag("--json", "The summary as JSON.")] = False,
    quiet: Annotated[bool, flag("--quiet", "No progress and no summary.")] = False,
    preset: PresetOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    keep: KeepOption = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            metavar="IN|STORE",
            rich_help_panel=IN,
            help="Compare with these files, or this store, too; none of it is written.",
        ),
    ] = None,
    sample: Annotated[
        float | None,
        typer.Option(
            "--sample", metavar="SHARE", rich_help_panel=IN, help="Only a share of the rows."
        ),
    ] = None,
    without: Annotated[
        str | None,
        typer.Option(
            "--without",
            metavar="LINES",
            rich_help_panel=IN,
            help="Lines to leave out of texts, as `nearcopy boilerplate` finds them.",
        ),
    ] = None,
    jobs: ThreadsOption = 0,
    memory: Annotated[
        str,
        typer.Option(
            "--memory", metavar="SIZE", rich_help_panel=WORK, help="To be used at most, about."
        ),
    ] = "4GB",
    work: Annotated[
        str | None,
        typer.Option(
            "--work",
            metavar="FOLDER",
            rich_help_panel=WORK,
            help="What is begun and not done; else beside the output.",
        ),
    ] = None,
    html: Annotated[bool, flag("--html", "The texts are HTML.", IN)] = False,
    id_field: Annotated[str | None, column("id", "The id; else guessed, as all these.")] = None,
    title_field: Annotated[str | None, column("title", "The headline.")] = None,
    text_field: Annotated[str | None, column("text", "The body.")] = None,
    url_field: Annotated[str | None, column("url", "The address.")] = None,
    source_field: Annotated[str | None, column("source", "The outlet.")] = None,
    published_field: Annotated[str | None, column("published", "When it was published.")] = None,
    html_field: Annotated[str | None, column("html", "Whether its text is HTML.")] = None,
) -> None:
    """Mark or remove the duplicates of a whole corpus.

    Texts alone are compared, by the preset copies, unless --preset or --policy says otherwise:
    no title, figure or name keeps two apart then.
    """
    from nearcopy.cli.corpora import Asked, run
    from nearcopy.formats import Columns

    columns = Columns(
        id=id_field,
        title=title_field,
        text=text_field,
        url=url_field,
        source=source_field,
        published=published_field,
        html=html_field,
    )
    run(
        Asked(
            files=tuple(files),
            output=output,
            form=form,
            rejected=rejected,
            against=tuple(against or ()),
            sample=sample,
            without=without,
            jobs=jobs,
            memory=memory,
            work=work,
            columns=columns,
            html=html,
            yes=yes,
            json=as_json,
            quiet=quiet,
        ),
        preset,
        policy,
        window,
        keep,
    )
