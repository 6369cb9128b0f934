"""Taking rows: what is needed of each line of a file, and no more than that."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from nearcopy.corpus.boilerplate import Boilerplate, read_lines
from nearcopy.corpus.columns import OURS
from nearcopy.corpus.inputs import WHOLE, Input, Unit
from nearcopy.corpus.job import Settings
from nearcopy.errors import BadArticle
from nearcopy.fingerprint import whose
from nearcopy.formats.jsons import Record, read_line
from nearcopy.formats.reading import check_columns, records
from nearcopy.formats.rows import Place, Rejected, Row, Values, row
from nearcopy.formats.sources import Source
from nearcopy.formats.streams import LONGEST, MARK, Line, Stream
from nearcopy.formats.times import read_time
from nearcopy.stores.rows import micros

NEVER = -(1 << 62)  # no time
PIECE = 1 << 20
NO_ID, REWRITE, HTML = 1, 2, 4  # the row has no id of its own; cannot stay as it is; is HTML
MINE = frozenset(OURS)


class Taken(NamedTuple):
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

    def take(self, values: Values, place: Place) -> Taken | Rejected:
        """What is needed of a row."""
        names = tuple(values)
        if names != self._plan.names:
            self._plan = self._planned(names)
        plan = self._plan
        if plan.odd:
            return self._with_care(values, place)
        name, text = values[plan.id], values[plan.text]  # type: ignore[index]
        if type(name) is not str or type(text) is not str or not name or not text:
            return self._with_care(values, place)
        try:
            published = NEVER if plan.published is None else _time(values[plan.published])
            seen = NEVER if plan.seen is None else _time(values[plan.seen])
        except BadArticle:
            return self._with_care(values, place)
        return Taken(name, text, HTML if self._html else 0, published, seen, None)

    def article(self, values: Values, place: Place) -> Row | Rejected:
        """The row as an article, with all there is."""
        names = tuple(values)
        if not self._checked:
            self._planned(names)
        found = row(place, values, self._columns.places(names), html=self._html)
        if self._without is None or isinstance(found, Rejected):
            return found
        text = self._without.text_without(found.article)
        return replace(found, article=replace(found.article, text=text, html=False))

    def _planned(self, names: tuple[str, ...]) -> Plan:
        if not self._checked:
            check_columns(self._source.name, self._source.format, self._columns, names)
            self._checked = True
        places = self._columns.places(names)
        one = {part: found[0] if len(found) == 1 else None for part, found in places.items()}
        many = any(len(places[part]) > 1 for part in ("id", "text", "published", "seen"))
        odd = many or bool(places["html"]) or self._sources or not MINE.isdisjoint(names)
        odd = odd or one["id"] is None or one["text"] is None or self._without is not None
        return Plan(names, one["id"], one["text"], one["published"], one["seen"], odd)

    def _with_care(self, values: Values, place: Place) -> Taken | Rejected:
        found = self.article(values, place)
        if isinstance(found, Rejected):
            return found
        each = found.article
        published, seen = micros(each.published), micros(each.seen)
        return Taken(
            each.id,
            each.text,
            flags_of(found),
            NEVER if published is None else published,
            NEVER if seen is None else seen,
            whose(each) if self._sources else None,
        )


@lru_cache(maxsize=1)
def boilerplate_of(path: Path) -> Boilerplate:
    """The lines that are left out of texts, by the file they stand in."""
    return read_lines(path)


def flags_of(found: Row) -> int:
    """What is to be known of a row to write it again."""
    changed = found.id_column is not None and str(found.values[found.id_column]) != found.article.id
    rewrite = REWRITE if changed or not MINE.isdisjoint(found.values) else 0
    return (NO_ID if found.id_column is None else 0) | rewrite | (HTML if found.article.html else 0)


def _time(value: Any) -> int:
    found = micros(read_time(value))
    return NEVER if found is None else found


def values_of(raw: Raw, file: str) -> Record:
    """The values of a line, or why there are none."""
    if raw.why is None:
        try:
            values = orjson.loads(raw.data)
            if type(values) is dict and not (
                float in map(type, values.values()) and _beyond(values)
            ):
                return Place(file, raw.start), values
        except orjson.JSONDecodeError:
            pass
    return read_line(Place(file, raw.start), Line(0, raw.data + b"\n", raw.why))


def _beyond(values: Values) -> bool:
    """Whether a number may have more digits than were read."""
    return any(type(each) is float and abs(each) >= 1 << 53 for each in values.values())


def lines_of(source: Input, unit: Unit) -> Iterator[Raw]:
    """The lines of a part of a plain file that are not blank."""
    at, left, rest = unit.start, unit.end - unit.start, b""
    long = False
    with Path(source.path).open("rb") as file:
        file.seek(at)
        while left > 0 and (piece := file.read(min(PIECE, left))):
            left -= len(piece)
            lines = (rest + piece).split(b"\n")
            rest = lines.pop()
            for line in lines:
                if long or (line and not line.isspace()):
                    yield _raw(at, line, long)
                at, long = at + len(line) + 1, False
            if len(rest) > LONGEST:
                at, rest, long = at + len(rest), b"", True
    if long or (rest and not rest.isspace()):
        yield _raw(at, rest, long)


def _raw(at: int, line: bytes, long: bool) -> Raw:
    if long or len(line) > LONGEST:
        return Raw(at, line[:PIECE], f"longer than {LONGEST >> 20} MB")
    if at == 0 and line.startswith(MARK):
        return Raw(len(MARK), line.removeprefix(MARK))
    return Raw(at, line)


def streamed(source: Input) -> Iterator[Raw]:
    """The lines of a packed file that are not blank; they stand at their numbers."""
    with Stream(Path(source.path)) as stream:
        for line in stream.lines():
            if line.data.strip() or line.why:
                yield Raw(line.number, line.data.rstrip(b"\r\n"), line.why)


def found_in(
    source: Input, unit: Unit, sample: float | None = None
) -> Iterator[tuple[Raw | None, Record]]:
    """Every record of a part of a file, with its line where it is one.

    Of a file that cannot be parted a sample is every so many rows.
    """
    found = _found_in(source, unit)
    apart = 1 if sample is None or unit.end != WHOLE else max(1, round(1 / sample))
    return islice(found, 0, None, apart)


def _found_in(source: Input, unit: Unit) -> Iterator[tuple[Raw | None, Record]]:
    if source.format != "jsonl":
        told = Source(source.name, Path(source.path), source.format)
        yield from ((None, record) for record in records(told))
        return
    for raw in lines_of(source, unit) if source.plain else streamed(source):
        yield raw, values_of(raw, source.name)
