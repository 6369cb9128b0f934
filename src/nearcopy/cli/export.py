"""`nearcopy export`: the articles of a store in a file. The work is in `exporting`."""

from typing import Annotated

import typer

from nearcopy.cli.settings import (
    PolicyOption,
    PoolOption,
    StoreOption,
    WindowOption,
    settings,
    store_address,
)
from nearcopy.cli.terminal import reported

Output = Annotated[
    str | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="FILE.jsonl, FILE.parquet, ... also .gz or .zst."
    ),
]
FormatOption = Annotated[
    str | None,
    typer.Option("--format", metavar="FORMAT", help="Where the name of the file does not tell."),
]
All = Annotated[
    bool,
    typer.Option("--all", help="All that `nearcopy import` needs to make the store again."),
]
Json = Annotated[bool, typer.Option("--json", help="The summary as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress and no summary.")]


@reported
def export(
    output: Output = None,
    all_: All = False,
    format_: FormatOption = None,
    store: StoreOption = None,
    pool: PoolOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write the articles of a store to a file, with verdicts."""
    from nearcopy.cli.deduping import checked_format
    from nearcopy.cli.exporting import Job, run

    _, judged = settings(None, policy, window)
    job = Job(
        address=store_address(store),
        pool=pool,
        policy=judged,
        to=output or "-",
        asked=checked_format(format_),
        whole=all_,
        json=as_json,
        quiet=quiet,
    )
    run(job)
