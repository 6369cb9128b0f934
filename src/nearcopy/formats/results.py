"""Results of extractors such as trafilatura and newspaper, as articles."""

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

from nearcopy.errors import BadArticle
from nearcopy.formats.columns import GUESSES, Columns
from nearcopy.formats.rows import Place, Rejected, Values, row
from nearcopy.model import Article

COLUMNS = Columns()
PLACE = Place("result", 1)
NAMES = tuple(dict.fromkeys(name for names in GUESSES.values() for name in names))
PLAIN = (str, int, float, date, Mapping)


def extracted(result: object) -> Article:
    """What was extracted from a page, as an article: an object, a dict, or JSON.

    >>> extracted({"title": "Tea", "source": "https://a.example/tea", "hostname": "a.example"}).url
    'https://a.example/tea'
    """
    if isinstance(result, Article):
        return result
    values = _values(result)
    found = row(PLACE, values, COLUMNS.places(tuple(values)))
    if isinstance(found, Rejected):
        raise BadArticle(found.why)
    return found.article


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
        found = json.loads(text)
    except (ValueError, RecursionError) as wrong:
        raise BadArticle(f"not JSON that can be read: {wrong}") from None
    if not isinstance(found, dict):
        raise BadArticle(f"expected an object, got {type(found).__name__}")
    return found


def _attributes(result: object) -> Values:
    """What an object says of an article; its methods and parts that are no values are left."""
    found = {name: getattr(result, name, None) for name in NAMES}
    values = {name: value for name, value in found.items() if isinstance(value, PLAIN)}
    if not values:
        raise BadArticle(f"{type(result).__name__} says nothing of an article: give a dict")
    return values
