"""Messages as articles, or why they are none."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from nearcopy.errors import BadArticle
from nearcopy.io.files import Columns, Place, Rejected
from nearcopy.io.files.decompress import not_utf8
from nearcopy.io.files.json import DECODER
from nearcopy.io.files.rows import read_row
from nearcopy.io.streams.messages import Message
from nearcopy.models.model import Article
from nearcopy.stores.row_codec import whole

COLUMNS = Columns()
LARGEST_TIER = 1 << 31


def article_of(message: Message) -> Article:
    """The article of a message; one without an id is named after its place."""
    if message.why:
        raise BadArticle(message.why)
    return article_from(_values(message), message.place)


def article_from(values: dict[str, Any], name: str) -> Article:
    """The values as an article that a store can keep; one without an id has this name."""
    parsed = read_row(Place(name, 1), values, COLUMNS.places(tuple(values)))
    if isinstance(parsed, Rejected):
        raise BadArticle(parsed.why)
    has_id = parsed.id_column is not None and values[parsed.id_column] not in (None, "")
    article = parsed.article if has_id else replace(parsed.article, id=name)
    check_storable(article)
    return article


def check_storable(article: Article) -> None:
    """Raises where an article says nothing, or is nothing that a store can keep."""
    if whole(article.id) != article.id:
        raise BadArticle("id has half a surrogate pair: no store can keep it")
    if article.tier is not None and abs(article.tier) >= LARGEST_TIER:
        raise BadArticle("tier is beyond what a store can keep: give a small whole number")
    if not (article.title.strip() or article.text.strip() or article.url or article.canonical_url):
        raise BadArticle("text, title and url are missing or empty: give one of them")


def _values(message: Message) -> dict[str, Any]:
    fields = message.fields
    if fields is None:
        return _decoded(message.data)
    only = next(iter(fields.values())) if len(fields) == 1 else b""
    names = tuple(name.decode("utf-8", "replace") for name in fields)
    if only.lstrip().startswith(b"{") or (only and not any(COLUMNS.places(names).values())):
        return _decoded(only)
    return _texts(fields)


def _texts(fields: Mapping[bytes, bytes]) -> dict[str, Any]:
    try:
        return {name.decode(): value.decode() for name, value in fields.items()}
    except UnicodeDecodeError as exc:
        raise BadArticle(not_utf8(exc)) from None


def _decoded(data: bytes) -> dict[str, Any]:
    try:
        value = DECODER.decode(data.decode("utf-8-sig"))
    except UnicodeDecodeError as exc:
        raise BadArticle(not_utf8(exc)) from None
    except (ValueError, RecursionError) as exc:
        raise BadArticle(f"not JSON that can be read: {exc}") from None
    if not isinstance(value, dict):
        raise BadArticle(f"expected an object, got {type(value).__name__}")
    return value
