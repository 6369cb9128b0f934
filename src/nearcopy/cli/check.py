"""`nearcopy check` and `nearcopy add`: have these articles been published before?"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from nearcopy.cli.articles import RejectedOption, readable, rows
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
from nearcopy.cli.terminal import (
    ANSWER_NO,
    add_row,
    counted,
    noted,
    reported,
    show,
    table,
    write_lines,
)

if TYPE_CHECKING:
    from nearcopy.model import Verdict

Files = Annotated[
    list[str], typer.Argument(metavar="FILE", help="Articles in any format, or - for stdin.")
]
ExitCode = Annotated[bool, typer.Option("--exit-code", help="Exit with 1 if any is a duplicate.")]
EvidenceOption = Annotated[
    bool, typer.Option("--evidence", help="With --json: what was measured, too.")
]


@reported
def check(
    files: Files,
    store: StoreOption = None,
    pool: PoolOption = None,
    preset: PresetOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    rejected: RejectedOption = None,
    exit_code: ExitCode = False,
    evidence: EvidenceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Look whether articles are in a store; nothing is written."""
    from nearcopy.cli.stored import reading

    chosen = settings(preset, policy, window)
    with (
        reading(store_address(store), *chosen, pool=pool) as deduper,
        readable(files, rejected) as sources,
    ):
        found = (deduper.check(row.article) for row in rows(sources))
        _answer(found, exit_code, evidence, as_json)


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
    """Check articles and remember them, as one step."""
    from nearcopy.cli.stored import adding

    chosen, address = settings(preset, policy, window, keep), store_address(store)
    with (
        readable(files, rejected) as sources,
        adding(address, *chosen, threads=threads, pool=pool) as deduper,
    ):
        found = deduper.run(row.article for row in rows(sources))
        _answer(found, exit_code, evidence, as_json)


class _Counted:
    """Verdicts passed on, and how many of them there were."""

    def __init__(self, found: Iterable["Verdict"]) -> None:
        self._found = found
        self.all = self.duplicates = 0

    def __iter__(self) -> Iterator["Verdict"]:
        for verdict in self._found:
            self.all += 1
            self.duplicates += verdict.is_duplicate
            yield verdict


def _answer(found: Iterable["Verdict"], exit_code: bool, evidence: bool, as_json: bool) -> None:
    """Writes the verdicts, the count, and ends with the code that was asked for."""
    from nearcopy.formats.answers import verdict_row

    passed = _Counted(found)
    if as_json:
        write_lines(verdict_row(each, evidence=evidence) for each in passed)
    else:
        _show(passed)
    copies = counted(passed.duplicates, "duplicate")
    noted(f"{counted(passed.all, 'article')}, {copies}")
    if exit_code and passed.duplicates:
        raise typer.Exit(ANSWER_NO)


def _show(found: Iterable["Verdict"]) -> None:
    shown = table("article", "is", "of", "sure", "because", numbers=["sure"], least=["sure"])
    for each in found:
        style = "green" if each.is_duplicate else None
        kind = each.relation if each.match else "new"
        sure = each.confidence if each.match else None
        add_row(shown, each.id, kind, each.match, sure, "; ".join(_why(each)), style=style)
    show(shown)


def _why(found: "Verdict") -> Iterator[str]:
    """The reasons, which are those of the match, and the kept copy where that is another."""
    yield from found.reasons
    if found.duplicate_of not in (None, found.match):
        yield f"kept: {found.duplicate_of}"
