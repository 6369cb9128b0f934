"""Rows: what stands in one place of a file, as an article, or why it is none."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from hashlib import sha256
from typing import Any, NamedTuple

from nearcopy.errors import BadArticle
from nearcopy.io.files.column_names import Places, join_names
from nearcopy.io.files.dates import ABSENT, read_time
from nearcopy.models import Article

FIELDS = frozenset(field.name for field in fields(Article))
TIMES = [part for part in ("published", "seen") if part in FIELDS]
FLAGS = {
    **dict.fromkeys(("true", "1", "yes", "y", "t", "html"), True),
    **dict.fromkeys(("false", "0", "no", "n", "f", "text", *ABSENT), False),
}
NAMES_OF_SOURCE = ("name", "title", "domain", "id")  # of a source that is an object
ADDRESS = re.compile(r"https?://[^\s/]+/\S", re.IGNORECASE)  # of a page, not of a site alone
Values = dict[str, Any]


class Place(NamedTuple):
    """Where a row stands: the file as it was named, and the line, or in Parquet the row."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Row:
    """An article, the place it stands in, and the values there as they are."""

    place: Place
    values: Values
    article: Article
    id_column: str | None = None  # the column the id is from; None where there is none


@dataclass(frozen=True, slots=True)
class Rejected:
    """What cannot be read as an article, and why."""

    place: Place
    why: str
    raw: Any  # the line, or its values where it could be parsed

    def as_values(self) -> Values:
        """The row as values of an output file: file, line, reason, raw."""
        return {"file": self.place.file, "line": self.place.line, "why": self.why, "raw": self.raw}


def read_row(place: Place, values: Values, places: Places, *, html: bool = False) -> Row | Rejected:
    """The values as an article, or why they are none."""
    try:
        return Row(place, values, *_article(values, places, html))
    except BadArticle as exc:
        return Rejected(place, str(exc), values)


def _article(values: Values, places: Places, html: bool) -> tuple[Article, str | None]:
    parts: Values = {
        "title": _text(values, places, "title", numbers=True) or "",
        "text": _text(values, places, "text") or "",
        "html": html,
        "url": _text(values, places, "url"),
        "canonical_url": _text(values, places, "canonical_url"),
        "source": _source(values, places),
        "language": _text(values, places, "language"),
        "tier": _tier(values, places),
    }
    if not parts["url"] and ADDRESS.match(parts["source"] or ""):
        parts |= _address_in_source(values, places)
    for part in TIMES:
        parts[part] = _time(values, places, part)
    if places["html"]:
        _see_html(values, places, parts)
    id_column, id_value = _first(values, places["id"])
    parts["id"] = _words("id", id_value, numbers=True) or _made_id(parts, values)
    return Article(**parts), id_column


def _address_in_source(values: Values, places: Places) -> Values:
    """The address that stands where the outlet should, as trafilatura has it, and the outlet."""
    name, value = _first(values, places["source"])
    if not isinstance(value, str):
        return {}
    remaining = tuple(column for column in places["source"] if column != name)
    return {"url": value, "source": _source(values, {**places, "source": remaining})}


def _made_id(parts: Values, values: Values) -> str:
    """The id of a row that has none: its address, else what it says."""
    if parts["url"]:
        return str(parts["url"])
    if not (parts["title"].strip() or parts["text"].strip()):
        raise BadArticle(
            f"neither an id nor a title, text or url, of what it has: {join_names(values, 8)}; "
            "give one of these, or name the column that it stands in"
        )
    content = f"{parts['title']}\n{parts['text']}".encode("utf-8", "surrogatepass")
    return f"t-{sha256(content).hexdigest()[:16]}"


def _first(values: Values, names: tuple[str, ...]) -> tuple[str | None, Any]:
    """The first of the columns that has something in it, else the first with nothing."""
    for name in names:
        value = values[name]
        if value is not None and value != "" and value == value:
            return name, value
    return names[0] if names else None, None


def _text(values: Values, places: Places, part: str, *, numbers: bool = False) -> str | None:
    names = places[part]
    return _words(part, _first(values, names)[1], numbers=numbers) if names else None


def _words(part: str, value: Any, *, numbers: bool = False) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if numbers and isinstance(value, int | float) and not isinstance(value, bool):
        whole = isinstance(value, float) and value.is_integer()
        return str(int(value) if whole else value)
    raise BadArticle(f"{part} must be text, got {type(value).__name__}: {value!r:.60}")


def _source(values: Values, places: Places) -> str | None:
    """The outlet; some interfaces give it as an object with a name."""
    _, value = _first(values, places["source"])
    if isinstance(value, Mapping):
        value = next((value[name] for name in NAMES_OF_SOURCE if value.get(name)), None)
    return _words("source", value, numbers=True)


def _tier(values: Values, places: Places) -> int | None:
    _, value = _first(values, places["tier"])
    if isinstance(value, str):
        value = value.strip()
        if value.casefold() in ABSENT:
            return None
        if len(value) <= 9 and value.isascii() and value.isdigit():
            return int(value)
    elif isinstance(value, float) and value.is_integer():
        return int(value)
    elif value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise BadArticle(f"tier must be a whole number, got {value!r:.60}")


def _time(values: Values, places: Places, part: str) -> Any:
    _, value = _first(values, places[part])
    try:
        return read_time(value)
    except BadArticle as exc:
        raise BadArticle(f"{part} is {exc}") from exc


def _see_html(values: Values, places: Places, parts: Values) -> None:
    """Takes note whether the text is HTML; a column of whole pages is the text where none is."""
    _, value = _first(values, places["html"])
    if isinstance(value, bool | int | float | None):  # pandas has floats where some are missing
        parts["html"] = bool(value) or parts["html"]
    elif isinstance(value, str) and (flag := FLAGS.get(value[:9].strip().casefold())) is not None:
        parts["html"] = flag or parts["html"]
    elif not (isinstance(value, str) and "<" in value):
        raise BadArticle(f"html must be true or false, got {value!r:.60}")
    elif not parts["text"]:
        parts["text"], parts["html"] = value, True
