"""`nearcopy add`: check articles and add them to a store, atomically."""

from nearcopy.cli.commands.check import CountedVerdicts, StoredArticles, VerdictOptions
from nearcopy.cli.inputs import open_inputs, read_rows
from nearcopy.cli.options import (
    FilesArgument,
    PresetKeepOptions,
    RejectedOption,
    StoreOptions,
    ThreadsOption,
)


def add(
    files: FilesArgument,
    store: StoreOptions,
    decisions: PresetKeepOptions,
    rejected: RejectedOption = None,
    threads: ThreadsOption = 1,
    *,
    output: VerdictOptions,
) -> None:
    """Check articles and add them to a store, atomically.

    An article that matches no other is shown as new, or as stored where the store already has its
    id.
    """
    from nearcopy.cli.open_store import open_deduper

    with (
        open_inputs(files, rejected) as sources,
        open_deduper(store, decisions, threads=threads) as deduper,
    ):
        articles = StoredArticles(deduper, (row.article for row in read_rows(sources)))
        verdicts = CountedVerdicts(deduper.run(articles), articles.stored)
        verdicts.write(output)
