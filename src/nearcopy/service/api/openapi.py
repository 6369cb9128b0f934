"""What the OpenAPI document says of requests that are read by hand, and of problems."""

from typing import Any

from nearcopy.service.json_response import JSON, NDJSON
from nearcopy.service.problems import MEDIA_TYPE, TITLES
from nearcopy.service.schemas.requests import Accept, ActIn, ArticleIn, FeedbackIn
from nearcopy.service.schemas.responses import LineError, ProblemShape, Tried, VerdictShape

ARTICLE = ArticleIn.model_json_schema()
ACCEPT = Accept.model_json_schema()
ACT = ActIn.model_json_schema()
FEEDBACK = FeedbackIn.model_json_schema()
PROBLEM = {"content": {MEDIA_TYPE: {"schema": ProblemShape.model_json_schema()}}}
PREFIX = "/api/v1"
ANYWHERE = (400, 401, 403, 404, 405, 413, 421, 422, 429, 500, 503)


def problems(*more: int) -> dict[int | str, dict[str, Any]]:
    """The problems that an answer may be."""
    return {
        status: {"description": TITLES[status], **PROBLEM} for status in sorted({*ANYWHERE, *more})
    }


def articles_body(around: str, *, lines: bool = False) -> dict[str, Any]:
    """A body of one article, or of several."""
    listed = {"type": "array", "items": ARTICLE}
    wrapped = {"type": "object", "properties": {around: listed}, "required": [around]}
    content: dict[str, Any] = {JSON: {"schema": {"anyOf": [ARTICLE, listed, wrapped]}}}
    if lines:
        content[NDJSON] = {"schema": {"type": "string", "description": "An article a line."}}
    return {"requestBody": {"required": True, "content": content}}


def feedback_body() -> dict[str, Any]:
    """A body that says something of two articles."""
    return {"requestBody": {"required": True, "content": {JSON: {"schema": FEEDBACK}}}}


def act_body() -> dict[str, Any]:
    """A body that says what to do to a story."""
    return {"requestBody": {"required": True, "content": {JSON: {"schema": ACT}}}}


def accept_body() -> dict[str, Any]:
    """A body that accepts what was shown."""
    return {"requestBody": {"required": True, "content": {JSON: {"schema": ACCEPT}}}}


def file_body() -> dict[str, Any]:
    """A body that is a file."""
    about = "JSON lines, JSON, CSV, TSV, RSS, Atom or OPML."
    file = {"schema": {"type": "string", "format": "binary", "description": about}}
    return {"requestBody": {"required": True, "content": {"application/octet-stream": file}}}


def tried_lines() -> dict[str, Any]:
    """Verdicts on the articles of a file as lines."""
    about = "A line for each article, or why it is none."
    line = Tried.model_json_schema()
    return {NDJSON: {"schema": {"type": "string", "description": about, "x-line": line}}}


def token_body() -> dict[str, Any]:
    """A body with a token."""
    schema = {
        "type": "object",
        "properties": {"token": {"type": "string"}},
        "required": ["token"],
        "additionalProperties": False,
    }
    return {"requestBody": {"required": True, "content": {JSON: {"schema": schema}}}}


def verdict_lines() -> dict[str, Any]:
    """Verdicts as lines, and lines that tell of errors."""
    either = {"anyOf": [VerdictShape.model_json_schema(), LineError.model_json_schema()]}
    about = f"With {NDJSON}: a line for each that was sent, as soon as it is stored."
    return {NDJSON: {"schema": {"type": "string", "description": about, "x-line": either}}}
