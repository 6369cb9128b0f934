"""Rows of the input files: read once for fingerprints, again for texts and for the output."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from nearcopy.batch.corpus_settings import Settings
from nearcopy.batch.local.boilerplate import read_lines
from nearcopy.batch.local.corpus_job import WHOLE, Input, Unit
from nearcopy.config.units import EPOCH, MICROSECOND, NO_TIME, to_micros
from nearcopy.errors import BadArticle
from nearcopy.fingerprint.fingerprint import outlet_of
from nearcopy.io.files.dates import UNDATED, read_time
from nearcopy.io.files.decompress import LONGEST, UTF8_BOM, Line, Stream
from nearcopy.io.files.json import Record, as_json, read_line
from nearcopy.io.files.read import Source, check_columns
from nearcopy.io.files.read import read_records as read_file_records
from nearcopy.io.files.rows import Place, Rejected, Row, Values, read_row
from nearcopy.io.files.write import open_writer
from nearcopy.io.serializers import VERDICT_COLUMNS

CHUNK = 1 << 20
NO_ID, REWRITE, HTML = 1, 2, 4  # flags: no id of its own; must be encoded again; text is HTML
OUTPUT_NAMES = frozenset(VERDICT_COLUMNS)
UNDATED_SEEN = (UNDATED - EPOCH) // MICROSECOND
RejectedRecord = list[Any]  # file, byte offset or line, reason, raw value


class TextRow(NamedTuple):
    """The values of a row that are needed where texts alone are compared."""

    id: str
    text: str
    flags: int
    published: int
    seen: int
    source: str | None


class RawLine(NamedTuple):
    """A line of a file, its offset or number, and why it cannot be read."""

    start: int
    data: bytes
    why: str | None = None


class Plan(NamedTuple):
    """Which columns hold what in rows with these column names."""

    names: tuple[str, ...]
    id: str | None
    text: str | None
    published: str | None
    seen: str | None
    irregular: bool  # cannot take the fast path


class RowReader:
    """Reads rows of a file, on a fast path where their columns are regular."""

    def __init__(self, settings: Settings, source: Input) -> None:
        self._source, self._columns, self._html = source, settings.columns, settings.html
        self._needs_source = settings.policy.sources != "any"
        self._boilerplate = (
            None if settings.boilerplate is None else _read_boilerplate(Path(settings.boilerplate))
        )
        self._plan = Plan((), None, None, None, None, True)
        self._checked = False

    def read_text(self, record: Record) -> TextRow | Rejected:
        """The text of a row, with its id, times and source."""
        if isinstance(record, Rejected):
            return record
        values = record[1]
        names = tuple(values)
        if names != self._plan.names:
            self._plan = self._make_plan(names)
        plan = self._plan
        if plan.irregular:
            return self._read_irregular(record)
        article_id, text = values[plan.id], values[plan.text]  # type: ignore[index]
        if type(article_id) is not str or type(text) is not str or not article_id or not text:
            return self._read_irregular(record)
        try:
            published = NO_TIME if plan.published is None else _micros(values[plan.published])
            seen = UNDATED_SEEN if plan.seen is None else _micros(values[plan.seen], UNDATED_SEEN)
        except BadArticle:
            return self._read_irregular(record)
        return TextRow(article_id, text, HTML if self._html else 0, published, seen, None)

    def read_article(self, record: Record) -> Row | Rejected:
        """The row as an article, without boilerplate."""
        if isinstance(record, Rejected):
            return record
        place, values = record
        names = tuple(values)
        if not self._checked:
            self._make_plan(names)
        row = read_row(place, values, self._columns.places(names), html=self._html)
        if isinstance(row, Rejected):
            return row
        article = row.article
        if article.seen is None:
            article = replace(article, seen=UNDATED)
        if self._boilerplate is not None:
            article = replace(article, text=self._boilerplate.strip_from(article), html=False)
        return replace(row, article=article)

    def _make_plan(self, names: tuple[str, ...]) -> Plan:
        if not self._checked:
            check_columns(self._source.name, self._source.format, self._columns, names)
            self._checked = True
        places = self._columns.places(names)
        only = {part: matches[0] if len(matches) == 1 else None for part, matches in places.items()}
        ambiguous = any(len(places[part]) > 1 for part in ("id", "text", "published", "seen"))
        irregular = (
            ambiguous
            or bool(places["html"])
            or self._needs_source
            or not OUTPUT_NAMES.isdisjoint(names)
            or only["id"] is None
            or only["text"] is None
            or self._boilerplate is not None
        )
        return Plan(names, only["id"], only["text"], only["published"], only["seen"], irregular)

    def _read_irregular(self, record: Record) -> TextRow | Rejected:
        row = self.read_article(record)
        if isinstance(row, Rejected):
            return row
        article = row.article
        published, seen = to_micros(article.published), to_micros(article.seen)
        return TextRow(
            article.id,
            article.text,
            row_flags(row),
            NO_TIME if published is None else published,
            UNDATED_SEEN if seen is None else seen,
            outlet_of(article) if self._needs_source else None,
        )


_read_boilerplate = lru_cache(maxsize=1)(read_lines)


def row_flags(row: Row) -> int:
    """The flags that are needed to write a row again."""
    changed = row.id_column is not None and str(row.values[row.id_column]) != row.article.id
    rewrite = REWRITE if changed or not OUTPUT_NAMES.isdisjoint(row.values) else 0
    return (NO_ID if row.id_column is None else 0) | rewrite | (HTML if row.article.html else 0)


def _micros(value: Any, absent: int = NO_TIME) -> int:
    micros = to_micros(read_time(value))
    return absent if micros is None else micros


# Lines and records.


def parse_line(line: RawLine, file: str) -> Record:
    """The values of a line, or why there are none."""
    if line.why is None:
        try:
            values = orjson.loads(line.data)
            if type(values) is dict and not (
                float in map(type, values.values()) and _loses_digits(values)
            ):
                return Place(file, line.start), values
        except orjson.JSONDecodeError:
            pass
    return read_line(Place(file, line.start), Line(0, line.data + b"\n", line.why))


def _loses_digits(values: Values) -> bool:
    """Whether a number may have more digits than a float holds."""
    return any(type(value) is float and abs(value) >= 1 << 53 for value in values.values())


def _unit_lines(source: Input, unit: Unit) -> Iterator[RawLine]:
    """The lines of a part of a plain file that are not blank, by their byte offsets."""
    at, left, tail = unit.start, unit.end - unit.start, b""
    too_long = False
    with Path(source.path).open("rb") as file:
        file.seek(at)
        while left > 0 and (chunk := file.read(min(CHUNK, left))):
            left -= len(chunk)
            lines = (tail + chunk).split(b"\n")
            tail = lines.pop()
            for line in lines:
                if too_long or (line and not line.isspace()):
                    yield _raw_line(at, line, too_long)
                at, too_long = at + len(line) + 1, False
            if len(tail) > LONGEST:
                at, tail, too_long = at + len(tail), b"", True
    if too_long or (tail and not tail.isspace()):
        yield _raw_line(at, tail, too_long)


def _raw_line(at: int, line: bytes, too_long: bool) -> RawLine:
    if too_long or len(line) > LONGEST:
        return RawLine(at, line[:CHUNK], f"longer than {LONGEST >> 20} MB")
    if at == 0 and line.startswith(UTF8_BOM):
        return RawLine(len(UTF8_BOM), line.removeprefix(UTF8_BOM))
    return RawLine(at, line)


def stream_lines(source: Input) -> Iterator[RawLine]:
    """The lines of a compressed file that are not blank, by their numbers."""
    with Stream(Path(source.path)) as stream:
        for line in stream.lines():
            if line.data.strip() or line.why:
                yield RawLine(line.number, line.data.rstrip(b"\r\n"), line.why)


def read_records(
    source: Input, unit: Unit, sample: float | None = None
) -> Iterator[tuple[RawLine | None, Record]]:
    """Every record of a unit, with its line if it is one.

    A sample of a file that cannot be split is every n-th row.
    """
    records = _all_records(source, unit)
    step = 1 if sample is None or unit.end != WHOLE else max(1, round(1 / sample))
    return islice(records, 0, None, step)


def _all_records(source: Input, unit: Unit) -> Iterator[tuple[RawLine | None, Record]]:
    if source.format != "jsonl":
        file = Source(source.name, Path(source.path), source.format)
        yield from ((None, record) for record in read_file_records(file))
        return
    for line in _unit_lines(source, unit) if source.plain else stream_lines(source):
        yield line, parse_line(line, source.name)


# Rejected rows.


def rejected_records(rows: Iterable[Rejected]) -> list[RejectedRecord]:
    """Rejected rows as JSON values, for the notes of a pack."""
    records = ([row.place.file, row.place.line, row.why, row.raw] for row in rows)
    return [json.loads(as_json(fields)) for fields in records]


def number_lines(
    rejected: Sequence[RejectedRecord], sources: Sequence[Input]
) -> list[RejectedRecord]:
    """The records with line numbers in place of byte offsets."""
    plain = {source.name: source.path for source in sources if source.plain}
    return [
        [file, _line_number(plain[file], place) if file in plain else place, why, raw]
        for file, place, why, raw in rejected
    ]


def _line_number(path: str, offset: int) -> int:
    count, left = 1, offset
    with Path(path).open("rb") as file:
        while left > 0 and (chunk := file.read(min(left, CHUNK))):
            count, left = count + chunk.count(b"\n"), left - len(chunk)
    return count


def write_rejected(path: Path, rejected: Iterable[RejectedRecord]) -> None:
    """Write rejected rows as JSON lines, with file, line and reason."""
    with open_writer(path, "jsonl") as out:
        for file, line, why, raw in rejected:
            out.write({"file": file, "line": line, "why": why, "raw": raw})
