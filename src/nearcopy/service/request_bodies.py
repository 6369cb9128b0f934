"""Bodies: what is sent, read as articles, with the field named that cannot be."""

import asyncio
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from nearcopy.errors import BadArticle
from nearcopy.io.files import Columns, Place, Rejected, Row
from nearcopy.io.files.column_names import GUESSES
from nearcopy.io.files.decompress import not_utf8
from nearcopy.io.files.json import DECODER
from nearcopy.io.files.rows import read_row
from nearcopy.io.streams.parse import check_storable
from nearcopy.models.model import Article
from nearcopy.service.json_response import JSON
from nearcopy.service.problems import Problem
from nearcopy.service.settings import Settings

LARGE = 1 << 16  # bytes that are read in a thread of their own
TEXTS = ("id", "title", "text", "url", "canonical_url", "source", "language")
COLUMNS = Columns()
BODY = "body"
Model = TypeVar("Model", bound=BaseModel)


class Given(NamedTuple):
    """The rows of a body, and whether it was one by itself."""

    rows: list[Row]
    single: bool

    @property
    def articles(self) -> list[Article]:
        """The rows as articles."""
        return [each.article for each in self.rows]


async def json_body(request: Request) -> Any:
    """What is sent, which must be JSON."""
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind != JSON and not (kind.startswith("application/") and kind.endswith("+json")):
        raise Problem(415, f"content-type is {kind!r:.60}: send application/json")
    body = await request.body()
    return await asyncio.to_thread(_decoded, body) if len(body) > LARGE else _decoded(body)


def model_of(model: type[Model], body: Any) -> Model:
    """The body as a model has it; a problem that names the fields where it is not."""
    try:
        return model.model_validate(body, strict=True)
    except ValidationError as wrong:
        errors = [
            {"field": ".".join(map(str, each["loc"])) or BODY, "detail": each["msg"]}
            for each in wrong.errors(include_url=False, include_input=False)
        ]
        listed = "; ".join(f"{each['field']}: {each['detail']}" for each in errors)
        raise Problem(422, listed, errors) from None


def _decoded(body: bytes) -> Any:
    try:
        return DECODER.decode(body.decode("utf-8-sig"))
    except UnicodeDecodeError as wrong:
        raise Problem(400, f"the body is {not_utf8(wrong)}") from None
    except (ValueError, RecursionError) as wrong:
        raise Problem(
            400, f"the body is not JSON that can be read: {wrong}; send an object"
        ) from None


async def given_rows(request: Request, settings: Settings, around: str) -> Given:
    """One article, a list of them, or an object with the list under the name `around`."""
    body = await json_body(request)
    inside = body.get(around) if isinstance(body, dict) else None
    found = inside if isinstance(inside, list) else body
    if not isinstance(found, list | dict):
        raise Problem(422, f"send an article, a list, or {around} with a list", _named(around))
    values = found if isinstance(found, list) else [found]
    if len(values) > settings.max_batch:
        most = settings.max_batch
        raise Problem(
            413, f"{len(values):,} at once, {most:,} are the most: send a stream of lines"
        )
    if len(values) > 1:
        return Given(await asyncio.to_thread(_rows, values, settings, around), False)
    return Given(_rows(values, settings, around), isinstance(found, dict))


def _named(field: str) -> list[dict[str, str]]:
    return [{"field": field, "detail": "expected an object or a list of objects"}]


def _rows(values: list[Any], settings: Settings, around: str) -> list[Row]:
    rows: list[Row] = []
    errors: list[dict[str, str]] = []
    for place, each in enumerate(values):
        try:
            rows.append(row_of(each, settings, place + 1))
        except BadArticle as wrong:
            field = _field(str(wrong))
            errors.append({"field": f"{around}.{place}{field}", "detail": str(wrong)})
    if errors:
        more = f"; {len(errors) - 1} more are wrong" if len(errors) > 1 else ""
        first = errors[0]
        raise Problem(422, f"{first['field']}: {first['detail']}{more}; nothing was done", errors)
    return rows


def row_of(values: Any, settings: Settings, number: int) -> Row:
    """The values as a row; raises where they are none, or too long."""
    if not isinstance(values, dict):
        raise BadArticle(f"expected an object, got {type(values).__name__}")
    found = read_row(Place(BODY, number), values, COLUMNS.places(tuple(values)))
    if isinstance(found, Rejected):
        raise BadArticle(found.why)
    check_article(found.article, settings)
    return found


def check_article(article: Article, settings: Settings) -> None:
    """Raises where an article is too long for this service, or nothing a store can keep."""
    most = settings.max_text_chars
    for name in TEXTS:
        if len(getattr(article, name) or "") > most:
            raise BadArticle(f"{name} has more than {most:,} characters: shorten it")
    check_storable(article)


def _field(why: str) -> str:
    name = why.split(" ", 1)[0].strip(",:")
    return f".{name}" if name in GUESSES else ""
