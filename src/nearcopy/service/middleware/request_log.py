"""Every request observed: its id, its line in the log, its count; no fault goes unanswered."""

import time

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nearcopy.service.log_format import caller, id_of_request, log, request_id
from nearcopy.service.metrics import Metrics
from nearcopy.service.problems import problem_of

QUIET = frozenset({"/healthz", "/readyz"})  # asked all the time


class Observed:
    """Logs and counts what passes."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        name = id_of_request(HTTPConnection(scope).headers.get("x-request-id"))
        request_id.set(name)
        caller.set(None)
        start, status = time.perf_counter(), 0

        async def noticed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message.setdefault("headers", []).append((b"x-request-id", name.encode()))
            await send(message)

        try:
            await self._app(scope, receive, noticed)
        except Exception as wrong:
            if status:  # too late to say so
                log.exception("a fault while answering")
                raise
            await problem_of(wrong).response()(scope, receive, noticed)
        finally:
            self._told(scope, status, time.perf_counter() - start)

    def _told(self, scope: Scope, status: int, seconds: float) -> None:
        method = scope["method"] if scope["method"] in KNOWN else "other"
        self._metrics.answered(method, _route(scope), status)
        write = log.debug if scope["path"] in QUIET else log.info
        fields = {"method": method, "path": scope["path"][:500], "status": status}
        write(
            "%s %s %d in %.1f ms",
            method,
            fields["path"],
            status,
            1000 * seconds,
            extra={"fields": fields | {"ms": round(1000 * seconds, 1)}},
        )


KNOWN = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def _route(scope: Scope) -> str:
    """The pattern of the path, so that there are few of them."""
    return str(getattr(scope.get("route"), "path", "none"))
