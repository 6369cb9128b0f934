"""`nearcopy check`: look up articles in a store without writing; its output is `add`'s too."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from nearcopy.cli.inputs import RejectedOption, readable, rows
from nearcopy.cli.options import (
    JsonOption,
    PolicyOption,
    PoolOption,
    PresetOption,
    StoreOption,
    WindowOption,
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
from nearcopy.io.settings import settings

if TYPE_CHECKING:
    from nearcopy.deduper.deduper import Deduper
    from nearcopy.models.model import Article, Verdict

BATCH = 512  # articles looked up at once
THERE = "in the store already, under this id"
THERE_OTHERWISE = f"{THERE}, with other content"

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
    """Look whether articles are in a store; nothing is written.

    An article is no duplicate of itself: one that matches no other is shown as new, or as known
    where it is in the store already, under its own id.
    """
    from nearcopy.cli.open_store import reading

    chosen = settings(preset, policy, window)
    with (
        reading(store_address(store), *chosen, pool=pool) as deduper,
        readable(files, rejected) as sources,
    ):
        given = StoredArticles(deduper, (row.article for row in rows(sources)))
        found = CountedVerdicts(map(deduper.check, given), given.known)
        write_verdicts(found, exit_code, evidence, as_json)


class StoredArticles:
    """Articles passed on, and how those are known that the store had before, by their ids."""

    def __init__(self, deduper: "Deduper", articles: Iterable["Article"]) -> None:
        self._deduper, self._articles = deduper, iter(articles)
        self.known: dict[str, str] = {}

    def __iter__(self) -> Iterator["Article"]:
        while batch := list(islice(self._articles, BATCH)):
            there = self._deduper.articles(each.id for each in batch)
            known = (each for each in batch if each.id in there)
            self.known |= {each.id: _how_known(each, there[each.id]) for each in known}
            yield from batch


def _how_known(article: "Article", there: "Article") -> str:
    """Whether the store has it just like this, but for when it came."""
    return THERE if replace(article, seen=there.seen) == there else THERE_OTHERWISE


class CountedVerdicts:
    """Verdicts passed on, how many of them there were, and how their articles were known."""

    def __init__(self, found: Iterable["Verdict"], known: Mapping[str, str]) -> None:
        self._found, self.known = found, known
        self.all = self.duplicates = 0

    def __iter__(self) -> Iterator["Verdict"]:
        for verdict in self._found:
            self.all += 1
            self.duplicates += verdict.is_duplicate
            yield verdict


def write_verdicts(found: CountedVerdicts, exit_code: bool, evidence: bool, as_json: bool) -> None:
    """Writes the verdicts, the count, and ends with the code that was asked for."""
    from nearcopy.io.serializers.answers import verdict_row

    if as_json:
        write_lines(verdict_row(each, evidence=evidence) for each in found)
    else:
        _show(found)
    copies = counted(found.duplicates, "duplicate")
    noted(f"{counted(found.all, 'article')}, {copies}")
    if exit_code and found.duplicates:
        raise typer.Exit(ANSWER_NO)


def _show(found: CountedVerdicts) -> None:
    shown = table("article", "is", "of", "sure", "because", numbers=["sure"], least=["sure"])
    for each in found:
        style = "green" if each.is_duplicate else None
        known = None if each.match else found.known.get(each.id)
        kind = each.relation if each.match else "known" if known else "new"
        sure = each.confidence if each.match else None
        why = "; ".join(_why(each, known))
        add_row(shown, each.id, kind, each.match, sure, why, style=style)
    show(shown)


def _why(found: "Verdict", known: str | None) -> Iterator[str]:
    """How it was known, the reasons of the match, and the kept copy where that is another."""
    if known:
        yield known
    yield from found.reasons
    if found.duplicate_of not in (None, found.match):
        yield f"kept: {found.duplicate_of}"
