"""`nearcopy compare`: the relation of two articles, or of each pair in a file."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import tee
from pathlib import Path
from typing import Any

from nearcopy.cli.inputs import (
    ArticlePair,
    PairOptions,
    parse_article,
    refuse_overwrite,
    reject_rows,
)
from nearcopy.cli.options import JsonOption, PresetOptions, RejectedOption, argument, option
from nearcopy.cli.terminal import show, write_json_lines
from nearcopy.config import Policy, Recipe
from nearcopy.errors import BadArticle
from nearcopy.io.files import Place, Rejected, Source, format_of, open_sources
from nearcopy.io.files.decompress import Stream
from nearcopy.io.files.json import read_jsonl
from nearcopy.models import Article

SIDES = ("a", "b")
HEAD_BYTES = 1 << 10  # enough to recognise JSON lines


def compare(
    a: str | None = argument("A", "A file with one article, an id, or - for stdin.", default=None),
    b: str | None = argument("B", "The other article.", default=None),
    *,
    pairs: str | None = option("FILE.jsonl", 'Many pairs, {"a": {...}, "b": {...}} a line; or -.'),
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
        pair, store_recipe = articles.load(a, b)
        recipe = recipe or store_recipe
        write_json_lines(_rows([pair], recipe, policy)) if as_json else _show(pair, recipe, policy)


def _show(pair: ArticlePair, recipe: Recipe | None, policy: Policy) -> None:
    from nearcopy.cli.explanation import render_summary
    from nearcopy.match.explain import explain

    show(render_summary(explain(*pair, recipe, policy)))


def _rows(
    pairs: Iterable[ArticlePair], recipe: Recipe | None, policy: Policy
) -> Iterator[dict[str, Any]]:
    """A row for each pair, in order."""
    from nearcopy.io.serializers import judgement_row
    from nearcopy.match.judgement import judge_articles

    pairs, judged_pairs = tee(pairs)
    judgements = judge_articles(judged_pairs, recipe or Recipe(), policy)
    for judgement, pair in zip(judgements, pairs, strict=True):
        yield judgement_row(pair.a.id, pair.b.id, judgement)


# Files of pairs.


@contextmanager
def _open_pairs(file: str, rejected: Path | None) -> Iterator[Iterator[ArticlePair]]:
    """The pairs of the lines that can be read, after all lines were checked."""
    refuse_overwrite([file], rejected)
    with open_sources([file], "jsonl") as (source,):
        _refuse_table(source)
        reject_rows((line for line in _read(source) if not isinstance(line, ArticlePair)), rejected)
        yield (line for line in _read(source) if isinstance(line, ArticlePair))


def _refuse_table(source: Source) -> None:
    """Raise where the name is that of a table and the file does not begin like JSON lines."""
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


def _read(source: Source) -> Iterator[ArticlePair | Rejected]:
    with Stream(source.path) as stream:
        for record in read_jsonl(stream, source.name):
            yield record if isinstance(record, Rejected) else _parse_pair(*record)


def _parse_pair(place: Place, values: dict[str, Any]) -> ArticlePair | Rejected:
    try:
        return ArticlePair(*(_parse_side(side, place.line, values) for side in SIDES))
    except BadArticle as error:
        return Rejected(place, str(error), values)


def _parse_side(side: str, line: int, values: dict[str, Any]) -> Article:
    """One article of a line; without an id it is named after its place."""
    article = values.get(side)
    if not isinstance(article, dict):
        raise BadArticle(f'no article {side!r}: a line is {{"a": {{...}}, "b": {{...}}}}')
    return parse_article(article, f"{line}{side}")
