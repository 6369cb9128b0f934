"""A web server of feeds, good and bad, on loopback. What it was asked is noted down."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import sleep

QUAY = "The harbour council voted to close the old quay after divers found shipworm in its piles. "
MILL = "The last paper mill in the valley is sold to its own workers for a single silver coin. "


def rss(name: str, *items: tuple[str, str, str], encoding: str = "utf-8") -> bytes:
    """A feed of items: guid, title, text."""
    entries = "".join(
        f"<item><guid>{guid}</guid><title>{title}</title><link>/{name}/{guid}</link>"
        f"<description>&lt;p&gt;{text}&lt;/p&gt;&lt;script&gt;bad()&lt;/script&gt;</description>"
        f"<pubDate>Mon, 04 May 2026 1{place}:00:00 GMT</pubDate></item>"
        for place, (guid, title, text) in enumerate(items)
    )
    head = f'<?xml version="1.0" encoding="{encoding}"?><rss version="2.0"><channel>'
    return f"{head}<title>{name}</title>{entries}</channel></rss>".encode(encoding)


class Handler(BaseHTTPRequestHandler):
    """Answers by the name of the path, `/good` by `do_good`."""

    protocol_version = "HTTP/1.1"
    server: "FeedServer"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self.server.asked.append((self.path, dict(self.headers)))
        if self.path in self.server.pages:
            self.page(*self.server.pages[self.path])
        else:
            getattr(self, f"do_{self.path[1:].replace('-', '_')}")()
        self.close_connection = True

    def page(self, body: bytes, kind: str = "application/rss+xml", status: int = 200, **more: str):
        self.send_response(status)
        headers = {"Content-Type": kind, "Content-Length": str(len(body))}
        headers |= {name.replace("_", "-"): value for name, value in more.items()}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_tagged(self) -> None:
        if self.headers["If-None-Match"] == '"v1"' and self.headers["If-Modified-Since"]:
            self.page(b"", status=304, ETag='"v1"')
        else:
            body = rss("Tagged", ("1", "Tea dearer", MILL * 4))
            self.page(body, ETag='"v1"', Last_Modified="Mon, 04 May 2026 10:00:00 GMT")

    def do_slow_head(self) -> None:
        self._drip(b"HTTP/1.1 200 OK\r\n" + b"X-Wait: 1\r\n" * 40)

    def do_slow_body(self) -> None:
        self._drip(b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n", pause=0.0)
        self._drip(b"<rss>" * 100)

    def do_endless_interim(self) -> None:
        self._drip(b"HTTP/1.1 100 Continue\r\n\r\n" * 10)
        self._drip(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)

    def _drip(self, data: bytes, pause: float = 0.02) -> None:
        for place in range(0, len(data), 10):
            self.wfile.write(data[place : place + 10])
            sleep(pause)

    def do_huge(self) -> None:
        self._endless(b"<rss><channel>" + b" " * 65536)

    def do_huge_chunks(self) -> None:
        self._endless(b"10000\r\n" + b" " * 65536 + b"\r\n", "Transfer-Encoding: chunked\r\n")

    def _endless(self, data: bytes, header: str = "") -> None:
        self.wfile.write(f"HTTP/1.1 200 OK\r\n{header}\r\n".encode())
        try:
            for _ in range(5000):
                self.wfile.write(data)
                self.server.sent += len(data)
        except OSError:
            pass

    def do_large(self) -> None:
        self.page(
            rss("Large", *((str(n), "Tea", MILL * 100) for n in range(50))), Connection="close"
        )

    def do_packed(self) -> None:
        self.page(gzip.compress(rss("Packed", ("1", "Tea", MILL))), Content_Encoding="gzip")

    def do_packed_bomb(self) -> None:
        self.page(gzip.compress(b"\0" * (200 << 20), 1), Content_Encoding="gzip")

    def do_packed_badly(self) -> None:
        self.page(b"\x1f\x8bnothing", Content_Encoding="gzip")

    def do_packed_cut(self) -> None:
        self.page(gzip.compress(rss("Cut", ("1", "Tea", MILL)))[:-9], Content_Encoding="gzip")

    def do_packed_otherwise(self) -> None:
        self.page(b"?", Content_Encoding="br")

    def do_cut(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n<rss><channel>")

    def do_loop(self) -> None:
        self.page(b"", status=302, Location="/loop")

    def do_moved(self) -> None:
        self.page(b"", status=301, Location="/tagged")

    def do_elsewhere(self) -> None:
        self.page(b"", status=302, Location=self.server.elsewhere)

    def do_busy(self) -> None:
        self.page(b"later", status=429, Retry_After="3600")

    def do_broken(self) -> None:
        self.page(b"oh", status=500)

    def do_no_http(self) -> None:
        self.wfile.write(b"\x00\xffSSH-2.0-nothing\r\n\r\n")

    def do_many_headers(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\n" + b"X: 1\r\n" * 500 + b"\r\n")

    def do_long_header(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX: " + b"a" * 100_000 + b"\r\n\r\n")


class FeedServer(ThreadingHTTPServer):
    """The server: its pages, the requests it got, and where it redirects."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages: dict[str, tuple] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.elsewhere = ""
        self.sent = 0

    def handle_error(self, *_: object) -> None:
        pass  # a client may leave when it has seen enough

    def at(self, path: str) -> str:
        """The address of a path."""
        return f"http://127.0.0.1:{self.server_port}{path}"


@contextmanager
def feed_server() -> Iterator[FeedServer]:
    """A server while it is used."""
    with FeedServer() as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.shutdown()
