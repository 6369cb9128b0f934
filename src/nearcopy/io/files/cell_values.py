"""Values as JSON and as the text of a cell."""

import json
from collections.abc import Mapping
from datetime import date, datetime
from math import isfinite
from typing import Any

BETWEEN = "; "  # the entries of a list in a cell


def as_json(row: Any) -> bytes:
    """The value as JSON in UTF-8, whatever it holds; what JSON has no number for is null."""
    try:
        return _dumped(row).encode()
    except UnicodeEncodeError:  # half a surrogate pair, which JSON can hold and UTF-8 cannot
        return _dumped(row, ensure_ascii=True).encode()


def _dumped(row: Any, *, ensure_ascii: bool = False) -> str:
    try:
        return json.dumps(row, ensure_ascii=ensure_ascii, allow_nan=False, default=_plain)
    except ValueError:
        return json.dumps(_finite(row), ensure_ascii=ensure_ascii, default=_plain)


def _plain(value: Any) -> Any:
    """What JSON knows, for what it does not."""
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    return str(value)


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def as_cell(value: Any) -> str:
    """The value as the text of a cell; a list as its entries, an object as JSON."""
    if isinstance(value, str):
        return replace_lone_surrogates(value)
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return BETWEEN.join(map(as_cell, value))
    return as_text(value) or ""


def as_text(value: Any) -> str | None:
    """The value as text, JSON for what is none; None for what is absent."""
    if value is None or isinstance(value, str):
        return None if value is None else replace_lone_surrogates(value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    return as_json(value).decode()


def replace_lone_surrogates(text: str) -> str:
    """The text without halves of surrogate pairs, which no UTF-8 file can hold."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
