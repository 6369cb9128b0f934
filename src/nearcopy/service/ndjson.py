"""Streams: JSON lines in, verdicts out as soon as their articles are in the store."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from nearcopy.deduper.deduper import Deduper
from nearcopy.errors import BadArticle
from nearcopy.io.files.json import DECODER
from nearcopy.io.serializers.answers import verdict_row
from nearcopy.io.streams.json_lines import Line, LineSplitter
from nearcopy.models.model import Article, Verdict
from nearcopy.service.deduper_pool import Lane
from nearcopy.service.json_response import NDJSON, as_json
from nearcopy.service.problems import problem_of
from nearcopy.service.request_bodies import row_of
from nearcopy.service.settings import Settings

CHUNK = 512  # lines that are added in one durable step
LAST_SECONDS = 2.0  # for who is sending to see that nobody reads on
QUIET = 0.1  # seconds without more after which what came is added
Answers = list[dict[str, Any]]


class Intake:
    """What is sent, in chunks: full ones, or what there is when it gets quiet."""

    def __init__(self, request: Request, settings: Settings, stopping: Callable[[], bool]) -> None:
        self._pieces, self._patience = request.stream(), settings.max_seconds
        self._stopping, self._lines = stopping, LineSplitter(settings.max_body_bytes)
        self.whole = False  # whether all that is sent has come

    async def chunks(self) -> AsyncIterator[list[Line]]:
        """The lines that came."""
        waiting, coming = list[Line](), None
        try:
            while not self.whole and not self._stopping():
                coming = coming or asyncio.ensure_future(anext(self._pieces, None))
                done, _ = await asyncio.wait({coming}, timeout=self._wait(bool(waiting)))
                if not done and not waiting:
                    raise TimeoutError
                if done:
                    waiting += self._taken(coming.result())
                    coming = None
                while len(waiting) >= CHUNK or (waiting and (self.whole or not done)):
                    yield waiting[:CHUNK]
                    waiting = waiting[CHUNK:]
        finally:
            if coming is not None:
                coming.cancel()

    def _wait(self, some: bool) -> float:
        return QUIET if some else self._patience

    def _taken(self, piece: bytes | None) -> list[Line]:
        self.whole = piece is None
        return self._lines.end() if piece is None else self._lines.feed(piece)


class Lines(Response):
    """An answer of lines, each sent when it is there; who does not read them is left."""

    media_type = NDJSON

    def __init__(self, lines: AsyncIterator[bytes], intake: Intake, seconds: float) -> None:
        super().__init__(None, 200)
        del self.headers["content-length"]
        self._lines, self._intake, self._seconds = lines, intake, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send them."""
        del scope
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        async for each in self._lines:
            async with asyncio.timeout(self._seconds):
                await send({"type": "http.response.body", "body": each, "more_body": True})
        if not self._intake.whole:
            await _passed(receive)
        await send({"type": "http.response.body", "body": b""})


async def _passed(receive: Receive) -> None:
    """Lets what is still being sent pass: left unread, it would undo the last of the answer."""
    with suppress(TimeoutError):
        async with asyncio.timeout(LAST_SECONDS):
            while (await receive()).get("more_body"):
                pass


async def verdict_lines(
    intake: Intake,
    adds: Lane,
    settings: Settings,
    *,
    evidence: bool,
    judged: Callable[[list[Verdict]], None],
) -> AsyncIterator[bytes]:
    """A line for each that came, once its chunk is in the store; errors in their places."""
    last = 0
    try:
        async for chunk in intake.chunks():
            work = partial(_added, lines=chunk, settings=settings, evidence=evidence)
            rows, verdicts = await adds.run(work, seconds=None)
            judged(verdicts)
            last = chunk[-1].number
            yield b"".join(as_json(each) + b"\n" for each in rows)
    except ClientDisconnect:
        return
    except TimeoutError:
        why = f"nothing came for {settings.max_seconds} seconds"
        yield _ended(last, 408, f"{why}: send again what comes after this line")
    except Exception as wrong:  # the lines before are in the store: say so, whatever it was
        problem = problem_of(wrong)
        yield _ended(
            last, problem.status, f"{problem.detail}; send again what comes after this line"
        )
    else:
        if not intake.whole:
            yield _ended(last, 503, "the service stops: send again what comes after this line")


def _ended(last: int, status: int, why: str) -> bytes:
    return as_json({"line": last, "error": why, "status": status}) + b"\n"


def _added(
    deduper: Deduper, lines: list[Line], settings: Settings, evidence: bool
) -> tuple[Answers, list[Verdict]]:
    """An answer for each line, in order, and the verdicts among them."""
    read = [_read(line, settings) for line in lines]
    verdicts = _verdicts(deduper, [each for each in read if isinstance(each, Article)])
    rest, answers, given = iter(verdicts), Answers(), list[Verdict]()
    for line, found in zip(lines, read, strict=True):
        told = next(rest) if isinstance(found, Article) else found
        if isinstance(told, Verdict):
            given.append(told)
            answers.append(verdict_row(told, evidence=evidence))
        else:
            answers.append({"line": line.number, "error": told, "status": 422})
    return answers, given


def _read(line: Line, settings: Settings) -> Article | str:
    """The article of a line, or why it is none."""
    try:
        if line.why:
            return line.why
        return row_of(DECODER.decode(line.data.decode("utf-8-sig")), settings, line.number).article
    except BadArticle as wrong:
        return str(wrong)
    except (ValueError, RecursionError) as wrong:
        return f"not JSON that can be read: {wrong}"


def _verdicts(deduper: Deduper, articles: list[Article]) -> list[Verdict | str]:
    """A verdict for each; where one cannot be added, the others are."""
    try:
        return list(deduper.run(articles))
    except BadArticle:
        return [_verdict(deduper, each) for each in articles]


def _verdict(deduper: Deduper, article: Article) -> Verdict | str:
    try:
        return deduper.add(article)
    except BadArticle as wrong:
        return str(wrong)
