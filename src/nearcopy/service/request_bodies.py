"""Request bodies: JSON articles, validated models, HTML forms, and uploaded files."""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qsl

from pydantic import BaseModel, ValidationError
from starlette.requests import HTTPConnection, Request

from nearcopy.errors import BadArticle, NearcopyError
from nearcopy.io.feeds import feed_kind, feed_rows
from nearcopy.io.files import Columns, Place, Rejected, Row, UniqueIds, open_sources, read
from nearcopy.io.files.decompress import COMPRESSIONS, not_utf8
from nearcopy.io.files.json import DECODER
from nearcopy.io.files.rows import GUESSES, read_row
from nearcopy.io.streams.consumer import check_storable
from nearcopy.models import Article
from nearcopy.service.problems import JSON, Problem, validation_problem
from nearcopy.service.settings import Settings

THREAD_BYTES = 1 << 16  # larger bodies are parsed in a thread
TEXT_FIELDS = ("id", "title", "text", "url", "canonical_url", "source", "language")
COLUMNS = Columns()
BODY = "body"
FORM = "application/x-www-form-urlencoded"
NDJSON_TYPES = ("application/x-ndjson", "application/ndjson", "application/jsonl")
MAX_FORM_FIELDS = 50
# A compressed file may be far larger than it looks, so it is refused.
COMPRESSED = (*(compression.magic for compression in COMPRESSIONS), b"PAR1", b"PK\x03\x04")
MAX_FEED_BYTES = 4 << 20  # feeds are slow to parse
TABLES = (".jsonl", ".ndjson", ".csv", ".tsv")  # never parsed as feeds, whatever they contain
SUFFIXES = (*TABLES, ".json")
OPTIONS = re.compile(r"[;:] [^;:]*--")  # advice on command-line options in an error
ACCEPTED = "send JSON lines, CSV, RSS or OPML with a title, text or url per article"
Model = TypeVar("Model", bound=BaseModel)


class ArticlesBody(NamedTuple):
    """The rows of a body, and whether it was a single article."""

    rows: list[Row]
    single: bool

    @property
    def articles(self) -> list[Article]:
        return [row.article for row in self.rows]


# JSON.


async def read_json(request: Request) -> Any:
    """The JSON body of a request."""
    kind = media_type(request)
    if kind != JSON and not (kind.startswith("application/") and kind.endswith("+json")):
        raise Problem(415, f"content-type is {kind!r:.60}: send application/json")
    body = await request.body()
    return await asyncio.to_thread(_decode, body) if len(body) > THREAD_BYTES else _decode(body)


async def read_model(request: Request, model: type[Model]) -> Model:
    """The JSON body as a model; a problem that names each invalid field."""
    body = await read_json(request)
    try:
        return model.model_validate(body)
    except ValidationError as error:
        raise validation_problem(error.errors(include_url=False, include_input=False)) from None


async def read_articles(request: Request, settings: Settings, key: str) -> ArticlesBody:
    """One article, a list of articles, or an object with the list under the key."""
    body = await read_json(request)
    wrapped = body.get(key) if isinstance(body, dict) else None
    content = wrapped if isinstance(wrapped, list) else body
    if not isinstance(content, list | dict):
        errors = [{"field": key, "detail": "expected an object or a list of objects"}]
        raise Problem(422, f"send an article, a list, or {key} with a list", errors)
    values = content if isinstance(content, list) else [content]
    if len(values) > settings.max_batch:
        limit = f"{len(values):,} articles, the limit is {settings.max_batch:,}"
        raise Problem(413, f"{limit}: send a stream of JSON lines")
    if len(values) > 1:
        return ArticlesBody(await asyncio.to_thread(_rows, values, settings, key), False)
    return ArticlesBody(_rows(values, settings, key), isinstance(content, dict))


def media_type(request: HTTPConnection) -> str:
    """The content type of the body without its parameters; empty if there is none."""
    return request.headers.get("content-type", "").split(";")[0].strip().lower()


