"""Logging: one line per event, with the id of its request and the caller."""

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
VALID_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
PLAIN = "%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s"
CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160), 0x2028, 0x2029)}


def configure_logging(level: str, *, as_json: bool) -> None:
    """Log to stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if as_json else PlainFormatter(PLAIN))
    handler.addFilter(_add_request)
    for name in ("nearcopy", "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [] if "." in name else [handler]
        logger.setLevel(level.upper())
        logger.propagate = "." in name
    logging.getLogger("uvicorn.access").disabled = True


def choose_request_id(header: str | None) -> str:
    """The id that the client sent, if valid; else a new one."""
    return header if header and VALID_ID.fullmatch(header) else token_hex(8)


def _add_request(record: logging.LogRecord) -> bool:
    record.request_id = request_id.get() or "-"
    record.caller = caller.get()
    return True


class PlainFormatter(logging.Formatter):
    """One line of text per event; control characters are escaped, so no value starts another."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        record.message = record.message.translate(CONTROLS)
        return super().formatMessage(record).encode("utf-8", "backslashreplace").decode()


class JsonFormatter(logging.Formatter):
    """One JSON object per event."""

    def format(self, record: logging.LogRecord) -> str:
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
