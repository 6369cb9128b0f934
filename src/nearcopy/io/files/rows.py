"""Rows as articles: from the values of a file, or from the result of an extractor.

Which column holds which field of an article is named, or guessed.
"""

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from datetime import date
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

from nearcopy.errors import BadArticle, NearcopyError
from nearcopy.extract.word_lists import load_word_lists
from nearcopy.io.files.dates import ABSENT, read_time
from nearcopy.models import Article

GUESSES: Mapping[str, tuple[str, ...]] = {
    part: tuple(names) for part, names in load_word_lists(__package__, "column_names.toml").items()
}
CONTENT = ("id", "title", "text", "url")  # a row needs one of these
PLAIN = {ord(mark): None for mark in "_- ."}
FLAGS = {
    **dict.fromkeys(("true", "1", "yes", "y", "t", "html"), True),
    **dict.fromkeys(("false", "0", "no", "n", "f", "text", *ABSENT), False),
}
SOURCE_NAME_KEYS = ("name", "title", "domain", "id")  # of an outlet that is an object
PAGE_URL = re.compile(r"https?://[^\s/]+/\S", re.IGNORECASE)  # of a page, not of a site
Values = dict[str, Any]
Places = Mapping[str, tuple[str, ...]]  # fields of an article, and the columns that may hold each


