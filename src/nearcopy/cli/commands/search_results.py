"""`nearcopy search-results`: a ranked list without its duplicates, in order."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nearcopy.cli.inputs import RejectedOption, readable, rows
from nearcopy.cli.options import DataOption, PolicyOption, PresetOption, WindowOption
from nearcopy.cli.overwrite_guard import spare
from nearcopy.cli.terminal import (
    add_row,
    as_lines,
    counted,
    noted,
    reported,
    show,
    table,
    write_lines,
)
from nearcopy.errors import NearcopyError
from nearcopy.io.settings import settings

if TYPE_CHECKING:
    from nearcopy.deduper.search_results import Ranked
    from nearcopy.io.files import Row


@reported
def search_results(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A ranked list: JSON or JSON lines, or - for stdin."),
    ],
    removed: Annotated[
        Path | None, typer.Option("--removed", metavar="FILE", help="Write what is dropped here.")
    ] = None,
    mark: Annotated[
        bool, typer.Option("--mark", help="Write all, with duplicate_of in what would be dropped.")
    ] = False,
    preset: PresetOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    rejected: RejectedOption = None,
    as_json: DataOption = False,
) -> None:
    """Drop duplicates from a ranked list, keeping its order."""
    from nearcopy.deduper.search_results import deduplicated
    from nearcopy.io.files import check_output_suffix
    from nearcopy.io.serializers.search_results import ranked_rows

    recipe, judged = settings(preset, policy, window)
    spare([file], removed)
    if removed is not None:
        check_output_suffix(str(removed))
    if removed and rejected and removed.resolve() == rejected.resolve():
        raise NearcopyError("--removed and --rejected must be files of their own")
    with readable([file], rejected) as sources:
        read = list(rows(sources))
    found = deduplicated([row.article for row in read], recipe, judged)
    if removed is not None:
        _write_removed(removed, read, found)
    if as_lines(as_json):
        write_lines(ranked_rows(read, found, mark=mark))
    else:
        _show(found, mark)
    kept = sum(each.duplicate_of is None for each in found)
    dropped = counted(len(found) - kept, "duplicate")
    noted(f"{counted(len(found), 'result')}: {kept:,} kept, {dropped}")


def _write_removed(to: Path, read: list["Row"], found: list["Ranked"]) -> None:
    from nearcopy.io.files import open_writer
    from nearcopy.io.serializers.search_results import dropped_rows

    with open_writer(to) as file:
        for row in dropped_rows(read, found):
            file.write(row)


def _show(found: list["Ranked"], mark: bool) -> None:
    last = "duplicate of" if mark else "stands for"
    shown = table("rank", "id", "title", "source", last, numbers=["rank"], least=["source"])
    for place, each in enumerate(found, start=1):
        if each.duplicate_of is None or mark:
            article, others = each.article, ", ".join(each.duplicates)
            about = each.duplicate_of if mark else others
            add_row(shown, place, article.id, article.title, article.source, about)
    show(shown)
