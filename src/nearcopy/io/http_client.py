"""HTTP requests with limits on time, size and destination, against server-side request forgery.

The address that was checked is the one that is connected to: names are resolved once per
request, and proxies of the environment are ignored.
"""

import socket
import ssl
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPResponse
from importlib.metadata import version
from io import BufferedReader, RawIOBase
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import SplitResult, quote, urljoin, urlsplit

import idna

from nearcopy.errors import WebError

AGENT = f"nearcopy/{version('nearcopy')} (feed reader)"
CHUNK = 64 << 10
PORTS = {"http": 80, "https": 443}
REDIRECTS = frozenset({301, 302, 303, 307, 308})
PERMANENT = frozenset({301, 308})
SAFE = "/%:=&?~+!$,;'@()*[]-._"
NAT64 = IPv6Network("64:ff9b::/96")  # the IPv4 address is in the last four bytes
LONGEST_URL = 4096
PRIVATE_ADDRESS = "which is not on the public internet"
_context = cache(ssl.create_default_context)  # slow to create


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits on time, size and redirects, and whether private addresses are allowed."""

    seconds: float = 20.0  # per request, from name resolution to the last byte
    max_bytes: int = 4 << 20  # decompressed
    redirects: int = 5
    private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request."""

    address: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


class Response(NamedTuple):
    """A response, and where it came from."""

    address: str
    status: int
    headers: Mapping[str, str]  # names in lower case
    body: bytes
    moved: str | None = None  # the new URL, if all redirects were permanent


def fetch(
    request: Request, limits: Limits, before: Callable[[str], object] = lambda _: None
) -> Response:
    """The response to a request, after redirects; `before` is called with each host first."""
    address, permanent = request.address, True
    for _ in range(limits.redirects + 1):
        answer = _request(request, address, limits, before)
        to = answer.headers.get("location")
        if answer.status not in REDIRECTS or not to:
            moved = address if permanent and address != request.address else None
            return answer._replace(moved=moved)
        permanent &= answer.status in PERMANENT
        address = _redirect_target(address, to)
    raise WebError(f"{_shorten(request.address)}: more than {limits.redirects} redirects")


def _request(
    request: Request, address: str, limits: Limits, before: Callable[[str], object]
) -> Response:
    """The answer of one address."""
    try:
        where = _parts(address)
        before(str(where.hostname))
        return _exchange(request, where, limits)
    except WebError as exc:
        raise WebError(f"{_shorten(address)}: {exc}") from None
    except TimeoutError:
        raise WebError(f"{_shorten(address)}: no response within {limits.seconds:g} s") from None
    except (OSError, HTTPException, zlib.error, ValueError) as exc:
        reason = getattr(exc, "strerror", None) or str(exc) or type(exc).__name__
        raise WebError(f"{_shorten(address)}: {reason:.200}") from exc


def _redirect_target(address: str, to: str) -> str:
    try:
        return urljoin(address, to.encode("latin-1").decode("utf-8", "replace")).partition("#")[0]
    except ValueError as exc:
        raise WebError(f"{_shorten(address)}: redirected to an invalid URL: {exc}") from None


def _shorten(address: str) -> str:
    return f"{address[:200]}..." if len(address) > 200 else address


def _parts(address: str) -> SplitResult:
    """The parts of a URL that can be requested."""
    where = urlsplit(address)
    if where.scheme not in PORTS:
        raise WebError("not an http or https URL")
    if not where.hostname or len(address) > LONGEST_URL:
        raise WebError("no host" if not where.hostname else "the URL is too long")
    if where.username is not None or where.password is not None:
        raise WebError("URLs with user name and password are not allowed")
    return where


def _exchange(request: Request, where: SplitResult, limits: Limits) -> Response:
    end = monotonic() + limits.seconds
    host, port = _ascii_host(str(where.hostname)), where.port or PORTS[where.scheme]
    connection = HTTPConnection(host, port)
    wire = _DeadlineSocket(_connect(host, port, end, limits), end)
    try:
        if where.scheme == "https":
            wire.secure(host)
        connection.sock = wire  # has all methods that are used
        target = quote(where.path or "/", safe=SAFE)
        target += f"?{quote(where.query, safe=SAFE)}" if where.query else ""
        connection.request(request.method, target, request.body, _headers(request, where, host))
        response = connection.getresponse()
        headers = {name.lower(): value for name, value in response.getheaders()}
        body = b"" if response.status in REDIRECTS else _body(response, headers, limits)
        return Response(where.geturl(), response.status, headers, body)
    finally:
        connection.close()
        wire.close_socket()


