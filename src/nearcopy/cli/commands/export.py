"""`nearcopy export`: every article of a store as a row with its verdict, written to a file."""

import sys
from time import perf_counter

from nearcopy.cli.commands.dedupe import check_file_ending, check_format
from nearcopy.cli.inputs import refuse_overwrite
from nearcopy.cli.open_store import open_raw_store, require_store, store_file
from nearcopy.cli.options import PolicyOptions, StoreOptions, flag, option
from nearcopy.cli.terminal import Phases, format_count, json_line, note
from nearcopy.deduper.deduper import Deduper
from nearcopy.errors import NearcopyError
from nearcopy.io.files import Format, format_of, open_writer
from nearcopy.maintenance.export import COLUMNS, OF_WHOLE, RECORD

TABLES = ("csv", "tsv")


def export(
    output: str | None = option(
        "FILE",
        "Output file: FILE.jsonl, FILE.parquet, ..., also .gz or .zst; default stdout.",
        names=("-o", "--output"),
    ),
    whole: bool = flag(
        "Also write what `nearcopy import` needs to restore the store.", None, name="--all"
    ),
    format_: str | None = option("FORMAT", "Output format, if the file name has no known suffix."),
    *,
    store: StoreOptions,
    decisions: PolicyOptions,
    as_json: bool = flag("Print the summary as JSON.", None, name="--json"),
    quiet: bool = flag("Print neither progress nor summary.", None),
) -> None:
    """Write the articles of a store to a file, with verdicts."""
    from nearcopy.maintenance.export import ExportRows

    _, policy = decisions.load()
    address, file = store.address, output or "-"
    file_format = _output_format(file, check_format(format_), whole=whole)
    refuse_overwrite([store_file(address)], None if file == "-" else file)
    if format_ is None:
        check_file_ending(file)
    started = perf_counter()
    require_store(address, store.pool)
    with (
        Deduper(address, None, policy, pool=store.pool) as deduper,
        open_raw_store(address, store.pool) as raw_store,
        Phases(quiet=quiet) as phases,
        open_writer(file, file_format, columns=_columns(whole)) as out,
    ):
        rows = ExportRows(deduper, raw_store, phases.track, whole=whole)
        for row in rows:
            out.write(row)
    if as_json:
        spent = round(perf_counter() - started, 3)
        row = {"store": deduper.address, "file": file, "articles": rows.articles}
        sys.stderr.write(json_line(row | {"seconds": spent}) + "\n")
    elif not quiet:
        note(f"exported {format_count(rows.articles, 'article')} from {deduper.address}")


def _output_format(file: str, chosen_format: Format | None, *, whole: bool) -> Format:
    """The format to write; raises where it cannot hold a whole export."""
    file_format = chosen_format or format_of(file) or "jsonl"
    if whole and file_format in TABLES:
        raise NearcopyError(
            f"--all cannot be written as {file_format}: give FILE.jsonl or FILE.parquet"
        )
    return file_format


def _columns(whole: bool) -> list[str]:
    """The columns of every row, in order."""
    from nearcopy.io.serializers import VERDICT_COLUMNS

    return [*COLUMNS, *VERDICT_COLUMNS, *([*OF_WHOLE, RECORD] if whole else [])]
