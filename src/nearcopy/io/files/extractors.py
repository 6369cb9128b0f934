"""Results of extractors such as trafilatura and newspaper, as articles."""

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

from nearcopy.errors import BadArticle
from nearcopy.io.files.column_names import GUESSES, Columns
from nearcopy.io.files.rows import Place, Rejected, Values, read_row
from nearcopy.models.model import Article

COLUMNS = Columns()
PLACE = Place("result", 1)
NAMES = tuple(dict.fromkeys(name for names in GUESSES.values() for name in names))
PLAIN = (str, int, float, date, Mapping)


def article_from_extractor(result: object) -> Article:
    """What was extracted from a page, as an article: an object, a dict, or JSON.

    >>> page = {"title": "Tea", "source": "https://a.example/tea", "hostname": "a.example"}
    >>> article_from_extractor(page).url
    'https://a.example/tea'
    """
    if isinstance(result, Article):
        return result
    values = _values(result)
    result_row = read_row(PLACE, values, COLUMNS.places(tuple(values)))
    if isinstance(result_row, Rejected):
        raise BadArticle(result_row.why)
    return result_row.article


def _values(result: object) -> Values:
    if isinstance(result, str | bytes):
        result = _decoded(result)
    if isinstance(result, Mapping):
        return {str(name): value for name, value in result.items()}
    if result is None:
        raise BadArticle("nothing was extracted: the page has no text that could be told apart")
    if getattr(result, "is_parsed", True) is False:
        raise BadArticle("this is not parsed yet: call its parse() first")
    return _attributes(result)


def _decoded(text: str | bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise BadArticle(f"not JSON that can be read: {exc}") from None
    if not isinstance(value, dict):
        raise BadArticle(f"expected an object, got {type(value).__name__}")
    return value


def _attributes(result: object) -> Values:
    """What an object says of an article; its methods and parts that are no values are left."""
    attributes = {name: getattr(result, name, None) for name in NAMES}
    values = {name: value for name, value in attributes.items() if isinstance(value, PLAIN)}
    if not values:
        raise BadArticle(f"{type(result).__name__} says nothing of an article: give a dict")
    return values
