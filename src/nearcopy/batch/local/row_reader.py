"""Taking rows: what is needed of each line of a file, and no more than that."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from nearcopy.batch.local.boilerplate import Boilerplate, read_lines
from nearcopy.batch.local.inputs import WHOLE, Input, Unit
from nearcopy.batch.local.job import Settings
from nearcopy.batch.local.output_columns import CLUSTER_COLUMNS
from nearcopy.errors import BadArticle
from nearcopy.fingerprint.fingerprint import whose
from nearcopy.io.files.dates import read_time
from nearcopy.io.files.decompress import LONGEST, UTF8_BOM, Line, Stream
from nearcopy.io.files.json import Record, read_line
from nearcopy.io.files.read import check_columns
from nearcopy.io.files.read import read_records as read_file_records
from nearcopy.io.files.rows import Place, Rejected, Row, Values, read_row
from nearcopy.io.files.sources import Source
from nearcopy.models.timestamps import micros

NEVER = -(1 << 62)  # no time
PIECE = 1 << 20
NO_ID, REWRITE, HTML = 1, 2, 4  # the row has no id of its own; cannot stay as it is; is HTML
OWN_COLUMNS = frozenset(CLUSTER_COLUMNS)


class TextRow(NamedTuple):
    """What a row says, as far as texts alone are compared."""

    id: str
    text: str
    flags: int
    published: int
    seen: int
    source: str | None


class Raw(NamedTuple):
    """A line of a file, where it begins, and why it is none that can be read."""

    start: int
    data: bytes
    why: str | None = None


class Plan(NamedTuple):
    """Where to find what is needed in rows with the same columns."""

    names: tuple[str, ...]
    id: str | None
    text: str | None
    published: str | None
    seen: str | None
    odd: bool  # must be read with more care


class RowReader:
    """Reads rows of a file quickly where they are as rows usually are, else with care."""

    def __init__(self, settings: Settings, source: Input) -> None:
        self._source, self._columns, self._html = source, settings.columns, settings.html
        self._sources = settings.policy.sources != "any"
        self._without = None if settings.without is None else boilerplate_of(settings.without)
        self._plan = Plan((), None, None, None, None, True)
        self._checked = False

    def text_row(self, values: Values, place: Place) -> TextRow | Rejected:
        """What is needed of a row."""
        names = tuple(values)
        if names != self._plan.names:
            self._plan = self._make_plan(names)
        plan = self._plan
        if plan.odd:
            return self._read_carefully(values, place)
        name, text = values[plan.id], values[plan.text]  # type: ignore[index]
        if type(name) is not str or type(text) is not str or not name or not text:
            return self._read_carefully(values, place)
        try:
            published = NEVER if plan.published is None else _time(values[plan.published])
            seen = NEVER if plan.seen is None else _time(values[plan.seen])
        except BadArticle:
            return self._read_carefully(values, place)
        return TextRow(name, text, HTML if self._html else 0, published, seen, None)

    def article(self, values: Values, place: Place) -> Row | Rejected:
        """The row as an article, with all there is."""
        names = tuple(values)
        if not self._checked:
            self._make_plan(names)
        record = read_row(place, values, self._columns.places(names), html=self._html)
        if self._without is None or isinstance(record, Rejected):
            return record
        text = self._without.text_without(record.article)
        return replace(record, article=replace(record.article, text=text, html=False))

    def _make_plan(self, names: tuple[str, ...]) -> Plan:
        if not self._checked:
            check_columns(self._source.name, self._source.format, self._columns, names)
            self._checked = True
        places = self._columns.places(names)
        one = {part: matches[0] if len(matches) == 1 else None for part, matches in places.items()}
        many = any(len(places[part]) > 1 for part in ("id", "text", "published", "seen"))
        odd = many or bool(places["html"]) or self._sources or not OWN_COLUMNS.isdisjoint(names)
        odd = odd or one["id"] is None or one["text"] is None or self._without is not None
        return Plan(names, one["id"], one["text"], one["published"], one["seen"], odd)

    def _read_carefully(self, values: Values, place: Place) -> TextRow | Rejected:
        record = self.article(values, place)
        if isinstance(record, Rejected):
            return record
        article = record.article
        published, seen = micros(article.published), micros(article.seen)
        return TextRow(
            article.id,
            article.text,
            flags_of(record),
            NEVER if published is None else published,
            NEVER if seen is None else seen,
            whose(article) if self._sources else None,
        )


@lru_cache(maxsize=1)
def boilerplate_of(path: Path) -> Boilerplate:
    """The lines that are left out of texts, by the file they stand in."""
    return read_lines(path)


def flags_of(record: Row) -> int:
    """What is to be known of a row to write it again."""
    changed = (
        record.id_column is not None and str(record.values[record.id_column]) != record.article.id
    )
    rewrite = REWRITE if changed or not OWN_COLUMNS.isdisjoint(record.values) else 0
    return (
        (NO_ID if record.id_column is None else 0) | rewrite | (HTML if record.article.html else 0)
    )


def _time(value: Any) -> int:
    time = micros(read_time(value))
    return NEVER if time is None else time


def values_of(raw: Raw, file: str) -> Record:
    """The values of a line, or why there are none."""
    if raw.why is None:
        try:
            values = orjson.loads(raw.data)
            if type(values) is dict and not (
                float in map(type, values.values()) and _loses_digits(values)
            ):
                return Place(file, raw.start), values
        except orjson.JSONDecodeError:
            pass
    return read_line(Place(file, raw.start), Line(0, raw.data + b"\n", raw.why))


def _loses_digits(values: Values) -> bool:
    """Whether a number may have more digits than were read."""
    return any(type(value) is float and abs(value) >= 1 << 53 for value in values.values())


def lines_of(source: Input, unit: Unit) -> Iterator[Raw]:
    """The lines of a part of a plain file that are not blank."""
    at, left, tail = unit.start, unit.end - unit.start, b""
    long = False
    with Path(source.path).open("rb") as file:
        file.seek(at)
        while left > 0 and (piece := file.read(min(PIECE, left))):
            left -= len(piece)
            lines = (tail + piece).split(b"\n")
            tail = lines.pop()
            for line in lines:
                if long or (line and not line.isspace()):
                    yield _raw(at, line, long)
                at, long = at + len(line) + 1, False
            if len(tail) > LONGEST:
                at, tail, long = at + len(tail), b"", True
    if long or (tail and not tail.isspace()):
        yield _raw(at, tail, long)


def _raw(at: int, line: bytes, long: bool) -> Raw:
    if long or len(line) > LONGEST:
        return Raw(at, line[:PIECE], f"longer than {LONGEST >> 20} MB")
    if at == 0 and line.startswith(UTF8_BOM):
        return Raw(len(UTF8_BOM), line.removeprefix(UTF8_BOM))
    return Raw(at, line)


def stream_lines(source: Input) -> Iterator[Raw]:
    """The lines of a packed file that are not blank; they stand at their numbers."""
    with Stream(Path(source.path)) as stream:
        for line in stream.lines():
            if line.data.strip() or line.why:
                yield Raw(line.number, line.data.rstrip(b"\r\n"), line.why)


def read_records(
    source: Input, unit: Unit, sample: float | None = None
) -> Iterator[tuple[Raw | None, Record]]:
    """Every record of a part of a file, with its line where it is one.

    Of a file that cannot be parted a sample is every so many rows.
    """
    records = _all_records(source, unit)
    step = 1 if sample is None or unit.end != WHOLE else max(1, round(1 / sample))
    return islice(records, 0, None, step)


def _all_records(source: Input, unit: Unit) -> Iterator[tuple[Raw | None, Record]]:
    if source.format != "jsonl":
        file = Source(source.name, Path(source.path), source.format)
        yield from ((None, record) for record in read_file_records(file))
        return
    for raw in lines_of(source, unit) if source.plain else stream_lines(source):
        yield raw, values_of(raw, source.name)
