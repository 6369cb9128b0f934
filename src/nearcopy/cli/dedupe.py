"""`nearcopy dedupe`: every article of a file beside its verdict. The work is in `deduping`."""

from typing import Annotated, Any

import typer

from nearcopy.cli.settings import (
    KeepOption,
    PolicyOption,
    PoolOption,
    PresetOption,
    StoreOption,
    ThreadsOption,
    WindowOption,
    YesOption,
)
from nearcopy.cli.terminal import reported

IN = "What is read"
OUT = "What is written"


def column(part: str, what: str) -> Any:
    """An option that names a column."""
    return typer.Option(f"--{part}-field", metavar="COLUMN", rich_help_panel=IN, help=what)


def to(flag: str, what: str, *more: str) -> Any:
    """An option that names a file to write to."""
    return typer.Option(*more, flag, metavar="FILE", rich_help_panel=OUT, help=what)


def flag(name: str, what: str, panel: str = OUT) -> Any:
    """An option without a value."""
    return typer.Option(name, rich_help_panel=panel, help=what)


def _format(flag: str, what: str, panel: str) -> Any:
    return typer.Option(flag, metavar="FORMAT", rich_help_panel=panel, help=what)


@reported
def dedupe(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="JSONL, JSON, CSV, TSV or Parquet, also as .gz or .zst; - for stdin.",
        ),
    ],
    output: Annotated[str | None, to("--output", "Where to; else stdout.", "-o")] = None,
    format_: Annotated[
        str | None, _format("--format", "jsonl, json, csv, tsv or parquet.", OUT)
    ] = None,
    apply: Annotated[bool, flag("--apply", "Write only what is kept.")] = False,
    removed: Annotated[str | None, to("--removed", "With --apply: the rest.")] = None,
    rejected: Annotated[
        str | None, to("--rejected", "Rows that are no articles; without it they stop the run.")
    ] = None,
    merge: Annotated[
        bool, flag("--merge", "With --apply: fill what is kept from its copies, and list them.")
    ] = False,
    yes: YesOption = False,
    as_json: Annotated[bool, flag("--json", "The summary as JSON; data on terminals.")] = False,
    quiet: Annotated[bool, flag("--quiet", "No progress and no summary.")] = False,
    preset: PresetOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    keep: KeepOption = None,
    store: StoreOption = None,
    pool: PoolOption = None,
    jobs: ThreadsOption = 0,
    input_format: Annotated[
        str | None, _format("--input-format", "Where neither name nor content tell.", IN)
    ] = None,
    html: Annotated[bool, flag("--html", "The texts are HTML.", IN)] = False,
    id_field: Annotated[str | None, column("id", "The id; else guessed, as all these.")] = None,
    title_field: Annotated[str | None, column("title", "The headline.")] = None,
    text_field: Annotated[str | None, column("text", "The body.")] = None,
    url_field: Annotated[str | None, column("url", "The address.")] = None,
    canonical_url_field: Annotated[
        str | None, column("canonical-url", "The address that the page itself declares.")
    ] = None,
    source_field: Annotated[str | None, column("source", "The outlet.")] = None,
    published_field: Annotated[str | None, column("published", "When it was published.")] = None,
    seen_field: Annotated[str | None, column("seen", "When it was taken in.")] = None,
    language_field: Annotated[str | None, column("language", "Its language.")] = None,
    tier_field: Annotated[str | None, column("tier", "The trust in its source, 1 first.")] = None,
    html_field: Annotated[str | None, column("html", "Whether its text is HTML.")] = None,
) -> None:
    """Find duplicates in files: every row, with its verdict."""
    from nearcopy.cli.deduping import MEMORY, Job, checked_format, run
    from nearcopy.cli.settings import settings, store_address
    from nearcopy.formats import Columns

    recipe, judged = settings(preset, policy, window, keep)
    columns = Columns(
        id=id_field,
        title=title_field,
        text=text_field,
        url=url_field,
        canonical_url=canonical_url_field,
        source=source_field,
        published=published_field,
        seen=seen_field,
        language=language_field,
        tier=tier_field,
        html=html_field,
    )
    job = Job(
        files=tuple(files),
        columns=columns,
        html=html,
        input_format=checked_format(input_format),
        format=checked_format(format_),
        output=output,
        apply=apply,
        removed=removed,
        rejected=rejected,
        merge=merge,
        recipe=recipe,
        policy=judged,
        address=store_address(store) if store else MEMORY,
        pool=pool,
        threads=jobs,
        yes=yes,
        json=as_json,
        quiet=quiet,
    )
    run(job)
