"""The web: bounded in time and size, and only to where it may go. With a real server."""

import shutil
import socket
import ssl
import subprocess
from time import monotonic

import pytest
from tests.support.hostile_feeds import feed_server

from nearcopy import WebError
from nearcopy.io import http_client as web
from nearcopy.io.http_client import Limits, Request, fetch, is_public

OWN = Limits(seconds=0.6, max_bytes=1 << 20, private=True)


@pytest.fixture
def server():
    with feed_server() as started:
        yield started


def got(server, path, limits=OWN):
    return fetch(Request(address=server.at(path)), limits)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/slow-head", "no response within 0.6 s"),
        ("/slow-body", "no response within 0.6 s"),
        ("/endless-interim", "no response within 0.6 s"),
        ("/huge", "larger than 1,048,576 bytes"),
        ("/huge-chunks", "larger than 1,048,576 bytes"),
        ("/packed-bomb", "larger than 1,048,576 bytes"),
        ("/packed-badly", "incorrect header check|unknown compression|invalid"),
        ("/packed-cut", "is incomplete"),
        ("/packed-otherwise", "compressed as br"),
        ("/cut", "is incomplete|IncompleteRead"),
        ("/loop", "more than 5 redirects"),
        ("/no-http", "."),
        ("/many-headers", "more than 100 headers"),
        ("/long-header", "header line"),
    ],
)
def test_bad_answers_are_refused_soon(server, path, why):
    start = monotonic()
    with pytest.raises(WebError, match=why) as raised:
        got(server, path, OWN if "slow" in path or "endless" in path else LONGER)
    assert server.at(path) in str(raised.value)
    assert monotonic() - start < 10
    assert server.sent < 64 << 20  # what fits the buffers of the system, at most


LONGER = Limits(seconds=8, max_bytes=1 << 20, private=True)


def test_packed_answers_are_unpacked(server):
    assert b"<title>Tea</title>" in got(server, "/packed", LONGER).body


def test_an_answer_that_takes_many_reads_is_whole(server):
    response = got(server, "/large", LONGER)
    assert len(response.body) == int(response.headers["content-length"]) > 400_000


def test_redirects_are_followed_and_those_for_good_are_told(server):
    response = got(server, "/moved", LONGER)
    assert (response.status, response.moved) == (200, server.at("/tagged"))
    server.elsewhere = "/tagged"
    assert got(server, "/elsewhere", LONGER).moved is None


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("file:///etc/passwd", "not an http or https URL"),
        ("ftp://example.org/", "not an http or https URL"),
        ("http://", "no host"),
        ("http://[::1", "."),
        ("http://a.example:99999/", "."),
        ("http://name:secret@a.example/", "user name and password"),
        (f"http://a.example/{'a' * 5000}", "too long"),
        ("http://\ud800.example/", "."),
        ("http://xn--a.example\u2024/", "."),
    ],
)
def test_what_is_no_address_is_refused(address, why):
    with pytest.raises(WebError, match=why):
        fetch(Request(address=address), Limits())


@pytest.mark.parametrize("to", ["file:///etc/passwd", "gopher://a.example/", "http://[", "//"])
def test_a_redirect_to_what_is_no_address_is_refused(server, to):
    server.elsewhere = to
    with pytest.raises(WebError):
        got(server, "/elsewhere", LONGER)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.0.1", "169.254.169.254", "0.0.0.0"),
        *("100.64.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::1", "::", "fe80::1%eth0"),
        *("fc00::1", "ff02::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "no"),
    ],
)
def test_addresses_of_the_own_network_are_known(address):
    assert not is_public(address)


@pytest.mark.parametrize("address", ["9.9.9.9", "2620:fe::fe", "64:ff9b::909:909"])
def test_addresses_of_the_open_internet_are_known(address):
    assert is_public(address)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::1]"])
def test_the_own_machine_is_not_asked_however_it_is_spelt(server, host):
    with pytest.raises(WebError, match=r"not on the public internet|not known|resolution"):
        fetch(Request(address=f"http://{host}:{server.server_port}/tagged"), Limits(seconds=5))
    assert server.asked == []


@pytest.fixture
def half_open(monkeypatch):
    """127.0.0.1 counts as of the open internet, all else of this machine does not."""
    monkeypatch.setattr(web, "is_public", lambda address: address == "127.0.0.1")


@pytest.mark.usefixtures("half_open")
def test_a_redirect_is_checked_again(server):
    server.elsewhere = f"http://127.0.0.2:{server.server_port}/tagged"
    with pytest.raises(WebError, match=r"127\.0\.0\.2, which is not on the public internet"):
        got(server, "/elsewhere", Limits(seconds=5))
    assert len(server.asked) == 1


@pytest.mark.usefixtures("half_open")
def test_what_was_checked_is_what_is_connected_to(server, monkeypatch):
    """A name that points elsewhere when it is looked up a second time gains nothing."""
    real, hosts = socket.getaddrinfo, []

    def rebound(host, *words, **more):
        if host != "turning.example":
            return real(host, *words, **more)
        hosts.append(host)
        return real("127.0.0.1" if len(hosts) == 1 else "127.0.0.2", *words, **more)

    monkeypatch.setattr(socket, "getaddrinfo", rebound)
    address = f"http://turning.example:{server.server_port}/tagged"
    assert fetch(Request(address=address), Limits(seconds=5)).status == 200
    assert hosts == ["turning.example"]
    assert server.asked[0][1]["Host"] == f"turning.example:{server.server_port}"
    with pytest.raises(WebError, match=r"127\.0\.0\.2"):
        fetch(Request(address=address), Limits(seconds=5))


def test_of_several_addresses_only_public_ones_are_asked(server, monkeypatch):
    monkeypatch.setattr(web, "is_public", lambda address: address == "127.0.0.1")
    both = [(2, 1, 6, "", (ip, server.server_port)) for ip in ("127.0.0.2", "127.0.0.1")]
    real = socket.getaddrinfo
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, *w, **m: both if host == "two.example" else real(host, *w, **m),
    )
    address = f"http://two.example:{server.server_port}/tagged"
    assert fetch(Request(address=address), Limits(seconds=5)).status == 200


@pytest.fixture
def secure(tmp_path):
    """A server that speaks TLS as feeds.example, and the file that vouches for it."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    words = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    name = ["-subj", "/CN=feeds.example", "-addext", "subjectAltName=DNS:feeds.example"]
    files = ["-keyout", key, "-out", certificate]
    subprocess.run(
        ["openssl", "req", "-x509", *words, *name, *files], check=True, capture_output=True
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with feed_server() as started:
        started.socket = context.wrap_socket(started.socket, server_side=True)
        yield started, certificate


def test_a_certificate_is_checked_for_the_name_that_was_asked(secure, monkeypatch):
    server, certificate = secure
    real = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda _, *w, **m: real("127.0.0.1", *w, **m))
    request = Request(address=f"https://feeds.example:{server.server_port}/large")
    with pytest.raises(WebError, match=r"(?i)certificate"):
        fetch(request, LONGER)
    trusting = ssl.create_default_context(cafile=certificate)
    monkeypatch.setattr(web, "_context", lambda: trusting)
    assert len(fetch(request, LONGER).body) > 400_000
    other = Request(address=f"https://other.example:{server.server_port}/large")
    with pytest.raises(WebError, match=r"(?i)certificate|hostname"):
        fetch(other, LONGER)