def _headers(request: Request, where: SplitResult, host: str) -> dict[str, str]:
    name = f"[{host}]" if ":" in host else host
    port = f":{where.port}" if where.port not in (None, PORTS[where.scheme]) else ""
    defaults = {"User-Agent": AGENT, "Accept-Encoding": "gzip", "Connection": "close"}
    return {**defaults, **request.headers, "Host": name + port}


def _ascii_host(host: str) -> str:
    if host.isascii():
        return host
    try:
        return idna.encode(host, uts46=True).decode()
    except idna.IDNAError as exc:
        raise WebError(f"invalid host name: {exc}") from None


def _body(response: HTTPResponse, headers: Mapping[str, str], limits: Limits) -> bytes:
    """The decompressed body, up to the size limit."""
    packing = headers.get("content-encoding", "identity").strip().lower()
    if packing not in ("identity", "", "gzip", "x-gzip"):
        raise WebError(f"compressed as {packing:.40}, which was not requested")
    unpack: Any = zlib.decompressobj(31) if packing.endswith("gzip") else None
    body = bytearray()
    while chunk := response.read(CHUNK):
        room = limits.max_bytes + 1 - len(body)
        body += unpack.decompress(chunk, room) if unpack else chunk
        if len(body) > limits.max_bytes:
            raise WebError(f"larger than {limits.max_bytes:,} bytes")
    if response.length or (unpack and body and not unpack.eof):
        raise WebError("the response is incomplete")
    return bytes(body)


class _DeadlineSocket:
    """A socket with a deadline for the whole exchange."""

    def __init__(self, sock: socket.socket, end: float) -> None:
        self._sock, self._end = sock, end

    def secure(self, host: str) -> None:
        """Start TLS."""
        self._sock.settimeout(_remaining(self._end))
        self._sock = _context().wrap_socket(self._sock, server_hostname=host)

    def sendall(self, data: bytes) -> None:
        """Send data."""
        self._sock.settimeout(_remaining(self._end))
        self._sock.sendall(data)

    def makefile(self, mode: str) -> BufferedReader:
        """A reader of the response."""
        del mode
        return BufferedReader(_DeadlineReader(self._sock, self._end))

    def close(self) -> None:
        """Do nothing: HTTPConnection closes before the response is read."""

    def close_socket(self) -> None:
        """Close the socket."""
        self._sock.close()


class _DeadlineReader(RawIOBase):
    def __init__(self, sock: socket.socket, end: float) -> None:
        self._sock, self._end = sock, end

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, into: Any) -> int:
        """The number of bytes received."""
        self._sock.settimeout(_remaining(self._end))
        return self._sock.recv_into(into)


def _remaining(end: float) -> float:
    left = end - monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _connect(host: str, port: int, end: float, limits: Limits) -> socket.socket:
    """A connection to the first address of the host that may be asked and answers."""
    error: OSError = OSError("no address")
    for address in _allowed_addresses(host, port, limits):
        try:
            return socket.create_connection(address, timeout=_remaining(end))
        except OSError as exc:
            error = exc
    raise error


def _allowed_addresses(host: str, port: int, limits: Limits) -> list[tuple[str, int]]:
    addresses = [
        str(item[4][0]) for item in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    ]
    allowed = [item for item in dict.fromkeys(addresses) if limits.private or is_public(item)]
    if addresses and not allowed:
        raise WebError(f"{host} is at {addresses[0]}, {PRIVATE_ADDRESS}")
    return [(item, port) for item in allowed]


def is_public(address: str) -> bool:
    """Whether an IP address is on the public internet, also if it embeds another one.

    >>> is_public("93.184.215.14"), is_public("127.0.0.1"), is_public("::ffff:10.0.0.1")
    (True, False, False)
    """
    try:
        target = _embedded_ipv4(ip_address(address))
    except ValueError:
        return False
    return target.is_global and not (target.is_multicast or target.is_reserved)


def _embedded_ipv4(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The IPv4 address that an IPv6 address embeds, if any."""
    if isinstance(address, IPv4Address):
        return address
    if address in NAT64:
        return IPv4Address(address.packed[-4:])
    teredo = address.teredo[1] if address.teredo else None
    return address.ipv4_mapped or address.sixtofour or teredo or address
