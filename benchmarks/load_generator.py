"""Load: requests at a steady rate over open connections, whatever the answers take.

A time is counted from when the request was due, so that one slow answer does not hide those that
had to wait behind it.
"""

import asyncio
import time
from collections.abc import Callable
from typing import NamedTuple

CONNECTIONS = 32


class Request(NamedTuple):
    """What is sent."""

    method: str
    path: str
    body: bytes = b""
    kind: str = "application/json"

    def raw(self, host: str) -> bytes:
        """The request as it goes over the wire."""
        head = (
            f"{self.method} {self.path} HTTP/1.1\r\nhost: {host}\r\n"
            f"content-type: {self.kind}\r\ncontent-length: {len(self.body)}\r\n\r\n"
        )
        return head.encode() + self.body


class Loaded(NamedTuple):
    """Milliseconds of the answers, and how many were errors."""

    milliseconds: list[float]
    errors: int


def loaded(port: int, request: Callable[[int], Request], a_second: float, seconds: float) -> Loaded:
    """Ask at a steady rate for so long."""
    return asyncio.run(_loaded(port, request, a_second, seconds))


async def _loaded(
    port: int, request: Callable[[int], Request], a_second: float, seconds: float
) -> Loaded:
    idle: asyncio.Queue[_Connection] = asyncio.Queue()
    for _ in range(CONNECTIONS):
        idle.put_nowait(await _Connection.to(port))
    start, times, errors = time.perf_counter(), list[float](), 0

    async def ask(number: int) -> None:
        nonlocal errors
        due = start + number / a_second
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        connection = await idle.get()
        status = await connection.ask(request(number))
        times.append(1000 * (time.perf_counter() - due))
        errors += status != 200
        idle.put_nowait(connection)

    await asyncio.gather(*map(ask, range(round(a_second * seconds))))
    while not idle.empty():
        idle.get_nowait().close()
    return Loaded(times, errors)


class _Connection:
    """One connection, asked one thing after the other."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str):
        self._reader, self._writer, self._host = reader, writer, host

    @classmethod
    async def to(cls, port: int) -> "_Connection":
        """A connection to a port of this machine."""
        return cls(*await asyncio.open_connection("127.0.0.1", port), f"127.0.0.1:{port}")

    async def ask(self, request: Request) -> int:
        """The status of the answer, which is read whole."""
        self._writer.write(request.raw(self._host))
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = head.lower().split(b"content-length:")[1].split(b"\r\n")[0]
        await self._reader.readexactly(int(length))
        return int(head.split(b" ", 2)[1])

    def close(self) -> None:
        """Let go of it."""
        self._writer.close()
