"""`nearcopy import`: articles from a file, or a whole export. The work is in `importing`."""

from typing import Annotated

import typer

from nearcopy.cli.articles import RejectedOption
from nearcopy.cli.settings import (
    JsonOption,
    KeepOption,
    PolicyOption,
    PoolOption,
    PresetOption,
    StoreOption,
    ThreadsOption,
    WindowOption,
    settings,
    store_address,
)
from nearcopy.cli.terminal import reported

File = Annotated[
    str, typer.Argument(metavar="FILE", help="What `export` wrote, or any articles; - for stdin.")
]
ArticlesOnly = Annotated[
    bool,
    typer.Option("--articles-only", help="Of a whole export the articles alone, as they are now."),
]


@reported
def import_(
    file: File,
    store: StoreOption = None,
    pool: PoolOption = None,
    articles_only: ArticlesOnly = False,
    preset: PresetOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    keep: KeepOption = None,
    rejected: RejectedOption = None,
    threads: ThreadsOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Take in a file that `export` wrote, or any articles.

    What was written with --all makes the store again: runs, revisions, what people said, and the
    ids of stories. It goes into an empty store; stopped and started again, it goes on.
    """
    from nearcopy.cli.importing import Job, run

    recipe, judged = settings(preset, policy, window, keep)
    job = Job(
        file=file,
        address=store_address(store),
        pool=pool,
        articles_only=articles_only,
        recipe=recipe,
        policy=judged,
        rejected=rejected,
        threads=threads,
        json=as_json,
    )
    run(job)
