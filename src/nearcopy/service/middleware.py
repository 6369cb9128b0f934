"""ASGI middleware around every request: log and count, security headers, raw paths, limits."""

import asyncio
import time
from collections import OrderedDict
from urllib.parse import quote

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nearcopy.service.auth import Authenticator
from nearcopy.service.log_format import caller, choose_request_id, log, request_id
from nearcopy.service.metrics import Metrics
from nearcopy.service.problems import Problem, problem_of
from nearcopy.service.request_bodies import NDJSON_TYPES, media_type
from nearcopy.service.settings import Settings

MAX_CALLERS = 10_000  # whose rates are kept
PROBES = frozenset({"/healthz", "/readyz"})  # never limited, logged at level debug
ADD_PATH = "/api/v1/articles"
PREVIEW_PATH = "/api/v1/try"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
SECURITY_HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


class RequestLog:
    """Gives each request an id, logs and counts it, and answers unexpected errors."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        name = choose_request_id(HTTPConnection(scope).headers.get("x-request-id"))
        request_id.set(name)
        caller.set(None)
        start, status = time.perf_counter(), 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message.setdefault("headers", []).append((b"x-request-id", name.encode()))
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        except Exception as error:
            if status:  # the response has begun
                log.exception("internal error while responding")
                raise
            await problem_of(error).response()(scope, receive, send_with_id)
        finally:
            self._record(scope, status, time.perf_counter() - start)

    def _record(self, scope: Scope, status: int, seconds: float) -> None:
        method = scope["method"] if scope["method"] in METHODS else "other"
        route = str(getattr(scope.get("route"), "path", "none"))  # the pattern: few values
        self._metrics.responses.labels(method, route, str(status)).inc()
        write = log.debug if scope["path"] in PROBES else log.info
        fields = {"method": method, "path": scope["path"][:500], "status": status}
        write(
            "%s %s %d in %.1f ms",
            method,
            fields["path"],
            status,
            1000 * seconds,
            extra={"fields": fields | {"ms": round(1000 * seconds, 1)}},
        )


class SecurityHeaders:
    """Adds the security headers that a response does not set itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._headers = [(key.encode(), value.encode()) for key, value in SECURITY_HEADERS.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message.setdefault("headers", [])
                present = {name.lower() for name, _ in headers}
                defaults = (header for header in self._headers if header[0] not in present)
                message["headers"] = [*headers, *defaults]
            await send(message)

        await self._app(scope, receive, send_with_headers)


class RawPaths:
    """Routes by the undecoded path, so that an id in it may contain a slash (%2F)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            raw = scope.get("raw_path") or quote(scope["path"]).encode()
            scope["path"] = raw.split(b"?")[0].decode("ascii", "replace")
        await self._app(scope, receive, send)


class RateLimiter:
    """A token bucket per caller, which holds one second's worth of requests."""

    def __init__(self, per_second: int) -> None:
        self._per_second = per_second
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, caller: str, now: float) -> float:
        """Seconds until the caller may send a request; 0 if now."""
        if not self._per_second:
            return 0.0
        left, last = self._buckets.pop(caller, (float(self._per_second), now))
        left = min(float(self._per_second), left + (now - last) * self._per_second)
        wait = 0.0 if left >= 1 else (1 - left) / self._per_second
        self._buckets[caller] = (left if wait else left - 1, now)
        while len(self._buckets) > MAX_CALLERS:
            self._buckets.popitem(last=False)
        return wait


class RequestLimits:
    """Refuses requests that are too large, too frequent or too many; ends those that take long."""

    def __init__(self, app: ASGIApp, settings: Settings, authenticator: Authenticator) -> None:
        self._app, self._settings, self._authenticator = app, settings, authenticator
        self._rates = RateLimiter(settings.max_rate)
        self._running = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in PROBES:
            await self._app(scope, receive, send)
            return
        try:
            request = HTTPConnection(scope)
            self._check_rate(request)
            self._check_length(request)
        except Problem as problem:
            await problem.response()(scope, receive, send)
            return
        self._running += 1
        try:
            await self._run(scope, receive, send)
        finally:
            self._running -= 1

    def _check_rate(self, request: HTTPConnection) -> None:
        if self._running >= self._settings.max_at_once:
            raise Problem(429, f"{self._running} requests are running: try again in a second")
        wait = self._rates.wait(self._caller(request), time.monotonic())
        if wait:
            limit = f"the limit is {self._settings.max_rate} requests per second"
            raise Problem(429, f"{limit}: wait before the next", Retry_After=str(int(wait) + 1))

    def _caller(self, request: HTTPConnection) -> str:
        """The id of the token; without a valid one, the client address."""
        token = self._authenticator.token(request)
        return f"token {token.id}" if token else request.client.host if request.client else ""

    def _check_length(self, request: HTTPConnection) -> None:
        length = request.headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit() and len(length) < 19):
            raise Problem(400, f"content-length is {length!r:.60}: send a number")
        if int(length) > self._settings.max_body_bytes and not _is_stream(request):
            raise self._too_large()

    def _too_large(self) -> Problem:
        limit = f"a body may have {self._settings.max_body_bytes:,} bytes"
        return Problem(413, f"{limit}: send fewer articles, or a stream of JSON lines")

    async def _run(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the request with a limit on its body and a timeout; streams have their own."""
        if _is_stream(HTTPConnection(scope)):
            await self._app(scope, receive, send)
            return
        begun = False
        size = 0

        async def receive_limited() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > self._settings.max_body_bytes:
                raise self._too_large()
            return message

        async def send_noted(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        seconds = self._settings.max_seconds
        try:  # a preview responds line by line, for as long as lines come
            async with asyncio.timeout(None if scope["path"] == PREVIEW_PATH else seconds + 1):
                await self._app(scope, receive_limited, send_noted)
        except TimeoutError:
            if begun:
                raise
            late = Problem(503, f"no response within {seconds} seconds: try again")
            await late.response()(scope, receive, send)


def _is_stream(request: HTTPConnection) -> bool:
    return request.scope["path"] == ADD_PATH and media_type(request) in NDJSON_TYPES
