"""`nearcopy pairs`: all pairs of articles in files whose texts overlap, by an exact join."""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import islice, tee
from typing import TYPE_CHECKING, Any

from nearcopy.cli.inputs import open_inputs, read_rows
from nearcopy.cli.options import (
    DataOption,
    FilesArgument,
    PresetOptions,
    RejectedOption,
    ThreadsOption,
    option,
)
from nearcopy.cli.tables import add_row, make_table
from nearcopy.cli.terminal import note, show, wants_json_lines, write_json_lines
from nearcopy.config import Features, Policy, Recipe
from nearcopy.models import Article

if TYPE_CHECKING:
    from nearcopy.match.compare import Overlap

OverlappingPair = tuple[str, str, "Overlap"]
SHOWN = 50  # pairs on a terminal


class Words(StrEnum):
    """Which words count as equal."""

    WRITTEN = "written"
    FOLDED = "folded"


def pairs(
    files: FilesArgument,
    decisions: PresetOptions,
    min_overlap: float = option("X", "Minimum share of common shingles, 0 to 1.", default=0.5),
    shingle: int | None = option("K", "Words per shingle; else the recipe's.", min=1, max=64),
    words: Words = option(
        None, "Compare words as written, but for case, or folded.", default=Words.WRITTEN
    ),
    rejected: RejectedOption = None,
    threads: ThreadsOption = 1,
    as_json: DataOption = False,
) -> None:
    """Find all pairs of texts that overlap, exactly."""
    from nearcopy.match.exact_join import find_similar_pairs as find_pairs

    recipe, policy = decisions.load()
    recipe = recipe or Recipe()
    with open_inputs(files, rejected) as sources:
        articles = {row.article.id: row.article for row in read_rows(sources)}
    overlapping = find_pairs(
        articles.values(),
        min_overlap,
        features=Features("words", shingle) if shingle else None,
        recipe=recipe,
        words=words.value,
        threads=threads,
    )
    rows = _rows(overlapping, articles, recipe, policy)
    write_json_lines(rows) if wants_json_lines(as_json) else _show(rows)


def _rows(
    overlapping: Iterable[OverlappingPair],
    articles: dict[str, Article],
    recipe: Recipe,
    policy: Policy,
) -> Iterator[dict[str, Any]]:
    """A row per pair, with the relation of the two."""
    from nearcopy.match.judgement import judge_articles

    overlapping, judged_pairs = tee(overlapping)
    article_pairs = ((articles[a], articles[b]) for a, b, _ in judged_pairs)
    judgements = judge_articles(article_pairs, recipe, policy)
    for judgement, (a, b, overlap) in zip(judgements, overlapping, strict=True):
        yield {
            "a": a,
            "b": b,
            "overlap": overlap.jaccard,
            "containment": overlap.containment,
            "relation": str(judgement.decision.relation),
        }


def _show(rows: Iterator[dict[str, Any]]) -> None:
    columns = ("a", "b", "overlap", "containment", "relation")
    table = make_table(*columns, numbers=["overlap", "containment"], optional=["containment"])
    for row in islice(rows, SHOWN):
        add_row(table, *row.values())
    show(table)
    more = sum(1 for _ in rows)
    if more:
        note(f"and {more:,} more; write all with --json, or to a file: nearcopy pairs ... > FILE")
