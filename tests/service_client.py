"""A service of its own for a test: a real server on a free port, in a thread."""

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
    """A port that nobody listens at."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@contextmanager
def serving(settings: Settings) -> Iterator[str]:
    """The address of a service with these settings, until it is left."""
    app = make_app(settings)
    server = uvicorn.Server(
        uvicorn.Config(app, port=settings.port, log_config=None, access_log=False, ws="none")
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    address = f"http://127.0.0.1:{settings.port}"
    try:
        wait_for(address)
        yield address
    finally:
        server.should_exit = True
        thread.join()


def wait_for(address: str, seconds: float = 20) -> None:
    """Returns when the service is ready."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if httpx.get(f"{address}/readyz").status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.02)
    raise TimeoutError(address)
