"""Tables of what is true, as `nearcopy eval` is given them: pairs, or the cluster of each id."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nearcopy.errors import NearcopyError

if TYPE_CHECKING:
    from nearcopy.io.files import Source
    from nearcopy.io.files.json import Record

CLUSTERS = ("cluster", "story", "label")
Rows = list[tuple[int, dict[str, Any]]]


def table(file: str) -> Rows:
    """The lines and values of all rows; one that cannot be read is an error."""
    from nearcopy.io.files import Rejected, format_of, open_sources

    found: Rows = []
    with open_sources([file], format_of(file) or "csv") as (source,):
        for record in _records(source):
            if isinstance(record, Rejected):
                raise NearcopyError(f"{record.place}: {record.why}")
            found.append((record[0].line, record[1]))
    if not found:
        raise NearcopyError(f"{file} holds no rows")
    return found


def _records(source: "Source") -> Iterator["Record"]:
    from nearcopy.io.files.csv import read_csv, read_tsv
    from nearcopy.io.files.decompress import Stream
    from nearcopy.io.files.json import read_json, read_jsonl

    readers = {"csv": read_csv, "tsv": read_tsv, "jsonl": read_jsonl, "json": read_json}
    if source.format not in readers:
        raise NearcopyError(f"{source.name}: give CSV, TSV or JSON, not {source.format}")
    with Stream(source.path) as stream:
        yield from readers[source.format](stream, source.name)


def clusters_of(file: str, label: str | None) -> dict[str, str]:
    """The cluster of each id; one that is in two is an error."""
    rows = table(file)
    names = tuple(rows[0][1])
    column = label or next((name for name in CLUSTERS if name in names), None)
    if "id" not in names or column is None or column not in names:
        raise NearcopyError(
            f"{file} has the columns {', '.join(names)}: give id and cluster, or name the latter "
            "with --label"
        )
    found: dict[str, str] = {}
    for line, values in rows:
        name, cluster = str(values.get("id")), str(values.get(column))
        if found.setdefault(name, cluster) != cluster:
            raise NearcopyError(f"{file}:{line}: {name} is in {found[name]} and in {cluster}")
    return found
