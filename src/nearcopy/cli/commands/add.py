"""`nearcopy add`: check articles and add them to a store, atomically."""

from nearcopy.cli.commands.check import CountedVerdicts, ExitCodeOption, StoredArticles
from nearcopy.cli.inputs import open_inputs, read_rows
from nearcopy.cli.options import (
    EvidenceOption,
    FilesArgument,
    JsonOption,
    PresetKeepOptions,
    RejectedOption,
    StoreOptions,
    ThreadsOption,
)
from nearcopy.cli.terminal import report_errors


@report_errors
def add(
    files: FilesArgument,
    store: StoreOptions,
    decisions: PresetKeepOptions,
    rejected: RejectedOption = None,
    threads: ThreadsOption = 1,
    exit_code: ExitCodeOption = False,
    evidence: EvidenceOption = False,
    as_json: JsonOption = False,
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
        verdicts.write(exit_code=exit_code, evidence=evidence, as_json=as_json)
