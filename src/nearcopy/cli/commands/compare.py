"""`nearcopy compare`: what two articles, or the two of each pair in a file, are to each other."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from nearcopy.cli.inputs import InOption, RejectedOption, article_of, refuse, two
from nearcopy.cli.options import (
    IdsStoreOption,
    JsonOption,
    PolicyOption,
    PoolOption,
    PresetOption,
    WindowOption,
)
from nearcopy.cli.overwrite_guard import spare
from nearcopy.cli.terminal import reported, show, write_lines
from nearcopy.errors import BadArticle
from nearcopy.io.settings import settings

if TYPE_CHECKING:
    from nearcopy.config import Policy, Recipe
    from nearcopy.io.files import Place, Rejected, Source
    from nearcopy.match.judge_pairs import Judgement
    from nearcopy.models.model import Article

BATCH = 2048  # pairs judged at once
SIDES = ("a", "b")
HEAD = 1 << 10  # bytes by which JSON lines are told

A = Annotated[
    str | None,
    typer.Argument(metavar="A", help="A file with one article, an id, or - for stdin."),
]
B = Annotated[str | None, typer.Argument(metavar="B", help="The other one.")]
PairsOption = Annotated[
    str | None,
    typer.Option(
        "--pairs",
        metavar="FILE.jsonl",
        help='Many pairs, a line each: {"a": {...}, "b": {...}}; - for stdin. Writes JSON lines.',
    ),
]


class Pair(NamedTuple):
    """The two articles of a line."""

    a: "Article"
    b: "Article"


@reported
def compare(
    a: A = None,
    b: B = None,
    pairs: PairsOption = None,
    rejected: RejectedOption = None,
    inside: InOption = None,
    store: IdsStoreOption = None,
    pool: PoolOption = None,
    preset: PresetOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    as_json: JsonOption = False,
) -> None:
    """Tell what two articles, or many pairs, are to each other."""
    recipe, judged = settings(preset, policy, window)
    if pairs is not None:
        if a is not None or inside is not None or store is not None:
            raise BadArticle("--pairs FILE stands alone: leave out A, B, --in and --store")
        with _pairs(pairs, rejected) as found:
            write_lines(_rows(found, recipe, judged))
    elif a is None or b is None:
        raise BadArticle("give two articles, A and B, or --pairs FILE.jsonl")
    else:
        *both, its_recipe = two(a, b, inside, store, pool)
        pair, recipe = Pair(*both), recipe or its_recipe
        write_lines(_rows([pair], recipe, judged)) if as_json else _show(pair, recipe, judged)


def _show(pair: Pair, recipe: "Recipe | None", policy: "Policy") -> None:
    from nearcopy.cli.render.side_by_side import summary
    from nearcopy.match.explain import explain

    show(summary(explain(*pair, recipe, policy)))


def _rows(
    pairs: Iterable[Pair], recipe: "Recipe | None", policy: "Policy"
) -> Iterator[dict[str, Any]]:
    """A row for each pair, in order."""
    from nearcopy.io.serializers.answers import judgement_row

    rest = iter(pairs)
    while batch := list(islice(rest, BATCH)):
        for pair, found in zip(batch, _judged(batch, recipe, policy), strict=True):
            yield judgement_row(pair.a.id, pair.b.id, found)


def _judged(batch: list[Pair], recipe: "Recipe | None", policy: "Policy") -> list["Judgement"]:
    """Judged under ids of their own, as one id may stand for other articles in other lines."""
    from nearcopy.config import Recipe
    from nearcopy.fingerprint.fingerprint import fingerprints
    from nearcopy.match.judge_pairs import judged

    recipe = recipe or Recipe()
    names: dict[Article, str] = {}  # an article that comes in many pairs is read once
    for article in (each for pair in batch for each in pair):
        names.setdefault(article, str(len(names)))
    articles = {name: replace(each, id=name) for each, name in names.items()}
    made = dict(zip(articles, fingerprints(articles.values(), recipe), strict=True))
    pairs = [(made[names[a]], made[names[b]]) for a, b in batch]
    return judged(pairs, recipe, policy, lambda ids: {name: articles[name] for name in sorted(ids)})


# Files of pairs.


@contextmanager
def _pairs(file: str, rejected: Path | None) -> Iterator[Iterator[Pair]]:
    """The pairs of the lines that can be read; what cannot be is refused before any is judged."""
    from nearcopy.io.files import open_sources

    spare([file], rejected)
    with open_sources([file], "jsonl") as (source,):
        _refuse_table(source)
        refuse((each for each in _read(source) if not isinstance(each, Pair)), rejected)
        yield (each for each in _read(source) if isinstance(each, Pair))


def _refuse_table(source: "Source") -> None:
    """Raises where the name tells another format and the file does not begin as JSON lines do."""
    from nearcopy.io.files import format_of
    from nearcopy.io.files.decompress import Stream

    kind = format_of(source.name)
    if kind in (None, "json", "jsonl"):
        return
    with Stream(source.path) as stream:
        lines = stream.read(HEAD).lstrip().startswith(b"{")
    if not lines:
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
            yield record if isinstance(record, Rejected) else _pair(*record)


def _pair(place: "Place", values: dict[str, Any]) -> "Pair | Rejected":
    from nearcopy.io.files import Rejected

    try:
        return Pair(*(_article(side, place.line, values) for side in SIDES))
    except BadArticle as wrong:
        return Rejected(place, str(wrong), values)


def _article(side: str, line: int, values: dict[str, Any]) -> "Article":
    """One side of a line; an article without id is named after its place."""
    found = values.get(side)
    if not isinstance(found, dict):
        raise BadArticle(f'no article {side!r}: a line is {{"a": {{...}}, "b": {{...}}}}')
    return article_of(found, f"{line}{side}")
