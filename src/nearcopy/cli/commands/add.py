"""`nearcopy add`: check articles and add them to a store, atomically."""

from nearcopy.cli.commands.check import (
    CountedVerdicts,
    EvidenceOption,
    ExitCode,
    Files,
    StoredArticles,
    write_verdicts,
)
from nearcopy.cli.inputs import RejectedOption, readable, rows
from nearcopy.cli.options import (
    JsonOption,
    KeepOption,
    PolicyOption,
    PoolOption,
    PresetOption,
    StoreOption,
    ThreadsOption,
    WindowOption,
    store_address,
)
from nearcopy.cli.terminal import reported
from nearcopy.io.settings import settings


@reported
def add(
    files: Files,
    store: StoreOption = None,
    pool: PoolOption = None,
    preset: PresetOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    keep: KeepOption = None,
    rejected: RejectedOption = None,
    threads: ThreadsOption = 1,
    exit_code: ExitCode = False,
    evidence: EvidenceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Check articles and remember them, as one step.

    An article that matches no other is shown as new, or as known where it was in the store
    already, under its own id.
    """
    from nearcopy.cli.open_store import adding

    chosen, address = settings(preset, policy, window, keep), store_address(store)
    with (
        readable(files, rejected) as sources,
        adding(address, *chosen, threads=threads, pool=pool) as deduper,
    ):
        given = StoredArticles(deduper, (row.article for row in rows(sources)))
        found = CountedVerdicts(deduper.run(given), given.known)
        write_verdicts(found, exit_code, evidence, as_json)
