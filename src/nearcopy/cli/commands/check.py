"""`nearcopy check`: look up articles in a store without writing; `add` has the same output."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

import typer

from nearcopy.cli.inputs import open_inputs, read_rows
from nearcopy.cli.options import (
    FilesArgument,
    JsonOption,
    PresetOptions,
    RejectedOption,
    StoreOptions,
    flag,
)
from nearcopy.cli.tables import add_row, make_table
from nearcopy.cli.terminal import ANSWER_NO, format_count, note, show, write_json_lines
from nearcopy.models import Article, Verdict

if TYPE_CHECKING:
    from nearcopy.deduper.deduper import Deduper

BATCH = 512  # articles looked up at once
STORED = "the store already has this id"
CHANGED = f"{STORED}, with other content"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictOptions:
    """What is written of verdicts."""

    exit_code: bool = flag("Exit with 1 if any is a duplicate.", None)
    evidence: bool = flag("With --json: include the evidence.", None)
    as_json: JsonOption = False


def check(
    files: FilesArgument,
    store: StoreOptions,
    decisions: PresetOptions,
    rejected: RejectedOption = None,
    *,
    output: VerdictOptions,
) -> None:
    """Check whether articles are in a store; nothing is written.

    An article is no duplicate of itself: one that matches no other is shown as new, or as stored
    where the store already has its id.
    """
    from nearcopy.cli.open_store import open_existing

    with open_existing(store, decisions) as deduper, open_inputs(files, rejected) as sources:
        articles = StoredArticles(deduper, (row.article for row in read_rows(sources)))
        verdicts = CountedVerdicts(map(deduper.check, articles), articles.stored)
        verdicts.write(output)


class StoredArticles:
    """Iterates over articles; `stored` says which ids the store had before, and how."""

    def __init__(self, deduper: "Deduper", articles: Iterable[Article]) -> None:
        self._deduper, self._articles = deduper, iter(articles)
        self.stored: dict[str, str] = {}

    def __iter__(self) -> Iterator[Article]:
        while batch := list(islice(self._articles, BATCH)):
            stored = self._deduper.articles(article.id for article in batch)
            for article in batch:
                if article.id in stored:
                    self.stored[article.id] = _compare_stored(article, stored[article.id])
            yield from batch


def _compare_stored(article: Article, stored: Article) -> str:
    """Whether the content is the same, apart from the time it was seen."""
    return STORED if replace(article, seen=stored.seen) == stored else CHANGED


class CountedVerdicts:
    """Iterates over verdicts, and counts them."""

    def __init__(self, verdicts: Iterable[Verdict], stored: Mapping[str, str]) -> None:
        self._verdicts, self._stored = verdicts, stored
        self.all = self.duplicates = 0

    def __iter__(self) -> Iterator[Verdict]:
        for verdict in self._verdicts:
            self.all += 1
            self.duplicates += verdict.is_duplicate
            yield verdict

    def write(self, output: VerdictOptions) -> None:
        """Write the verdicts and their count; with `exit_code` exit with 1 on a duplicate."""
        from nearcopy.io.serializers import verdict_row

        if output.as_json:
            write_json_lines(verdict_row(verdict, evidence=output.evidence) for verdict in self)
        else:
            self._show()
        duplicates = format_count(self.duplicates, "duplicate")
        note(f"{format_count(self.all, 'article')}, {duplicates}")
        if output.exit_code and self.duplicates:
            raise typer.Exit(ANSWER_NO)

    def _show(self) -> None:
        columns = ("article", "is", "of", "sure", "because")
        table = make_table(*columns, numbers=["sure"], optional=["sure"])
        for verdict in self:
            style = "green" if verdict.is_duplicate else None
            stored = None if verdict.match else self._stored.get(verdict.id)
            kind = verdict.relation if verdict.match else "stored" if stored else "new"
            confidence = verdict.confidence if verdict.match else None
            reasons = "; ".join(_reasons(verdict, stored))
            add_row(table, verdict.id, kind, verdict.match, confidence, reasons, style=style)
        show(table)


def _reasons(verdict: Verdict, stored: str | None) -> Iterator[str]:
    """The reasons of the match, and the kept copy where that is another article."""
    if stored:
        yield stored
    yield from verdict.reasons
    if verdict.duplicate_of not in (None, verdict.match):
        yield f"kept: {verdict.duplicate_of}"
