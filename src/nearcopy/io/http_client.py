"""The web: requests that are bounded in time, in size and in where they may go.

The address that is connected to is the one that was checked: a name is looked up once, for each
redirect anew, and no proxy of the environment stands between.
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
FOR_GOOD = frozenset({301, 308})
SAFE = "/%:=&?~+!$,;'@()*[]-._"
CARRIES_IPV4 = IPv6Network("64:ff9b::/96")  # NAT64; the address is in the last four bytes
LONGEST_ADDRESS = 4096
OWN_NETWORK = "which is not of the open internet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long, how large, how far, and whether to addresses that are not of the open internet."""

    seconds: float = 20.0  # for each request, from looking up the name to the last byte
    max_bytes: int = 4 << 20  # unpacked
    redirects: int = 5
    private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked for."""

    address: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


class Response(NamedTuple):
    """What came, and from where."""

    address: str
    status: int
    headers: Mapping[str, str]  # their names in small letters
    body: bytes
    moved: str | None = None  # where it is for good, as all redirects said


def _at_once(host: str) -> None:
    del host


def fetch(request: Request, limits: Limits, before: Callable[[str], None] = _at_once) -> Response:
    """The answer to a request, redirects followed; `before` is told each host, and may wait."""
    address, for_good = request.address, True
    for _ in range(limits.redirects + 1):
        answer = _asked(request, address, limits, before)
        to = answer.headers.get("location")
        if answer.status not in REDIRECTS or not to:
            moved = address if for_good and address != request.address else None
            return answer._replace(moved=moved)
        for_good &= answer.status in FOR_GOOD
        address = _joined(address, to)
    raise WebError(f"{_shown(request.address)}: more than {limits.redirects} redirects")


def _asked(
    request: Request, address: str, limits: Limits, before: Callable[[str], None]
) -> Response:
    """The answer of one address."""
    try:
        where = _parts(address)
        before(str(where.hostname))
        return _answer(request, where, limits)
    except WebError as exc:
        raise WebError(f"{_shown(address)}: {exc}") from None
    except TimeoutError:
        raise WebError(f"{_shown(address)}: no answer in {limits.seconds:g} s") from None
    except (OSError, HTTPException, zlib.error, ValueError) as exc:
        reason = getattr(exc, "strerror", None) or str(exc) or type(exc).__name__
        raise WebError(f"{_shown(address)}: {reason:.200}") from exc


def _joined(address: str, to: str) -> str:
    try:
        return urljoin(address, to.encode("latin-1").decode("utf-8", "replace")).partition("#")[0]
    except ValueError as exc:
        raise WebError(f"{_shown(address)}: redirected to what is no address: {exc}") from None


def _shown(address: str) -> str:
    return f"{address[:200]}..." if len(address) > 200 else address


def _parts(address: str) -> SplitResult:
    """The address taken apart, where it is one that can be asked."""
    where = urlsplit(address)
    if where.scheme not in PORTS:
        raise WebError("not an address of http or https")
    if not where.hostname or len(address) > LONGEST_ADDRESS:
        raise WebError("no host" if not where.hostname else "the address is too long")
    if where.username is not None or where.password is not None:
        raise WebError("addresses with a name and a password are not taken")
    return where


def _answer(request: Request, where: SplitResult, limits: Limits) -> Response:
    end = monotonic() + limits.seconds
    host, port = _ascii_host(str(where.hostname)), where.port or PORTS[where.scheme]
    connection = HTTPConnection(host, port)
    wire = _Wire(_connected(host, port, end, limits), end)
    try:
        if where.scheme == "https":
            wire.secure(host)
        connection.sock = wire  # all that is used of one
        target = quote(where.path or "/", safe=SAFE)
        target += f"?{quote(where.query, safe=SAFE)}" if where.query else ""
        connection.request(request.method, target, request.body, _headers(request, where, host))
        response = connection.getresponse()
        headers = {name.lower(): value for name, value in response.getheaders()}
        body = b"" if response.status in REDIRECTS else _body(response, headers, limits)
        return Response(where.geturl(), response.status, headers, body)
    finally:
        connection.close()
        wire.hang_up()


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
        raise WebError(f"no name of a host: {exc}") from None


def _body(response: HTTPResponse, headers: Mapping[str, str], limits: Limits) -> bytes:
    """All that an answer says, unpacked; no more is read than it may have."""
    packing = headers.get("content-encoding", "identity").strip().lower()
    if packing not in ("identity", "", "gzip", "x-gzip"):
        raise WebError(f"packed as {packing:.40}, which was not asked for")
    unpack: Any = zlib.decompressobj(31) if packing.endswith("gzip") else None
    body = bytearray()
    while chunk := response.read(CHUNK):
        room = limits.max_bytes + 1 - len(body)
        body += unpack.decompress(chunk, room) if unpack else chunk
        if len(body) > limits.max_bytes:
            raise WebError(f"larger than {limits.max_bytes:,} bytes")
    if response.length or (unpack and body and not unpack.eof):
        raise WebError("the answer broke off")
    return bytes(body)


class _Wire:
    """A connection that ends at a time, however little comes at once."""

    def __init__(self, sock: socket.socket, end: float) -> None:
        self._sock, self._end = sock, end

    def secure(self, host: str) -> None:
        """Speak TLS from here on."""
        self._sock.settimeout(_left(self._end))
        self._sock = _context().wrap_socket(self._sock, server_hostname=host)

    def sendall(self, data: bytes) -> None:
        """Send this."""
        self._sock.settimeout(_left(self._end))
        self._sock.sendall(data)

    def makefile(self, mode: str) -> BufferedReader:
        """What is sent to us."""
        del mode
        return BufferedReader(_Received(self._sock, self._end))

    def close(self) -> None:
        """Nothing: the connection lets go before the answer is read."""

    def hang_up(self) -> None:
        """Let go."""
        self._sock.close()


class _Received(RawIOBase):
    def __init__(self, sock: socket.socket, end: float) -> None:
        self._sock, self._end = sock, end

    def readable(self) -> bool:
        """That it is."""
        return True

    def readinto(self, into: Any) -> int:
        """How many bytes came."""
        self._sock.settimeout(_left(self._end))
        return self._sock.recv_into(into)


def _left(end: float) -> float:
    left = end - monotonic()
    if left <= 0:
        raise TimeoutError
    return left


@cache
def _context() -> ssl.SSLContext:
    return ssl.create_default_context()


def _connected(host: str, port: int, end: float, limits: Limits) -> socket.socket:
    """A connection to the first address of the host that may be asked and answers."""
    error: OSError = OSError("no address")
    for address in _allowed(host, port, limits):
        try:
            return socket.create_connection(address, timeout=_left(end))
        except OSError as exc:
            error = exc
    raise error


def _allowed(host: str, port: int, limits: Limits) -> list[tuple[str, int]]:
    addresses = [
        str(item[4][0]) for item in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    ]
    allowed = [item for item in dict.fromkeys(addresses) if limits.private or is_public(item)]
    if addresses and not allowed:
        raise WebError(f"{host} is at {addresses[0]}, {OWN_NETWORK}")
    return [(item, port) for item in allowed]


def is_public(address: str) -> bool:
    """Whether an IP address is of the open internet, also where it carries another one.

    >>> is_public("93.184.215.14"), is_public("127.0.0.1"), is_public("::ffff:10.0.0.1")
    (True, False, False)
    """
    try:
        target = _carried(ip_address(address))
    except ValueError:
        return False
    return target.is_global and not (target.is_multicast or target.is_reserved)


def _carried(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The address of version 4 in one of version 6, where it has one."""
    if isinstance(address, IPv4Address):
        return address
    if address in CARRIES_IPV4:
        return IPv4Address(address.packed[-4:])
    teredo = address.teredo[1] if address.teredo else None
    return address.ipv4_mapped or address.sixtofour or teredo or address
