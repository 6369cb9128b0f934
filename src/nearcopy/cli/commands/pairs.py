"""`nearcopy pairs`: all pairs of articles in a file whose texts overlap."""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearcopy.cli.inputs import RejectedOption, readable, rows
from nearcopy.cli.options import DataOption, PolicyOption, PresetOption, ThreadsOption, WindowOption
from nearcopy.cli.terminal import (
    add_row,
    as_lines,
    noted,
    reported,
    show,
    table,
    write_lines,
)
from nearcopy.io.settings import settings

if TYPE_CHECKING:
    from nearcopy.config import Policy, Recipe
    from nearcopy.match.compare import Overlap
    from nearcopy.models.model import Article

Found = tuple[str, str, "Overlap"]
BATCH = 4096  # pairs judged at once
SHOWN = 50  # pairs on a terminal


class Words(StrEnum):
    """What counts as the same word."""

    WRITTEN = "written"
    FOLDED = "folded"


@reported
def pairs(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE", help="Articles in any format, or - for stdin.")
    ],
    min_overlap: Annotated[
        float,
        typer.Option(
            "--min-overlap", metavar="X", help="The least share of shingles in common, 0 to 1."
        ),
    ] = 0.5,
    shingle: Annotated[
        int | None,
        typer.Option(
            "--shingle", metavar="K", min=1, max=64, help="Words in a shingle; else the recipe's."
        ),
    ] = None,
    words: Annotated[
        Words,
        typer.Option(
            "--words", help="As they are written, case aside, or folded as in fingerprints."
        ),
    ] = Words.WRITTEN,
    preset: PresetOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    rejected: RejectedOption = None,
    threads: ThreadsOption = 1,
    as_json: DataOption = False,
) -> None:
    """Find all pairs of texts that overlap enough, exactly."""
    from nearcopy.config import Features, Recipe
    from nearcopy.match.exact_join import pairs as joined

    recipe, judged = settings(preset, policy, window)
    recipe = recipe or Recipe()
    features = Features("words", shingle) if shingle else None
    with readable(files, rejected) as sources:
        articles = {row.article.id: row.article for row in rows(sources)}
    found = joined(
        articles.values(),
        min_overlap,
        features=features,
        recipe=recipe,
        words=words.value,
        threads=threads,
    )
    answers = _rows(found, articles, recipe, judged)
    if as_lines(as_json):
        write_lines(answers)
    else:
        _show(answers)


def _rows(
    found: Iterable[Found], articles: dict[str, "Article"], recipe: "Recipe", policy: "Policy"
) -> Iterator[dict[str, Any]]:
    """A row a pair, with what the two are to each other."""
    from nearcopy.fingerprint.fingerprint import fingerprints
    from nearcopy.match.judge_pairs import judged

    rest = iter(found)
    while batch := list(islice(rest, BATCH)):
        ids = sorted({name for a, b, _ in batch for name in (a, b)})
        made = dict(zip(ids, fingerprints((articles[n] for n in ids), recipe), strict=True))
        pairs = [(made[a], made[b]) for a, b, _ in batch]
        judgements = judged(
            pairs, recipe, policy, lambda ids: {n: articles[n] for n in sorted(ids)}
        )
        for (a, b, overlap), judgement in zip(batch, judgements, strict=True):
            yield {
                "a": a,
                "b": b,
                "overlap": overlap.jaccard,
                "containment": overlap.containment,
                "relation": str(judgement.decision.relation),
            }


def _show(rows: Iterator[dict[str, Any]]) -> None:
    columns = ("a", "b", "overlap", "containment", "relation")
    shown = table(*columns, numbers=["overlap", "containment"], least=["containment"])
    for row in islice(rows, SHOWN):
        add_row(shown, *row.values())
    show(shown)
    more = sum(1 for _ in rows)
    if more:
        noted(f"and {more:,} more; all come with --json, or into a file: nearcopy pairs ... > FILE")
