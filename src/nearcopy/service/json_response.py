"""Answers as bytes: JSON in UTF-8, whatever stood in an article."""

import json
from typing import Any

from starlette.responses import Response

JSON = "application/json"
NDJSON = "application/x-ndjson"


def as_json(content: Any) -> bytes:
    """The content as JSON, of letters where UTF-8 has them, else escaped."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:  # half a surrogate pair has no place in UTF-8
        return json.dumps(content, separators=(",", ":")).encode("ascii")


def answer(content: Any, status: int = 200, **headers: str) -> Response:
    """An answer in JSON."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(as_json(content), status, named, JSON)
