"""Runs the service: one process, or several workers that share a store."""

import os
import signal
import socket
import sys
from contextlib import ExitStack
from threading import Timer

import uvicorn

from nearcopy.errors import BadPolicy
from nearcopy.service.auth import Tokens
from nearcopy.service.log_format import configure_logging
from nearcopy.service.settings import WORKER_SETTINGS, Settings, settings_to_json

APP = "nearcopy.service.app:from_environment"
KEEP_ALIVE_SECONDS = 30
RESEND_SECONDS = 0.1


def check_startup(settings: Settings) -> None:
    """Raise if the service cannot or must not run with these settings."""
    if not settings.local and not Tokens(settings.tokens).all():
        raise BadPolicy(
            f"{settings.host} is reachable from other machines and {settings.tokens} has no token: "
            "create one with `nearcopy token add NAME --scope read,write`, or omit --host"
        )
    if settings.workers > 1 and settings.address.startswith("memory:"):
        raise BadPolicy("workers cannot share a store in memory: use another store, or one worker")
    _check_port(settings)


def _check_port(settings: Settings) -> None:
    """Raise if the port cannot be bound."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM
        )[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        raise BadPolicy(
            f"cannot listen on {settings.host} port {settings.port}: {error.strerror}; stop the "
            "process that uses it, or give another with --port"
        ) from None


def _resend_lost_exit(unraisable: "sys.UnraisableHookArgs") -> None:
    """Send SIGTERM again if its SystemExit was raised where Python discards exceptions.

    That is in garbage collection and in finalizers; the process would never stop.
    """
    if isinstance(unraisable.exc_value, SystemExit):
        Timer(RESEND_SECONDS, os.kill, [os.getpid(), signal.SIGTERM]).start()
    else:
        sys.__unraisablehook__(unraisable)


def run(settings: Settings) -> None:
    """Serve until a signal stops it; running requests are finished."""
    # uvicorn restores this handler, and raises the signal at the end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    sys.unraisablehook = _resend_lost_exit
    configure_logging(settings.log_level, as_json=settings.log_json)
    with ExitStack() as stack:
        os.environ[WORKER_SETTINGS] = settings_to_json(settings)
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
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=settings.stop_seconds,
        )
