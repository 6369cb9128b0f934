"""Frames of pandas and polars: each row beside its verdict."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from nearcopy.config import Policy, Recipe
from nearcopy.deduper.deduper import Deduper
from nearcopy.errors import NearcopyError
from nearcopy.models.model import Verdict

if TYPE_CHECKING:
    from nearcopy.io.files import Columns, Rejected, Row

Frame = TypeVar("Frame")
Values = dict[str, Any]
UNREADABLE = "unreadable"
TEXTS = ("article_id", "relation", "duplicate_of", "match", "story_id", "rule")
SHARES = ("confidence", "news", "copy")


def dedupe(
    frame: Frame,
    *,
    columns: "Columns | None" = None,
    recipe: Recipe | None = None,
    policy: Policy | None = None,
    html: bool = False,
    threads: int = 1,
) -> Frame:
    """The frame of pandas or polars with what each row is to the others; no row is left out.

    `article_id` is what `duplicate_of` and `match` name: the id of the row, else its label in
    the index, or in polars its number. Rows that are no articles have the rule "unreadable".
    """
    kind = type(frame).__module__.partition(".")[0]
    if kind not in ("pandas", "polars") or type(frame).__name__ != "DataFrame":
        raise NearcopyError(
            f"expected a DataFrame of pandas or polars, got {type(frame).__name__}: "
            "files are for `nearcopy dedupe`"
        )
    table: Any = frame
    labels = list(table.index) if kind == "pandas" else range(len(table))
    rows = list(_rows(iter_records(table, kind), labels, columns, html))
    added = _columns(rows, _verdicts(rows, recipe, policy, threads))
    result: Frame = table.assign(**added) if kind == "pandas" else _with_series(table, added)
    return result


def iter_records(table: Any, kind: str) -> Iterator[Values]:
    """The rows as values, with None for what is missing."""
    if kind == "polars":
        return iter(table.iter_rows(named=True))
    plain = table.astype(object).where(table.notna(), None)
    names = [str(name) for name in table.columns]
    lists = [plain.iloc[:, place].tolist() for place in range(len(names))]
    return (dict(zip(names, cells, strict=True)) for cells in zip(*lists, strict=True))


def _rows(
    records: Iterator[Values], labels: Any, columns: "Columns | None", html: bool
) -> Iterator["Row | Rejected"]:
    from dataclasses import replace

    from nearcopy.io.files import Columns, Place, Rejected, UniqueIds
    from nearcopy.io.files.rows import read_row

    chosen, own = columns or Columns(), UniqueIds()
    for number, (label, values) in enumerate(zip(labels, records, strict=True)):
        if number == 0:
            chosen.check(tuple(values), "the frame")
        read_result = read_row(
            Place("row", number), values, chosen.places(tuple(values)), html=html
        )
        if isinstance(read_result, Rejected):
            yield read_result
            continue
        if read_result.id_column is None or values[read_result.id_column] in (None, ""):
            read_result = replace(
                read_result, article=replace(read_result.article, id=str(label) or "-")
            )
        yield own(read_result)


def _verdicts(
    rows: list["Row | Rejected"], recipe: Recipe | None, policy: Policy | None, threads: int
) -> dict[str, Verdict]:
    from nearcopy.io.files import Rejected

    articles = [item.article for item in rows if not isinstance(item, Rejected)]
    with Deduper("memory://", recipe, policy, threads=threads) as deduper:
        for _ in deduper.run(articles, tell=False):
            pass
        if deduper.provisional:
            deduper.retell()
        return {item.id: item for item in deduper.verdicts(item.id for item in articles)}


def _columns(rows: list["Row | Rejected"], verdicts: dict[str, Verdict]) -> dict[str, list[Any]]:
    answers = [_told(answer, verdicts) for answer in rows]
    names = ("article_id", "relation", "is_duplicate", "duplicate_of", "match", "story_id")
    return {
        name: [answer[name] for answer in answers]
        for name in (*names, "confidence", "rule", "reasons", "news", "copy")
    }


def _told(row: "Row | Rejected", verdicts: dict[str, Verdict]) -> Values:
    from nearcopy.io.files import Rejected
    from nearcopy.io.serializers.answers import verdict_row

    if isinstance(row, Rejected):
        nothing = dict.fromkeys((*TEXTS, *SHARES))
        return {**nothing, "is_duplicate": False, "rule": UNREADABLE, "reasons": [row.why]}
    return verdict_row(verdicts[row.article.id]) | {"article_id": row.article.id}


def _with_series(table: Any, added: dict[str, list[Any]]) -> Any:
    import polars

    kinds: dict[str, Any] = {
        **dict.fromkeys(TEXTS, polars.String),
        **dict.fromkeys(SHARES, polars.Float64),
        "is_duplicate": polars.Boolean,
        "reasons": polars.List(polars.String),
    }
    return table.with_columns(
        polars.Series(name, values, dtype=kinds[name]) for name, values in added.items()
    )
