"""`nearcopy spark`: whole corpora on many machines. The work is in `clusters`."""

from typing import Annotated

import typer

from nearcopy.cli.corpus import WORK
from nearcopy.cli.dedupe import IN, OUT, column, flag
from nearcopy.cli.settings import (
    KeepOption,
    PolicyOption,
    PresetOption,
    WindowOption,
    YesOption,
)
from nearcopy.cli.terminal import reported


@reported
def spark(
    source: Annotated[
        str, typer.Argument(metavar="IN", help="A file, folder or pattern that Spark can read.")
    ],
    output: Annotated[str, typer.Argument(metavar="OUT", help="The folder to write to.")],
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORM",
            rich_help_panel=OUT,
            help="annotations: every row with what it is; clean: what is kept, as it was.",
        ),
    ] = "annotations",
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            rich_help_panel=IN,
            help="parquet, json or csv, of both; else told by the name, or parquet.",
        ),
    ] = None,
    yes: YesOption = False,
    as_json: Annotated[bool, flag("--json", "The summary as JSON.")] = False,
    quiet: Annotated[bool, flag("--quiet", "No summary.")] = False,
    preset: PresetOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    keep: KeepOption = None,
    master: Annotated[
        str | None,
        typer.Option(
            "--master",
            metavar="URL",
            rich_help_panel=WORK,
            help="The cluster: spark://host:7077, local[4]; else as spark-submit says.",
        ),
    ] = None,
    work: Annotated[
        str | None,
        typer.Option(
            "--work",
            metavar="FOLDER",
            rich_help_panel=WORK,
            help="What is begun and not done, seen by all machines; else beside OUT.",
        ),
    ] = None,
    partitions: Annotated[
        int | None,
        typer.Option(
            "--partitions",
            metavar="COUNT",
            rich_help_panel=WORK,
            help="Into how many parts rows are shuffled; else as Spark is set.",
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
    """Mark or remove duplicates on a cluster of Spark.

    Texts alone are compared, by the preset copies, unless --preset or --policy says otherwise:
    no title, figure or name keeps two apart then.
    """
    from nearcopy.cli.clusters import Asked, run
    from nearcopy.cli.corpora import judged_by
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
    asked = Asked(
        source=source,
        output=output,
        form=form,
        kind=kind,
        master=master,
        work=work,
        partitions=partitions,
        columns=columns,
        html=html,
        yes=yes,
        json=as_json,
        quiet=quiet,
    )
    run(asked, *judged_by(preset, policy, window, keep))
