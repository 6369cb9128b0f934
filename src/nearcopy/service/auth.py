"""Authentication and authorisation: who calls, with which scopes, for which pool."""

from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from starlette.requests import HTTPConnection

from nearcopy.errors import StoreError
from nearcopy.service.log_format import caller as logged_caller
from nearcopy.service.problems import Problem, field_problem
from nearcopy.service.settings import Settings
from nearcopy.service.tokens import Token, Tokens, scopes_allow
from nearcopy.stores.addresses import validate_pool

COOKIE = "nearcopy_token"
COOKIE_ATTRIBUTES = "Path=/; HttpOnly; SameSite=Strict"
EXPIRED_COOKIE = f"{COOKIE}=; {COOKIE_ATTRIBUTES}; Max-Age=0"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1", "[::1]"})
SAME_SITE = frozenset({"same-origin", "none"})


class Caller(NamedTuple):
    """Who makes a request: the bearer of a token, or a user of this machine."""

    name: str
    scopes: tuple[str, ...]
    pool: str | None = None
    by_cookie: bool = False

    def allows(self, scope: str) -> bool:
        return scopes_allow(self.scopes, scope)


LOCAL_CALLER = Caller("local user", ("admin",))


def caller_of(token: Token, *, by_cookie: bool = False) -> Caller:
    return Caller(token.name, token.scopes, token.pool, by_cookie)


class Authenticator:
    """Finds the caller of a request, and checks what it may do."""

    def __init__(self, settings: Settings, tokens: Tokens) -> None:
        self._settings, self._tokens = settings, tokens

    @property
    def open(self) -> bool:
        """Whether no token is needed: the service is local and has no token file."""
        return self._settings.local and not self._tokens.exists

    def token(self, request: HTTPConnection) -> Token | None:
        """The token of the Authorization header or of the cookie, if valid."""
        return self._tokens.find(_bearer(request) or request.cookies.get(COOKIE, ""))

    def authenticate(self, request: HTTPConnection) -> Caller | None:
        """The caller; None without a valid token."""
        if self.open:
            _check_host(request)
            check_same_site(request)
            caller: Caller | None = LOCAL_CALLER
        else:
            token, by_cookie = self.token(request), not _bearer(request)
            caller = caller_of(token, by_cookie=by_cookie) if token else None
            if caller and by_cookie:
                check_same_site(request)
        logged_caller.set(caller.name if caller else None)
        return caller

    def authorize(self, request: HTTPConnection, scope: str) -> Caller:
        """The caller if it has the scope; else a problem."""
        caller = self.authenticate(request)
        if caller is None:
            raise Problem(
                401,
                "send a token as `Authorization: Bearer ...`; `nearcopy token add NAME --scope "
                f"{scope}` creates one",
            )
        if not caller.allows(scope):
            scopes = ", ".join(caller.scopes)
            detail = f"{caller.name} has the scope {scopes}: use a token with the scope {scope}"
            raise Problem(403, detail)
        return caller

    def choose_pool(self, caller: Caller, requested: str | None) -> str | None:
        """The pool of a request, if the caller may use it."""
        if caller.pool is not None and requested not in (None, caller.pool):
            raise Problem(403, f"{caller.name} is limited to the pool {caller.pool}: omit `pool`")
        name = caller.pool or requested or self._settings.pool
        try:
            return name and validate_pool(name)
        except StoreError as error:
            raise field_problem("pool", str(error)) from None

    def cookie(self, secret: str) -> str:
        """The Set-Cookie header that signs a browser in."""
        secure = "; Secure" if self._settings.secure_cookies else ""
        return f"{COOKIE}={secret}; {COOKIE_ATTRIBUTES}{secure}"


def _bearer(request: HTTPConnection) -> str | None:
    kind, _, secret = request.headers.get("authorization", "").partition(" ")
    return secret.strip() if kind.lower() == "bearer" else None


def _check_host(request: HTTPConnection) -> None:
    """Refuse other host names, against DNS rebinding."""
    host = request.headers.get("host", "")
    parts = _split(f"//{host}")
    if parts is None or parts.hostname not in LOCAL_HOSTS:
        raise Problem(
            421,
            f"host {host!r:.100} is not served: without tokens use localhost or 127.0.0.1; "
            "`nearcopy token add NAME --scope read,write` creates a token",
        )


def _split(address: str) -> SplitResult | None:
    """The parts of an address; None if it is not valid, such as `http://[`."""
    try:
        return urlsplit(address)
    except ValueError:
        return None


def check_same_site(request: HTTPConnection) -> None:
    """Refuse cross-site requests that change something (CSRF)."""
    if request.scope["method"] in SAFE_METHODS:
        return
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        foreign = site not in SAME_SITE
    else:
        parts = None if origin is None else _split(origin)
        own = parts is not None and parts.netloc == request.headers.get("host")
        foreign = origin is not None and not own
    if foreign:
        raise Problem(403, "cross-site request: send it with a bearer token instead")
