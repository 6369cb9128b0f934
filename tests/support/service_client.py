"""A service for a test: a real server on a free port, in a thread."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import uvicorn

from nearcopy.service.app import make_app
from nearcopy.service.settings import Settings


def free_port() -> int:
    """A free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(settings: Settings) -> Iterator[str]:
    """A service with these settings that is ready: its address."""
    with starting(settings) as address:
        wait_for(address)
        yield address


@contextmanager
def starting(settings: Settings) -> Iterator[str]:
    """A service with these settings that may not be ready yet: its address."""
    app = make_app(settings)
    server = uvicorn.Server(
        uvicorn.Config(app, port=settings.port, log_config=None, access_log=False, ws="none")
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    address = f"http://127.0.0.1:{settings.port}"
    try:
        wait_for(address, path="/healthz")
        yield address
    finally:
        server.should_exit = True
        thread.join()


def wait_for(address: str, seconds: float = 20, *, path: str = "/readyz") -> None:
    """Wait until the service is ready, or responds at another path."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if httpx.get(address + path).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.02)
    raise TimeoutError(address)
