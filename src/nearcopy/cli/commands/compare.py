"""`nearcopy compare`: the relation of two articles, or of each pair in a file."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import tee
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from nearcopy.cli.inputs import PairOptions, parse_article, refuse_overwrite, reject_rows
from nearcopy.cli.options import JsonOption, PresetOptions, RejectedOption, option
from nearcopy.cli.terminal import report_errors, show, write_json_lines
from nearcopy.errors import BadArticle

if TYPE_CHECKING:
    from nearcopy.config import Policy, Recipe
    from nearcopy.io.files import Place, Rejected, Source
    from nearcopy.models import Article

SIDES = ("a", "b")
HEAD_BYTES = 1 << 10  # enough to recognise JSON lines


class Pair(NamedTuple):
    """The two articles of a line."""

    a: "Article"
    b: "Article"


@report_errors
def compare(
    a: Annotated[
        str | None,
        typer.Argument(metavar="A", help="A file with one article, an id, or - for stdin."),
    ] = None,
    b: Annotated[str | None, typer.Argument(metavar="B", help="The other article.")] = None,
    *,
    pairs: Annotated[
        str | None,
        option("--pairs", "FILE.jsonl", 'Many pairs, {"a": {...}, "b": {...}} a line; or -.'),
    ] = None,
    rejected: RejectedOption = None,
    articles: PairOptions,
    decisions: PresetOptions,
    as_json: JsonOption = False,
) -> None:
    """Compare two articles, or many pairs."""
    recipe, policy = decisions.load()
    if pairs is not None:
        if a is not None or articles.inside is not None or articles.store is not None:
            raise BadArticle("--pairs FILE is used alone: leave out A, B, --in and --store")
        with _open_pairs(pairs, rejected) as lines:
            write_json_lines(_rows(lines, recipe, policy))
    elif a is None or b is None:
        raise BadArticle("give two articles, A and B, or --pairs FILE.jsonl")
    else:
        *both, store_recipe = articles.load(a, b)
        pair, recipe = Pair(*both), recipe or store_recipe
        write_json_lines(_rows([pair], recipe, policy)) if as_json else _show(pair, recipe, policy)


def _show(pair: Pair, recipe: "Recipe | None", policy: "Policy") -> None:
    from nearcopy.cli.render.explanation import render_summary
    from nearcopy.match.explain import explain

    show(render_summary(explain(*pair, recipe, policy)))


def _rows(
    pairs: Iterable[Pair], recipe: "Recipe | None", policy: "Policy"
) -> Iterator[dict[str, Any]]:
    """A row for each pair, in order."""
    from nearcopy.config import Recipe
    from nearcopy.io.serializers.verdict import judgement_row
    from nearcopy.match.eligibility import judge_articles

    pairs, judged_pairs = tee(pairs)
    judgements = judge_articles(judged_pairs, recipe or Recipe(), policy)
    for judgement, pair in zip(judgements, pairs, strict=True):
        yield judgement_row(pair.a.id, pair.b.id, judgement)


# Files of pairs.


@contextmanager
def _open_pairs(file: str, rejected: Path | None) -> Iterator[Iterator[Pair]]:
    """The pairs of the lines that can be read, after all lines were checked."""
    from nearcopy.io.files import open_sources

    refuse_overwrite([file], rejected)
    with open_sources([file], "jsonl") as (source,):
        _refuse_table(source)
        reject_rows((line for line in _read(source) if not isinstance(line, Pair)), rejected)
        yield (line for line in _read(source) if isinstance(line, Pair))


def _refuse_table(source: "Source") -> None:
    """Raise where the name is that of a table and the file does not begin like JSON lines."""
    from nearcopy.io.files import format_of
    from nearcopy.io.files.decompress import Stream

    kind = format_of(source.name)
    if kind in (None, "json", "jsonl"):
        return
    with Stream(source.path) as stream:
        is_json = stream.read(HEAD_BYTES).lstrip().startswith(b"{")
    if not is_json:
        raise BadArticle(
            f'{source.name} is {kind.upper()}: --pairs takes JSON lines, {{"a": {{...}}, "b": '
            "{...}} each; `nearcopy eval --pairs` takes tables of labelled pairs"
        )


def _read(source: "Source") -> Iterator["Pair | Rejected"]:
    from nearcopy.io.files import Rejected
    from nearcopy.io.files.decompress import Stream
    from nearcopy.io.files.json import read_jsonl

    with Stream(source.path) as stream:
        for record in read_jsonl(stream, source.name):
            yield record if isinstance(record, Rejected) else _parse_pair(*record)


def _parse_pair(place: "Place", values: dict[str, Any]) -> "Pair | Rejected":
    from nearcopy.io.files import Rejected

    try:
        return Pair(*(_parse_side(side, place.line, values) for side in SIDES))
    except BadArticle as error:
        return Rejected(place, str(error), values)


def _parse_side(side: str, line: int, values: dict[str, Any]) -> "Article":
    """One article of a line; without an id it is named after its place."""
    article = values.get(side)
    if not isinstance(article, dict):
        raise BadArticle(f'no article {side!r}: a line is {{"a": {{...}}, "b": {{...}}}}')
    return parse_article(article, f"{line}{side}")
