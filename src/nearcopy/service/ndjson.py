"""NDJSON streams: articles in, one per line; verdicts out once their batch is stored."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from nearcopy.deduper.deduper import Deduper
from nearcopy.errors import BadArticle
from nearcopy.io.files.json import DECODER
from nearcopy.io.serializers.verdict import verdict_row
from nearcopy.io.streams.json_lines import Line, LineSplitter
from nearcopy.models import Article, Verdict
from nearcopy.service.deduper_pool import DeduperThread
from nearcopy.service.metrics import Metrics
from nearcopy.service.problems import NDJSON, problem_of, to_json
from nearcopy.service.request_bodies import to_row
from nearcopy.service.settings import Settings

MAX_BATCH = 512  # lines added in one transaction
DRAIN_SECONDS = 2.0
IDLE_SECONDS = 0.1  # without another line, after which a partial batch is added
RESUME = "send the lines after this one again"
Answers = list[dict[str, Any]]


class LineReader:
    """The lines of a request in batches: full ones, or what has arrived when it pauses."""

    def __init__(self, request: Request, settings: Settings, stopping: Callable[[], bool]) -> None:
        self._chunks, self._timeout = request.stream(), settings.max_seconds
        self._stopping, self._splitter = stopping, LineSplitter(settings.max_body_bytes)
        self.complete = False  # whether the whole body has arrived

    async def batches(self) -> AsyncIterator[list[Line]]:
        pending, chunk = list[Line](), None
        try:
            while not self.complete and not self._stopping():
                chunk = chunk or asyncio.ensure_future(anext(self._chunks, None))
                timeout = IDLE_SECONDS if pending else self._timeout
                done, _ = await asyncio.wait({chunk}, timeout=timeout)
                if not done and not pending:
                    raise TimeoutError
                if done:
                    pending += self._split(chunk.result())
                    chunk = None
                while len(pending) >= MAX_BATCH or (pending and (self.complete or not done)):
                    yield pending[:MAX_BATCH]
                    pending = pending[MAX_BATCH:]
        finally:
            if chunk is not None:
                chunk.cancel()

    def _split(self, chunk: bytes | None) -> list[Line]:
        self.complete = chunk is None
        return self._splitter.end() if chunk is None else self._splitter.feed(chunk)


class NdjsonResponse(Response):
    """Sends each line when it is ready; gives up on a client that does not read."""

    media_type = NDJSON

    def __init__(self, lines: AsyncIterator[bytes], reader: LineReader, timeout: float) -> None:
        super().__init__(None, 200)
        del self.headers["content-length"]
        self._lines, self._reader, self._timeout = lines, reader, timeout

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        async for line in self._lines:
            async with asyncio.timeout(self._timeout):
                await send({"type": "http.response.body", "body": line, "more_body": True})
        if not self._reader.complete:
            await _drain(receive)
        await send({"type": "http.response.body", "body": b""})


async def _drain(receive: Receive) -> None:
    """Read what is still being sent: left unread, it would reset the connection."""
    with suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_SECONDS):
            while (await receive()).get("more_body"):
                pass


@dataclass(frozen=True, slots=True)
class ArticleStream:
    """Adds a stream of articles, batch by batch."""

    reader: LineReader
    adds: DeduperThread
    settings: Settings
    metrics: Metrics
    evidence: bool

    async def responses(self) -> AsyncIterator[bytes]:
        """A line for each line, once its batch is stored; errors in their places."""
        last = 0
        try:
            async for batch in self.reader.batches():
                add = partial(self._add, lines=batch)
                answers, verdicts = await self.adds.run(add, timeout=None)
                self.metrics.count_verdicts("add", verdicts)
                last = batch[-1].number
                yield b"".join(to_json(answer) + b"\n" for answer in answers)
        except ClientDisconnect:
            return
        except TimeoutError:
            reason = f"no line for {self.settings.max_seconds} seconds"
            yield _error_line(last, 408, f"{reason}: {RESUME}")
        except Exception as error:  # the lines before are stored: say so, whatever it was
            problem = problem_of(error)
            yield _error_line(last, problem.status, f"{problem.detail}; {RESUME}")
        else:
            if not self.reader.complete:
                yield _error_line(last, 503, f"the service is shutting down: {RESUME}")

    def _add(self, deduper: Deduper, lines: list[Line]) -> tuple[Answers, list[Verdict]]:
        """An answer for each line, in order, and the verdicts among them."""
        parsed = [_parse(line, self.settings) for line in lines]
        articles = [article for article in parsed if isinstance(article, Article)]
        added = iter(_add_all(deduper, articles))
        answers, verdicts = Answers(), list[Verdict]()
        for line, article in zip(lines, parsed, strict=True):
            outcome = next(added) if isinstance(article, Article) else article
            if isinstance(outcome, Verdict):
                verdicts.append(outcome)
                answers.append(verdict_row(outcome, evidence=self.evidence))
            else:
                answers.append({"line": line.number, "error": outcome, "status": 422})
        return answers, verdicts


def _error_line(last: int, status: int, message: str) -> bytes:
    return to_json({"line": last, "error": message, "status": status}) + b"\n"


def _parse(line: Line, settings: Settings) -> Article | str:
    """The article of a line, or why it is invalid."""
    try:
        if line.why:
            return line.why
        return to_row(DECODER.decode(line.data.decode("utf-8-sig")), settings, line.number).article
    except BadArticle as error:
        return str(error)
    except (ValueError, RecursionError) as error:
        return f"not valid JSON: {error}"


def _add_all(deduper: Deduper, articles: list[Article]) -> list[Verdict | str]:
    """A verdict for each; if one cannot be added, the others are."""
    try:
        return list(deduper.run(articles))
    except BadArticle:
        return [_add_one(deduper, article) for article in articles]


def _add_one(deduper: Deduper, article: Article) -> Verdict | str:
    try:
        return deduper.add(article)
    except BadArticle as error:
        return str(error)
