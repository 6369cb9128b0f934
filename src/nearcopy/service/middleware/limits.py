"""Limits: how much, how many, how often and how long."""

import asyncio
import time
from collections import OrderedDict
from urllib.parse import quote

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nearcopy.service.auth import Gate
from nearcopy.service.problems import Problem
from nearcopy.service.settings import Settings

CALLERS = 10_000  # whose rates are remembered
STREAMED = ("application/x-ndjson", "application/ndjson", "application/jsonl")
ALWAYS = frozenset({"/healthz", "/readyz"})


def streamed(content_type: str | None) -> bool:
    """Whether a body is lines, read one by one."""
    return (content_type or "").split(";")[0].strip().lower() in STREAMED


class Rates:
    """How often callers ask: each has so many requests a second, saved up to one second's."""

    def __init__(self, a_second: int) -> None:
        self._a_second = a_second
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, caller: str, now: float) -> float:
        """Seconds until the caller may ask, 0 where that is now."""
        if not self._a_second:
            return 0.0
        left, then = self._left.pop(caller, (float(self._a_second), now))
        left = min(float(self._a_second), left + (now - then) * self._a_second)
        wait = 0.0 if left >= 1 else (1 - left) / self._a_second
        self._left[caller] = (left - 1 if not wait else left, now)
        while len(self._left) > CALLERS:
            self._left.popitem(last=False)
        return wait


TRY = "/api/v1/try"


class Limits:
    """Refuses what is too much, before anything is done about it."""

    def __init__(self, app: ASGIApp, settings: Settings, gate: Gate) -> None:
        self._app, self._settings, self._gate = app, settings, gate
        self._rates = Rates(settings.max_rate)
        self._under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass it on, or answer with the problem."""
        if scope["type"] != "http" or scope["path"] in ALWAYS:
            await self._app(scope, receive, send)
            return
        try:
            request = HTTPConnection(scope)
            self._check_rate(request)
            self._check_length(request)
        except Problem as wrong:
            await wrong.response()(scope, receive, send)
            return
        self._under_way += 1
        try:
            await self._within_time(scope, receive, send)
        finally:
            self._under_way -= 1

    def _check_rate(self, request: HTTPConnection) -> None:
        if self._under_way >= self._settings.max_at_once:
            raise Problem(429, f"{self._under_way} requests are under way: try again in a second")
        wait = self._rates.wait(self._who(request), time.monotonic())
        if wait:
            often = f"no more than {self._settings.max_rate} requests a second"
            raise Problem(429, f"{often}: wait a little", Retry_After=str(int(wait) + 1))

    def _who(self, request: HTTPConnection) -> str:
        """The token that asks; without a known one, the address."""
        token = self._gate.token(request)
        return f"token {token.id}" if token else request.client.host if request.client else ""

    def _check_length(self, request: HTTPConnection) -> None:
        length = request.headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit() and len(length) < 19):
            raise Problem(400, "content-length is no number")
        if int(length) > self._settings.max_body_bytes and not _is_stream(request):
            raise self._too_large()

    def _too_large(self) -> Problem:
        most = self._settings.max_body_bytes
        return Problem(
            413, f"a body may have {most:,} bytes: send fewer articles, or a stream of JSON lines"
        )

    def _most_seconds(self, path: str) -> float | None:
        """How long an answer may take; one that comes line by line as long as it comes."""
        return None if path == TRY else self._settings.max_seconds + 1

    async def _within_time(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes it on with a body that ends where it gets too large, and an end to it all."""
        if _is_stream(HTTPConnection(scope)):  # has its own
            await self._app(scope, receive, send)
            return
        begun = False
        size = 0

        async def counted() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > self._settings.max_body_bytes:
                raise self._too_large()
            return message

        async def noticed(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            async with asyncio.timeout(self._most_seconds(scope["path"])):
                await self._app(scope, counted, noticed)
        except TimeoutError:
            if begun:
                raise
            late = Problem(503, f"no answer within {self._settings.max_seconds} seconds: try again")
            await late.response()(scope, receive, send)


def _is_stream(request: HTTPConnection) -> bool:
    return request.scope["path"] == "/api/v1/articles" and streamed(
        request.headers.get("content-type")
    )


class RawPaths:
    """Leaves ids in paths as they were sent, so that one may hold a slash (%2F)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass it on."""
        if scope["type"] == "http":
            raw = scope.get("raw_path") or quote(scope["path"]).encode()
            scope["path"] = raw.split(b"?")[0].decode("ascii", "replace")
        await self._app(scope, receive, send)
