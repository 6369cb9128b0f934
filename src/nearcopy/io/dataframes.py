"""Data frames of pandas and polars and datasets of Hugging Face: each row with its verdict."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from nearcopy.config import Policy, Recipe
from nearcopy.deduper.deduper import Deduper
from nearcopy.errors import NearcopyError
from nearcopy.models import Verdict

if TYPE_CHECKING:
    from nearcopy.io.files import Columns, Rejected, Row

Frame = TypeVar("Frame")
Values = dict[str, Any]
LIBRARIES = {"pandas": "DataFrame", "polars": "DataFrame", "datasets": "Dataset"}
UNREADABLE = "unreadable"
SHARES = ("confidence", "event_score", "overlap")


def dedupe(
    frame: Frame,
    *,
    columns: "Columns | None" = None,
    recipe: Recipe | None = None,
    policy: Policy | None = None,
    html: bool = False,
    threads: int = 1,
) -> Frame:
    """The frame or dataset with the verdict of each row in columns after its own.

    `duplicate_of` and `match` refer to `article_id`: the id of the row, else its index label in
    pandas, or its number. Rows that are not articles have the rule "unreadable".
    """
    library = type(frame).__module__.partition(".")[0]
    if LIBRARIES.get(library) != type(frame).__name__:
        raise NearcopyError(
            "expected a DataFrame of pandas or polars, or a Dataset of Hugging Face, got "
            f"{type(frame).__name__}: for articles in Python use nearcopy.Deduper().run(articles), "
            "for files nearcopy.batch.dedupe_files(DedupeJob(files=[...]))"
        )
    table: Any = frame
    labels = list(table.index) if library == "pandas" else range(len(table))
    rows = list(_rows(_records(table, library), labels, columns, html))
    added = _columns(rows, _verdicts(rows, recipe, policy, threads))
    result: Frame = _with_columns(table, library, added)
    return result


def _records(table: Any, library: str) -> Iterator[Values]:
    """The rows as values, with None for missing ones."""
    if library == "datasets":
        return iter(table)
    if library == "polars":
        return iter(table.iter_rows(named=True))
    plain = table.astype(object).where(table.notna(), None)
    names = [str(name) for name in table.columns]
    lists = [plain.iloc[:, place].tolist() for place in range(len(names))]
    return (dict(zip(names, cells, strict=True)) for cells in zip(*lists, strict=True))


def _rows(
    records: Iterable[Values], labels: Sequence[Any], columns: "Columns | None", html: bool
) -> Iterator["Row | Rejected"]:
    from dataclasses import replace

    from nearcopy.io.files import Columns, Place, Rejected, UniqueIds
    from nearcopy.io.files.rows import read_row

    chosen, assign_id = columns or Columns(), UniqueIds()
    for number, (label, values) in enumerate(zip(labels, records, strict=True)):
        names = tuple(values)
        if number == 0:
            chosen.check(names, "the frame")
        row = read_row(Place("row", number), values, chosen.places(names), html=html)
        if isinstance(row, Rejected):
            yield row
            continue
        if row.id_column is None or values[row.id_column] in (None, ""):
            row = replace(row, article=replace(row.article, id=str(label) or "-"))
        yield assign_id(row)


def _verdicts(
    rows: list["Row | Rejected"], recipe: Recipe | None, policy: Policy | None, threads: int
) -> dict[str, Verdict]:
    from nearcopy.io.files import Row
    from nearcopy.io.files.dates import UNDATED

    articles = [row.article for row in rows if isinstance(row, Row)]
    with Deduper("memory://", recipe, policy, threads=threads, clock=lambda: UNDATED) as deduper:
        for _ in deduper.run(articles, cluster=False):
            pass
        if deduper.provisional:
            deduper.recluster()
        verdicts = deduper.verdicts(article.id for article in articles)
        return {verdict.id: verdict for verdict in verdicts}


def _columns(rows: list["Row | Rejected"], verdicts: dict[str, Verdict]) -> dict[str, list[Any]]:
    from nearcopy.io.files import Rejected
    from nearcopy.io.serializers import VERDICT_COLUMNS, verdict_columns

    def annotate(row: "Row | Rejected") -> Values:
        if isinstance(row, Rejected):
            rejected = {"is_duplicate": False, "rule": UNREADABLE, "reasons": [row.why]}
            return dict.fromkeys(("article_id", *VERDICT_COLUMNS)) | rejected
        return verdict_columns(verdicts[row.article.id]) | {"article_id": row.article.id}

    annotations = [annotate(row) for row in rows]
    names = ("article_id", *VERDICT_COLUMNS)
    return {name: [annotation[name] for annotation in annotations] for name in names}


def _with_columns(table: Any, library: str, added: dict[str, list[Any]]) -> Any:
    if library == "pandas":
        return table.assign(**added)
    if library == "datasets":
        for name, values in added.items():
            table = table.remove_columns(name) if name in table.column_names else table
            table = table.add_column(name, values)
        return table
    import polars

    kinds: dict[str, Any] = {
        **dict.fromkeys(added, polars.String),
        **dict.fromkeys(SHARES, polars.Float64),
        "is_duplicate": polars.Boolean,
        "reasons": polars.List(polars.String),
    }
    return table.with_columns(
        polars.Series(name, values, dtype=kinds[name]) for name, values in added.items()
    )
