"""A proxy before the unix socket of a server, which cuts connections in the middle of things."""

import random
import socket
import threading
from contextlib import suppress
from pathlib import Path

CHUNK = 4096  # bytes passed on at a time


class CutProxy:
    """Passes bytes on, and cuts each connection after some of them."""

    def __init__(self, path: Path, target: Path) -> None:
        self.cuts = 0
        self._target, self._dice = target, random.Random(11)
        self._between: tuple[int, int] | None = None
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(path))
        self._listening.listen(16)
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def cut_after(self, least: int | None, most: int = 0) -> None:
        """Cut each connection after this many chunks from now on, either way; none with None."""
        self._between = None if least is None else (least, most)

    def close(self) -> None:
        """Take no more connections."""
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(str(self._target))
                pair = _Pair(self, client, server)
                for ends in ((client, server), (server, client)):
                    passing = threading.Thread(target=pair.pass_on, args=ends, daemon=True)
                    self._threads.append(passing)
                    passing.start()

    def limit(self) -> int | None:
        """After how many chunks a connection is cut."""
        return self._dice.randint(*self._between) if self._between else None


class _Pair:
    """One connection to the proxy and its own to the server."""

    def __init__(self, proxy: CutProxy, *ends: socket.socket) -> None:
        self._proxy, self._ends = proxy, ends
        self._passed, self._over = 0, 0
        self._limit: int | None = None
        self._lock = threading.Lock()

    def pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while chunk := source.recv(CHUNK):
                if self._is_over():
                    break
                sink.sendall(chunk)
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        with self._lock:
            self._over += 1
            if self._over == len(self._ends):  # no connection uses them any more
                for end in self._ends:
                    end.close()

    def _is_over(self) -> bool:
        with self._lock:
            self._limit = self._limit or self._proxy.limit()
            self._passed += self._limit is not None
            over = self._limit is not None and self._passed == self._limit
            self._proxy.cuts += over
            return over
