"""Running the service: one process, or several that share a store."""

import os
import signal
import socket
import sys
from contextlib import ExitStack
from threading import Timer

import uvicorn

from nearcopy.errors import BadPolicy
from nearcopy.service import log_format as logs
from nearcopy.service.settings import HANDED_ON, Settings, handed_on
from nearcopy.service.tokens import Tokens

APP = "nearcopy.service.app:from_environment"
IDLE_SECONDS = 30  # that a connection is kept open for the next request
AGAIN_SECONDS = 0.1


def check(settings: Settings) -> None:
    """Raises where the service must not run like that."""
    if not settings.local and not Tokens(settings.tokens).all():
        raise BadPolicy(
            f"at {settings.host} others could reach it, and {settings.tokens} holds no token: make "
            "one with `nearcopy token add NAME --scope read,write`, or leave out --host"
        )
    if settings.workers > 1 and settings.address.startswith("memory:"):
        raise BadPolicy("a store in memory is one process's own: give another, or one worker")
    _check_port(settings)


def _check_port(settings: Settings) -> None:
    """Raises where nobody can listen there."""
    try:
        family, kind, _, _, place = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM
        )[0]
        with socket.socket(family, kind) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind(place)
    except OSError as wrong:
        raise BadPolicy(
            f"it cannot listen at {settings.host} port {settings.port}: {wrong.strerror}; stop "
            "what is there, or give another with --port"
        ) from None


def _end(*_: object) -> None:
    sys.exit(0)


def _heard(unheard: "sys.UnraisableHookArgs") -> None:
    """Says again what Python dropped: an end that came while it looked for garbage, or cleared up.

    Nothing can be raised there, and who had said it once would wait for ever.
    """
    if isinstance(unheard.exc_value, SystemExit):
        Timer(AGAIN_SECONDS, os.kill, [os.getpid(), signal.SIGTERM]).start()
    else:
        sys.__unraisablehook__(unheard)


def run(settings: Settings) -> None:
    """Serve until a signal says to stop; what has begun is finished."""
    signal.signal(signal.SIGTERM, _end)  # the server hands it on when it has finished
    sys.unraisablehook = _heard
    logs.set_up(settings.log_level, as_json=settings.log_json)
    with ExitStack() as stack:
        os.environ[HANDED_ON] = handed_on(settings)
        if settings.workers > 1:
            from nearcopy.service.metrics import shared_folder

            stack.enter_context(shared_folder())
        uvicorn.run(
            APP,
            factory=True,
            host=settings.host,
            port=settings.port,
            workers=settings.workers,
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=True,
            proxy_headers=False,
            ws="none",
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=settings.stop_seconds,
        )
