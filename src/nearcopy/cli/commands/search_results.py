"""`nearcopy search-results`: a ranked list without its duplicates, in order."""

from pathlib import Path
from typing import TYPE_CHECKING

from nearcopy.cli.inputs import open_inputs, read_rows, refuse_overwrite
from nearcopy.cli.options import DataOption, PresetOptions, RejectedOption, argument, flag, option
from nearcopy.cli.tables import add_row, make_table
from nearcopy.cli.terminal import format_count, note, show, wants_json_lines, write_json_lines
from nearcopy.errors import NearcopyError
from nearcopy.io.files import Row, check_output_suffix, open_writer

if TYPE_CHECKING:
    from nearcopy.deduper.search_results import SearchResult


def search_results(
    file: str = argument("FILE", "A ranked list: JSON or JSON lines, or - for stdin."),
    *,
    decisions: PresetOptions,
    removed: Path | None = option("FILE", "Write removed results here."),
    mark: bool = flag("Write all results, duplicates with duplicate_of.", None),
    rejected: RejectedOption = None,
    as_json: DataOption = False,
) -> None:
    """Remove duplicates from a ranked list, keeping its order."""
    from nearcopy.deduper.search_results import deduplicate_results
    from nearcopy.io.serializers import ranked_rows

    refuse_overwrite([file], removed)
    if removed is not None:
        check_output_suffix(str(removed))
    if removed and rejected and removed.resolve() == rejected.resolve():
        raise NearcopyError("--removed and --rejected must be files of their own")
    with open_inputs([file], rejected) as sources:
        rows = list(read_rows(sources))
    results = deduplicate_results([row.article for row in rows], *decisions.load())
    if removed is not None:
        _write_removed(removed, rows, results)
    if wants_json_lines(as_json):
        write_json_lines(ranked_rows(rows, results, mark=mark))
    else:
        _show(results, mark)
    kept = sum(result.duplicate_of is None for result in results)
    duplicates = format_count(len(results) - kept, "duplicate")
    note(f"{format_count(len(results), 'result')}: {kept:,} kept, {duplicates}")


def _write_removed(to: Path, rows: list[Row], results: list["SearchResult"]) -> None:
    from nearcopy.io.serializers import dropped_rows

    with open_writer(to) as file:
        for row in dropped_rows(rows, results):
            file.write(row)


def _show(results: list["SearchResult"], mark: bool) -> None:
    last = "duplicate of" if mark else "represents"
    table = make_table("rank", "id", "title", "source", last, numbers=["rank"], optional=["source"])
    for rank, result in enumerate(results, start=1):
        if result.duplicate_of is None or mark:
            article, duplicates = result.article, ", ".join(result.duplicates)
            ids = result.duplicate_of if mark else duplicates
            add_row(table, rank, article.id, article.title, article.source, ids)
    show(table)
