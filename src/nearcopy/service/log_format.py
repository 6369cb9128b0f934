"""Logs: a line for every event, with the id of the request it belongs to."""

import json
import logging
import re
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from secrets import token_hex

log = logging.getLogger("nearcopy.service")
request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
caller: ContextVar[str | None] = ContextVar("caller", default=None)
GIVEN = re.compile(r"[A-Za-z0-9._-]{1,64}")
PLAIN = "%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s"
CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160), 0x2028, 0x2029)}


def set_up(level: str, *, as_json: bool) -> None:
    """Log to stderr from now on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if as_json else OneLine(PLAIN))
    handler.addFilter(_with_request)
    for name in ("nearcopy", "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [] if "." in name else [handler]
        logger.setLevel(level.upper())
        logger.propagate = "." in name
    logging.getLogger("uvicorn.access").disabled = True


def id_of_request(given: str | None) -> str:
    """The id that a caller gave, where it is one; else a new one."""
    return given if given and GIVEN.fullmatch(given) else token_hex(8)


def _with_request(record: logging.LogRecord) -> bool:
    record.request_id = request_id.get() or "-"
    record.caller = caller.get()
    return True


class OneLine(logging.Formatter):
    """A line of text an event: nothing that is logged can begin another."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        """The line."""
        record.message = record.message.translate(CONTROLS)
        return super().formatMessage(record).encode("utf-8", "backslashreplace").decode()


class JsonLines(logging.Formatter):
    """A JSON object an event."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        content = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "request_id": getattr(record, "request_id", None),
            "caller": getattr(record, "caller", None),
        }
        content |= getattr(record, "fields", {})
        if record.exc_info:
            content["error"] = self.formatException(record.exc_info)
        return json.dumps(content)