def _decode(body: bytes) -> Any:
    try:
        return DECODER.decode(body.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise Problem(400, f"the body is {not_utf8(error)}") from None
    except (ValueError, RecursionError) as error:
        raise Problem(400, f"the body is not valid JSON: {error}; send an object") from None


def _rows(values: list[Any], settings: Settings, key: str) -> list[Row]:
    rows: list[Row] = []
    errors: list[dict[str, str]] = []
    for place, value in enumerate(values):
        try:
            rows.append(to_row(value, settings, place + 1))
        except BadArticle as error:
            detail = str(error)
            name = detail.split(" ", 1)[0].strip(",:")
            field = f"{key}.{place}.{name}" if name in GUESSES else f"{key}.{place}"
            errors.append({"field": field, "detail": detail})
    if errors:
        more = f"; {len(errors) - 1} more are invalid" if len(errors) > 1 else ""
        first = errors[0]
        raise Problem(422, f"{first['field']}: {first['detail']}{more}; nothing was done", errors)
    return rows


def to_row(values: Any, settings: Settings, number: int) -> Row:
    """The values as an article row; raises BadArticle if they are invalid or too long."""
    if not isinstance(values, dict):
        raise BadArticle(f"expected an object, got {type(values).__name__}")
    row = read_row(Place(BODY, number), values, COLUMNS.places(tuple(values)))
    if isinstance(row, Rejected):
        raise BadArticle(row.why)
    check_article(row.article, settings)
    return row


def check_article(article: Article, settings: Settings) -> None:
    """Raise BadArticle if a field is too long, or a store cannot keep it."""
    limit = settings.max_text_chars
    for name in TEXT_FIELDS:
        if len(getattr(article, name) or "") > limit:
            raise BadArticle(f"{name} has more than {limit:,} characters: shorten it")
    check_storable(article)


# Forms.


async def read_form(request: Request) -> dict[str, str]:
    """The fields of an HTML form; the last value of repeated ones."""
    if media_type(request) != FORM:
        raise Problem(415, f"content-type is not {FORM}: send a form, or JSON to the API")
    body = (await request.body()).decode("utf-8", "replace")
    try:
        return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=MAX_FORM_FIELDS))
    except ValueError:
        raise Problem(422, f"the form has more than {MAX_FORM_FIELDS} fields") from None


# Files.


def read_upload(
    data: bytes, name: str, settings: Settings, *, unique_ids: bool
) -> list[Row | Rejected]:
    """Every row of an uploaded file, as an article or with the reason why it is invalid."""
    if data.startswith(COMPRESSED):
        raise Problem(415, "the file is compressed: send it as JSON lines, CSV, RSS or OPML")
    is_feed = not name.lower().endswith(TABLES) and feed_kind(data) is not None
    if is_feed and len(data) > MAX_FEED_BYTES:
        raise Problem(413, f"a feed may have {MAX_FEED_BYTES:,} bytes: send a part of it")
    if not data.strip():
        raise Problem(422, "the file is empty: send one with articles")
    rows = _feed_rows(data, name, settings) if is_feed else _file_rows(data, name, settings)
    unique = UniqueIds()
    return [unique(row) if unique_ids and isinstance(row, Row) else row for row in rows]


def _feed_rows(data: bytes, name: str, settings: Settings) -> Iterator[Row | Rejected]:
    for number, values in enumerate(feed_rows(data), start=1):
        row = read_row(Place(name, number), values, COLUMNS.places(tuple(values)))
        yield _check_row(row, settings)


def _file_rows(data: bytes, name: str, settings: Settings) -> Iterator[Row | Rejected]:
    suffix = next((suffix for suffix in SUFFIXES if name.lower().endswith(suffix)), "")
    with TemporaryDirectory(prefix="nearcopy-") as folder:
        path = Path(folder) / f"file{suffix}"
        path.write_bytes(data)
        try:
            with open_sources([str(path)]) as (source,):
                for row in read(replace(source, name=name or "file")):
                    yield _check_row(row, settings)
        except NearcopyError as error:
            message = str(error).replace(str(path), name or "file")
            raise Problem(422, f"{OPTIONS.split(message)[0]}: {ACCEPTED}") from None


def _check_row(row: Row | Rejected, settings: Settings) -> Row | Rejected:
    if isinstance(row, Rejected):
        return row
    try:
        check_article(row.article, settings)
    except BadArticle as error:
        return Rejected(row.place, str(error), row.values)
    return row
