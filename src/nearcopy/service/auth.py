"""Who is asking, what they may do, and what a browser may do with an answer."""

from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nearcopy.errors import StoreError
from nearcopy.service.log_format import caller
from nearcopy.service.problems import Problem
from nearcopy.service.settings import Settings
from nearcopy.service.tokens import SCOPES, Token, Tokens
from nearcopy.stores.pools import checked_pool

COOKIE = "nearcopy_token"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
LOCAL = frozenset({"localhost", "127.0.0.1", "::1", "[::1]"})
ACCEPTED_SITES = frozenset({"same-origin", "none"})
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": CSP,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


class Caller(NamedTuple):
    """Who is asking: by a token, or as anybody on this machine may."""

    name: str
    scopes: tuple[str, ...]
    pool: str | None = None
    by_cookie: bool = False

    def allows(self, scope: str) -> bool:
        """Whether they may do that."""
        return any(SCOPES.index(each) >= SCOPES.index(scope) for each in self.scopes)


ANYBODY = Caller("anybody here", ("admin",))


class Gate:
    """Lets in who may come in."""

    def __init__(self, settings: Settings, tokens: Tokens) -> None:
        self._settings, self._tokens = settings, tokens

    @property
    def open(self) -> bool:
        """Whether anybody on this machine may do anything."""
        return self._settings.local and not self._tokens.there

    def token(self, request: HTTPConnection) -> Token | None:
        """The token that a request bears."""
        return self._tokens.find(_bearer(request) or request.cookies.get(COOKIE, ""))

    def caller(self, request: HTTPConnection) -> Caller | None:
        """Who is asking; None where no token says so."""
        if self.open:
            _check_host(request)
            check_site(request)
            found: Caller | None = ANYBODY
        else:
            by_cookie = not _bearer(request)
            found = _called(self.token(request), by_cookie=by_cookie)
            if by_cookie and found is not None:
                check_site(request)
        caller.set(found.name if found else None)
        return found

    def admit(self, request: HTTPConnection, scope: str) -> Caller:
        """Who is asking, where they may do that; else a problem."""
        found = self.caller(request)
        if found is None:
            raise Problem(
                401,
                "send a token as `Authorization: Bearer ...`; `nearcopy token add NAME --scope "
                f"{scope}` makes one",
            )
        if not found.allows(scope):
            raise Problem(
                403, f"{found.name} may {', '.join(found.scopes)}: this takes a token with {scope}"
            )
        return found

    def pool(self, found: Caller, asked: str | None) -> str | None:
        """The pool that is asked for, where the caller may see it."""
        if found.pool is not None and asked not in (None, found.pool):
            raise Problem(403, f"{found.name} is for the pool {found.pool}: leave out `pool`")
        named = found.pool or asked or self._settings.pool
        try:
            return named and checked_pool(named)
        except StoreError as wrong:
            raise Problem(422, str(wrong), [{"field": "pool", "detail": str(wrong)}]) from None

    def cookie(self, secret: str) -> str:
        """The cookie that signs a browser in."""
        secure = "; Secure" if self._settings.secure_cookies else ""
        return f"{COOKIE}={secret}; Path=/; HttpOnly; SameSite=Strict{secure}"


def _called(token: Token | None, *, by_cookie: bool = False) -> Caller | None:
    return None if token is None else Caller(token.name, token.scopes, token.pool, by_cookie)


def _bearer(request: HTTPConnection) -> str | None:
    kind, _, secret = request.headers.get("authorization", "").partition(" ")
    return secret.strip() if kind.lower() == "bearer" else None


def _check_host(request: HTTPConnection) -> None:
    """Refuses names that some page has had point at this machine."""
    host = request.headers.get("host", "")
    found = _parts(f"//{host}")
    if found is None or found.hostname not in LOCAL:
        raise Problem(
            421,
            f"{host!r:.100} is not served: without tokens this answers to localhost and 127.0.0.1; "
            "make one with `nearcopy token add NAME --scope read,write`",
        )


def _parts(address: str) -> SplitResult | None:
    """The address taken apart; None for what is none, such as `http://[`."""
    try:
        return urlsplit(address)
    except ValueError:
        return None


def check_site(request: HTTPConnection) -> None:
    """Refuses what another site has a browser do."""
    if request.scope["method"] in SAFE:
        return
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        foreign = site not in ACCEPTED_SITES
    else:
        came_from = None if origin is None else _parts(origin)
        own = came_from is not None and came_from.netloc == request.headers.get("host")
        foreign = origin is not None and not own
    if foreign:
        raise Problem(403, "this came from a page of another site: send it with a token instead")


class SafeAnswers:
    """Puts the headers on every answer that say what a browser may do with it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._headers = [(name.encode(), value.encode()) for name, value in HEADERS.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = message.setdefault("headers", [])
                there = {name.lower() for name, _ in given}
                message["headers"] = [*given, *(h for h in self._headers if h[0] not in there)]
            await send(message)

        await self._app(scope, receive, with_headers)