# Columns.


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The columns by name; those that are None are guessed.

    >>> Columns(text="story").places(("_id", "story", "pubDate"))["text"]
    ('story',)
    """

    id: str | None = None
    title: str | None = None
    text: str | None = None
    url: str | None = None
    canonical_url: str | None = None
    source: str | None = None
    published: str | None = None
    seen: str | None = None
    language: str | None = None
    tier: str | None = None
    html: str | None = None

    def places(self, names: tuple[str, ...]) -> Places:
        """The columns that may hold each field, the likeliest first."""
        small = len(names) < 200 and sum(map(len, names)) < 10_000
        return _places(self, names) if small else _places.__wrapped__(self, names)

    def check(self, names: Collection[str], file: str) -> None:
        """Raise where a column that was named does not exist."""
        for part, name in self.named.items():
            if name not in names and _plain(name) not in map(_plain, names):
                raise NearcopyError(
                    f"{file} has no column {name!r} for {part}: "
                    f"its columns are {join_names(names)}; name one of these"
                )

    @property
    def named(self) -> dict[str, str]:
        """The columns that were named."""
        chosen = {field.name: getattr(self, field.name) for field in fields(self)}
        return {part: name for part, name in chosen.items() if name is not None}


GUESSED = Columns()


def join_names(names: Collection[str], limit: int = 40) -> str:
    """The names in one line, for a message."""
    shown = ", ".join(f"{name:.60}" for name in list(names)[:limit])
    return f"{shown}, ..." if len(names) > limit else shown or "none"


@lru_cache(maxsize=256)
def _places(columns: Columns, names: tuple[str, ...]) -> Places:
    plain: dict[str, str] = {}
    for name in names:
        plain.setdefault(_plain(name), name)
    return {
        part: _match_names(getattr(columns, part), guesses, names, plain)
        for part, guesses in GUESSES.items()
    }


def _match_names(
    chosen: str | None, guesses: tuple[str, ...], names: tuple[str, ...], plain: Mapping[str, str]
) -> tuple[str, ...]:
    if chosen is not None and chosen in names:
        return (chosen,)
    candidates = guesses if chosen is None else (chosen,)
    matches = (plain.get(_plain(name)) for name in candidates)
    return tuple(dict.fromkeys(name for name in matches if name is not None))


def _plain(name: str) -> str:
    return name[:100].casefold().translate(PLAIN)


# Rows.


class Place(NamedTuple):
    """Where a row is: the file as it was named, and the line, or in Parquet the row."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Row:
    """An article, where it is, and the values it was read from."""

    place: Place
    values: Values
    article: Article
    id_column: str | None = None  # the column of the id, if any


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row that is not an article, and why."""

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
    if not parts["url"] and PAGE_URL.match(parts["source"] or ""):
        parts |= _address_in_source(values, places)
    for part in ("published", "seen"):
        parts[part] = _time(values, places, part)
    if places["html"]:
        _read_html_column(values, places, parts)
    id_column, id_value = _first(values, places["id"])
    parts["id"] = _as_words("id", id_value, numbers=True) or _derive_id(parts, values)
    return Article(**parts), id_column


def _address_in_source(values: Values, places: Places) -> Values:
    """The URL in the column of the outlet, as trafilatura has it, and the outlet."""
    name, value = _first(values, places["source"])
    if not isinstance(value, str):
        return {}
    remaining = tuple(column for column in places["source"] if column != name)
    return {"url": value, "source": _source(values, {**places, "source": remaining})}


def _derive_id(parts: Values, values: Values) -> str:
    """The id of a row that has none: its URL, else a hash of its content."""
    if parts["url"]:
        return str(parts["url"])
    if not (parts["title"].strip() or parts["text"].strip()):
        raise BadArticle(
            f"neither an id nor a title, text or url, only {join_names(values, 8)}: "
            "give one of these, or name its column"
        )
    content = f"{parts['title']}\n{parts['text']}".encode("utf-8", "surrogatepass")
    return f"t-{sha256(content).hexdigest()[:16]}"


def _first(values: Values, names: tuple[str, ...]) -> tuple[str | None, Any]:
    """The first column that has a value, else the first column with None."""
    for name in names:
        value = values[name]
        if value is not None and value != "" and value == value:
            return name, value
    return names[0] if names else None, None


def _text(values: Values, places: Places, part: str, *, numbers: bool = False) -> str | None:
    names = places[part]
    return _as_words(part, _first(values, names)[1], numbers=numbers) if names else None


def _as_words(part: str, value: Any, *, numbers: bool = False) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if numbers and isinstance(value, int | float) and not isinstance(value, bool):
        whole = isinstance(value, float) and value.is_integer()
        return str(int(value) if whole else value)
    raise BadArticle(f"{part} must be text, got {type(value).__name__}: {value!r:.60}")


def _source(values: Values, places: Places) -> str | None:
    """The outlet; some APIs return it as an object with a name."""
    _, value = _first(values, places["source"])
    if isinstance(value, Mapping):
        value = next((value[name] for name in SOURCE_NAME_KEYS if value.get(name)), None)
    return _as_words("source", value, numbers=True)


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


def _read_html_column(values: Values, places: Places, parts: Values) -> None:
    """Set whether the text is HTML; a column of whole pages is the text if there is no other."""
    _, value = _first(values, places["html"])
    if isinstance(value, bool | int | float | None):  # pandas has floats where values are missing
        parts["html"] = bool(value) or parts["html"]
    elif isinstance(value, str) and (flag := FLAGS.get(value[:9].strip().casefold())) is not None:
        parts["html"] = flag or parts["html"]
    elif not (isinstance(value, str) and "<" in value):
        raise BadArticle(f"html must be true or false, got {value!r:.60}")
    elif not parts["text"]:
        parts["text"], parts["html"] = value, True


# Results of extractors.

RESULT = Place("result", 1)
ATTRIBUTES = tuple(dict.fromkeys(name for names in GUESSES.values() for name in names))
VALUE_TYPES = (str, int, float, date, Mapping)


def article_from_extractor(result: object) -> Article:
    """The article in the result of trafilatura, newspaper and similar: an object, a dict, or JSON.

    >>> page = {"title": "Tea", "source": "https://a.example/tea", "hostname": "a.example"}
    >>> article_from_extractor(page).url
    'https://a.example/tea'
    """
    if isinstance(result, Article):
        return result
    values = _extracted_values(result)
    result_row = read_row(RESULT, values, GUESSED.places(tuple(values)))
    if isinstance(result_row, Rejected):
        raise BadArticle(result_row.why)
    return result_row.article


def _extracted_values(result: object) -> Values:
    if isinstance(result, str | bytes):
        result = _parse_json(result)
    if isinstance(result, Mapping):
        return {str(name): value for name, value in result.items()}
    if result is None:
        raise BadArticle("nothing was extracted from the page")
    if getattr(result, "is_parsed", True) is False:
        raise BadArticle("not parsed yet: call parse() first")
    return _attributes(result)


def _parse_json(text: str | bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise BadArticle(f"not JSON: {exc}") from None
    if not isinstance(value, dict):
        raise BadArticle(f"expected an object, got {type(value).__name__}")
    return value


def _attributes(result: object) -> Values:
    """The attributes of an object that are fields of an article."""
    attributes = {name: getattr(result, name, None) for name in ATTRIBUTES}
    values = {name: value for name, value in attributes.items() if isinstance(value, VALUE_TYPES)}
    if not values:
        raise BadArticle(f"{type(result).__name__} has no fields of an article: give a dict")
    return values
